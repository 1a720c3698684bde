/** Every crawler of the catalogue that has a name, as JSON or CSV. */
import { statedFacts } from "../../detect/facts.ts";
import { toCsv } from "../../text/csv.ts";
import type { Item } from "../expressions.ts";
import type { ExportRequest, Target } from "../target.ts";

/** The columns of CSV, and the members of JSON, in their order. */
export const columns = ["name", ...statedFacts(), "pattern"] as const;

export const catalogue: Target = {
  what: "every crawler with a name, by decreasing precedence: JSON, or CSV with --format csv",
  isList: true,
  forms: { option: "format", names: ["json", "csv"] },
  write: writeCatalogue,
};

/** Purposes are a list, in CSV separated by `;`. */
function writeCatalogue({ items, selection }: ExportRequest, format = "json"): string {
  const named = items.filter((item) => item.name !== undefined && (selection?.(item) ?? true));
  if (format === "json") {
    const objects = named.map((item) => Object.fromEntries(columns.map((column) => [column, cell(item, column)])));
    return `[\n${objects.map((object) => JSON.stringify(object)).join(",\n")}\n]\n`;
  }
  const rows = named.map((item) => columns.map((column) => [cell(item, column) ?? ""].flat().join(";")));
  return toCsv([columns, ...rows]);
}

/** The pattern is the expression, which can be pasted as is; in the catalogue's own notation, some letters stand for both cases. */
function cell(item: Item, column: (typeof columns)[number]): string | readonly string[] | undefined {
  if (column === "pattern") return item.expression;
  if (column === "purposes") return item.purposes ?? [];
  return item[column];
}
