/** Logs of columns whose first line names them: finds out which column has which field. */
import { type Columns, columnsOf, separatorLine } from "../lines/columns.ts";
import type { LogFormat } from "../lines/format.ts";
import { type FieldName, fieldNames, type GivenFields } from "../lines/line.ts";
import type { FormatKind } from "./format-kind.ts";
import { bestOf, type ChosenFields, chooseFields, haveAgent, type Named } from "./named-fields.ts";

export const csv: FormatKind = columnsKind(
  "csv",
  "columns separated by `,`, `;` or `|`; the first line has their names",
  [",", ";", "|"],
);
export const tsv: FormatKind = columnsKind("tsv", "the same, separated by tabs", ["\t"]);

function columnsKind(name: string, lines: string, separators: readonly [string, ...string[]]): FormatKind {
  return {
    names: [name],
    lines,
    hasNames: true,
    formatsOf: (lines, given) => [csvFormatOf(name, tableOf(lines), separatorOf(separators, lines), given)],
    // One column is CSV.
    isLikely: (lines, given) =>
      (separators[0] !== "\t" || tableOf(lines)[0]?.includes("\t") === true) &&
      isLog(tableOf(lines), separatorOf(separators, lines), given),
  };
}

/** The lines from the header on: spreadsheets read the separator in a line before it. */
function tableOf(lines: readonly string[]): readonly string[] {
  return separatorLine.test(lines[0] ?? "") ? lines.slice(1) : lines;
}

/** The separator that a line before the header says; or the first one that is in the header, outside of quotation marks. */
function separatorOf(separators: readonly [string, ...string[]], lines: readonly string[]): string {
  const stated = separatorLine.exec(lines[0] ?? "")?.[1];
  if (stated !== undefined && separators.includes(stated)) return stated;
  const [header = "", ...rest] = tableOf(lines);
  const found = separators.find((separator) => columnsOf(header, separator).length > 1);
  if (found !== undefined || header.includes("\t")) return found ?? separators[0];
  // A single column printed by a database may contain unquoted commas.
  return rest.some((line) => columnsOf(line, separators[0], -1).length > 1) ? "\t" : separators[0];
}

/** Whether the columns of a first line are names, one of which is the user agent's. */
function isLog(lines: readonly string[], separator: string, given: GivenFields): boolean {
  const [first = ""] = lines;
  // JSON also has commas, and the name of a column may follow one.
  if (/^\s*[[{]/.test(first)) return false;
  const columns = columnsOf(first, separator);
  const agent = given.useragent;
  if (agent !== undefined) return columns.includes(agent) || (columns.length > 1 && /^\d+$/.test(agent));
  return haveAgent(namedOf(lines, separator));
}

/** Throws an Error if a name was given that the header does not have. */
function csvFormatOf(name: string, lines: readonly string[], separator: string, given: GivenFields): LogFormat {
  const header = lines[0] ?? "";
  const named = namedOf(lines, separator, given);
  const chosen = chooseFields("column", named, given);
  const hasHeader = !/^\d+$/.test(given.useragent ?? "") || bestOf("useragent", named) !== -1;
  return {
    name,
    escapes: "quotes",
    columns: { separator, ...toColumns(chosen, named.length), ...(hasHeader && { header }) },
    ...(chosen.count !== undefined && { countName: named[chosen.count]!.name }),
  };
}

/** The columns of a header, with their values in the lines below it. */
export function namedOf(
  [header = "", ...rest]: readonly string[],
  separator: string,
  given: GivenFields = {},
): readonly Named[] {
  const names = columnsOf(header, separator);
  const namedWith = (agent?: number): readonly Named[] => {
    const rows = rest.map((line) => columnsOf(line, separator, agent));
    return names.map((name, index) => ({ name, path: [name], values: rows.map((row) => row[index] ?? "") }));
  };
  const named = namedWith();
  return namedWith(given.useragent === undefined ? bestOf("useragent", named) : names.indexOf(given.useragent));
}

/** The field of each of `count` columns, and the number of the column with the date, if it has one of its own. */
export function toColumns(chosen: ChosenFields, count: number): Pick<Columns, "columns" | "date"> {
  const columns: (FieldName | null)[] = Array.from({ length: count }, () => null);
  for (const name of fieldNames) if (chosen[name] !== undefined) columns[chosen[name]] ??= name;
  return { columns, ...(chosen.date !== undefined && { date: chosen.date }) };
}
