/** Tells from its first lines which format a log has. */
import { rankOf } from "./field-aliases.ts";
import { createReader, type LogFormat, templates } from "./format.ts";
import type { JsonPaths } from "./json-lines.ts";
import { createLogLine, type FieldName, fieldNames, outcome } from "./line.ts";
import { isDirectives, toW3cFormat } from "./w3c.ts";

/** What the user has said of the fields: names of columns or members (with dots), or numbers of columns. */
export type GivenFields = Readonly<Partial<Record<FieldName, string>>>;

/** The format that reads most of `lines`; `plain`, which reads everything, where no other reads half of them. */
export function guessFormat(lines: readonly string[], given: GivenFields = {}): LogFormat {
  const full = lines.filter((line) => line.trim() !== "");
  if (full.some(isDirectives)) return toW3cFormat(full);
  const separator = [",", "\t"].find((mark) => isHeader(full[0] ?? "", mark, given));
  if (isObject(parse(full[0] ?? ""))) return jsonFormat(full, given);
  if (separator !== undefined) return columnsFormat(full, separator, given);
  for (const format of Object.values(templates)) if (readsHalf(format, full)) return format;
  return templates.plain as LogFormat;
}

/** Whether the columns of a first line are names, one of which is the user agent's. */
function isHeader(line: string, separator: string, given: GivenFields): boolean {
  const columns = splitColumns(line, separator);
  const agent = given.useragent;
  if (agent === undefined) return columns.some((name) => rankOf("useragent", name) !== undefined);
  return columns.includes(agent) || (columns.length > 1 && /^\d+$/.test(agent));
}

/** Throws an Error where a name was given that the header does not have. */
export function columnsFormat(lines: readonly string[], separator: string, given: GivenFields): LogFormat {
  const header = lines[0] ?? "";
  const names = splitColumns(header, separator);
  const columns: (FieldName | null)[] = names.map(() => null);
  for (const name of fieldNames) {
    const index = given[name] === undefined ? bestOf(name, names) : indexOfGiven(given[name], names);
    if (index !== -1) columns[index] ??= name;
  }
  if (!columns.includes("useragent")) {
    throw new Error(`None of the columns is known to be the user agent; name it: --field ${JSON.stringify(names[0])}.`);
  }
  const hasHeader =
    !/^\d+$/.test(given.useragent ?? "") || names.some((name) => rankOf("useragent", name) !== undefined);
  const name = separator === "," ? "csv" : "tsv";
  return { name, escapes: "quotes", columns: { separator, columns, ...(hasHeader && { header }) } };
}

function indexOfGiven(name: string, names: readonly string[]): number {
  // A number first: where there is no header, the "names" are values, and any of them may be that number.
  if (/^\d+$/.test(name) && Number(name) >= 1 && Number(name) <= names.length) return Number(name) - 1;
  const index = names.indexOf(name);
  if (index !== -1) return index;
  throw new Error(`There is no column ${JSON.stringify(name)}; there are ${names.join(", ").slice(0, 300)}.`);
}

function bestOf(fieldName: FieldName, names: readonly string[]): number {
  const ranks = names.map((name) => rankOf(fieldName, name) ?? Number.POSITIVE_INFINITY);
  const best = Math.min(...ranks);
  return best === Number.POSITIVE_INFINITY ? -1 : ranks.indexOf(best);
}

/** Throws an Error where no member is known to be the user agent. */
export function jsonFormat(lines: readonly string[], given: GivenFields): LogFormat {
  const paths: Partial<Record<FieldName, readonly string[]>> = {};
  const found = lines.flatMap((line) => leavesOf(parse(line)));
  for (const name of fieldNames) {
    const path = given[name] === undefined ? bestPath(name, found) : toPath(given[name], found);
    if (path !== undefined) paths[name] = path;
  }
  if (paths.useragent === undefined) {
    throw new Error("No member of the JSON objects is known to be the user agent; name it: --field NAME.");
  }
  const isCaddy = lines.some((line) => line.includes('"http.log.access'));
  return { name: isCaddy ? "caddy" : "json", escapes: "none", json: paths satisfies JsonPaths };
}

/** A name with dots is a path, unless a member has just that name. Throws an Error where no line has it. */
function toPath(name: string, found: readonly (readonly string[])[]): readonly string[] {
  const path =
    found.find((path) => path.length === 1 && path[0] === name) ?? found.find((path) => path.join(".") === name);
  if (path === undefined) {
    const names = [...new Set(found.map((path) => path.join(".")))].join(", ").slice(0, 300);
    throw new Error(
      `The first lines have no member ${JSON.stringify(name)}; they have ${names}. Name another: --field NAME.`,
    );
  }
  return path;
}

function bestPath(fieldName: FieldName, found: readonly (readonly string[])[]): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const path of found) {
    // The whole path tells more than its last name; a member nearer to the top more than one below it.
    const rank =
      rankOf(fieldName, path.join(".")) ?? (rankOf(fieldName, path.at(-1) as string) ?? Infinity) + 100 * path.length;
    if (rank < bestRank) [best, bestRank] = [path, rank];
  }
  return best;
}

/** The paths to texts and numbers of an object, to a depth of four. */
function leavesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value === "string" || typeof value === "number") return path.length > 0 ? [path] : [];
  if (Array.isArray(value)) return path.length > 0 && value.length > 0 ? [path] : [];
  if (typeof value !== "object" || value === null || path.length === 4) return [];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function splitColumns(line: string, separator: string): readonly string[] {
  return line.split(separator).map((name) => name.trim().replace(/^"(.*)"$/, "$1"));
}

/** Whether a format reads at least half of the lines, with a status where it has one. */
function readsHalf(format: LogFormat, lines: readonly string[]): boolean {
  const reader = createReader(format);
  const encoder = new TextEncoder();
  const line = createLogLine();
  const read = lines.filter((text) => {
    const bytes = encoder.encode(text);
    return reader(bytes, 0, bytes.length, line) === outcome.request && (format.name === "plain" || hasStatus(line));
  });
  return read.length * 2 >= lines.length && lines.length > 0;
}

function hasStatus({ source, from, to }: ReturnType<typeof createLogLine>): boolean {
  const status = fieldNames.indexOf("status");
  return /^(?:\d{3}|-)$/.test(new TextDecoder().decode(source.subarray(from[status], to[status])));
}
