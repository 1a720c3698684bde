/** Logs of columns whose first line names them: finds out which column has which field. */
import { isUserAgentName, rankOf } from "../lines/field-aliases.ts";
import type { LogFormat } from "../lines/format.ts";
import { type FieldName, fieldNames } from "../lines/line.ts";
import { findDateAndClock } from "./date-and-clock.ts";
import { type FormatKind, type GivenFields, isUserAgent, noField, refuseOtherValues } from "./format-kind.ts";

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
    formatOf: (lines, given) => csvFormatOf(name, lines, separatorOf(separators, lines), given),
    guess(lines, given) {
      const separator = separatorOf(separators, lines);
      // One column is CSV.
      if (separators[0] === "\t" && !lines[0]?.includes("\t")) return undefined;
      return isLog(lines, separator, given) ? csvFormatOf(name, lines, separator, given) : undefined;
    },
  };
}

/** The first separator that is in the header, outside of quotation marks. */
function separatorOf(separators: readonly [string, ...string[]], [header = "", ...rest]: readonly string[]): string {
  const found = separators.find((separator) => splitColumns(header, separator).length > 1);
  if (found !== undefined || header.includes("\t")) return found ?? separators[0];
  // A single column printed by a database may contain unquoted commas.
  return rest.some((line) => splitColumns(line, separators[0]).length > 1) ? "\t" : separators[0];
}

/** Whether the columns of a first line are names, one of which is the user agent's. */
function isLog([first = "", ...rest]: readonly string[], separator: string, given: GivenFields): boolean {
  // JSON also has commas, and the name of a column may follow one.
  if (/^\s*[[{]/.test(first)) return false;
  const columns = splitColumns(first, separator);
  const agent = given.useragent;
  if (agent !== undefined) return columns.includes(agent) || (columns.length > 1 && /^\d+$/.test(agent));
  const index = bestOf("useragent", columns);
  if (index === -1) return false;
  return (
    isUserAgentName(columns[index]!) || rest.some((line) => isUserAgent(splitColumns(line, separator)[index] ?? ""))
  );
}

/** Throws an Error if a name was given that the header does not have. */
function csvFormatOf(name: string, lines: readonly string[], separator: string, given: GivenFields): LogFormat {
  const header = lines[0] ?? "";
  const names = splitColumns(header, separator);
  const columns: (FieldName | null)[] = names.map(() => null);
  for (const field of fieldNames) {
    const index = given[field] === undefined ? bestOf(field, names) : indexOfGiven(given[field], names);
    if (index !== -1) columns[index] ??= field;
  }
  const values = names.map((_, index) => lines.slice(1).map((line) => splitColumns(line, separator)[index] ?? ""));
  if (given.useragent !== undefined) refuseOtherValues(given.useragent, values[columns.indexOf("useragent")]!);
  const pair = given.time === undefined ? findDateAndClock(names, values) : undefined;
  if (pair !== undefined) {
    for (const [index, name] of columns.entries()) if (name === "time") columns[index] = null;
    columns[pair.clock] = "time";
  }
  const countName = names[columns.indexOf("count")];
  if (!columns.includes("useragent")) {
    throw new Error(
      `None of the columns ${names.join(", ").slice(0, 300)} is recognized as the user agent. Specify it: --field NAME.`,
    );
  }
  const hasHeader = !/^\d+$/.test(given.useragent ?? "") || bestOf("useragent", names) !== -1;
  return {
    name,
    escapes: "quotes",
    columns: { separator, columns, ...(pair && { date: pair.date }), ...(hasHeader && { header }) },
    ...(countName !== undefined && { countName }),
  };
}

function indexOfGiven(name: string, names: readonly string[]): number {
  if (name === noField) return -1;
  // A number first: if there is no header, the "names" are values, and any of them may be that number.
  if (/^\d+$/.test(name) && Number(name) >= 1 && Number(name) <= names.length) return Number(name) - 1;
  const index = names.indexOf(name);
  if (index !== -1) return index;
  throw new Error(`There is no column ${JSON.stringify(name)}; columns are ${names.join(", ").slice(0, 300)}.`);
}

function bestOf(fieldName: FieldName, names: readonly string[]): number {
  const ranks = names.map((name) => rankOf(fieldName, name) ?? Number.POSITIVE_INFINITY);
  const best = Math.min(...ranks);
  return best === Number.POSITIVE_INFINITY ? -1 : ranks.indexOf(best);
}

/** The values of a line, without the quotation marks around them. */
export function splitColumns(line: string, separator: string): readonly string[] {
  const columns = [""];
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    if (character === separator && !isQuoted) columns.push("");
    else columns[columns.length - 1] += character;
  }
  return columns.map((name) => name.trim().replace(/^"(.*)"$/, "$1"));
}
