/** The W3C's extended log format, as IIS and CloudFront write it: a directive says which columns follow. */
import { rankOf } from "../lines/field-aliases.ts";
import type { LogFormat } from "../lines/format.ts";
import type { FieldName } from "../lines/line.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { splitColumns } from "./csv.ts";
import type { FormatKind } from "./format-kind.ts";

const fieldsDirective = "#Fields:";

export const w3c: FormatKind = {
  names: ["w3c", "iis", "cloudfront"],
  lines: "the W3C extended log format of IIS and Amazon CloudFront; `#Fields:` may change within a log",
  formatOf: toW3cFormat,
  guess: (lines) =>
    lines.some((line) => line.startsWith(fieldsDirective)) && matchesMostLines(lines, createFit())
      ? toW3cFormat(lines)
      : undefined,
  toLogUserAgents: "cs(User-Agent) among the fields to log",
};

/** Whether a line is a directive, or has as many columns as the directive before it says. */
function createFit(): (line: string) => boolean {
  let columns = 0;
  return (line) => {
    if (line.startsWith(fieldsDirective)) columns = namesOf(line).length;
    return line.startsWith("#") || splitColumns(line, line.includes("\t") ? "\t" : " ").length === columns;
  };
}

/** The format of a log from its first lines; throws an Error if they do not say what the columns are. */
function toW3cFormat(lines: readonly string[]): LogFormat {
  const directive = lines.find((line) => line.startsWith(fieldsDirective));
  if (directive === undefined) throw new Error("The log's first lines do not say which columns it has (#Fields: …).");
  // CloudFront separates the names with spaces, but the values with tabs.
  const separator = lines.some((line) => !line.startsWith("#") && line.includes("\t")) ? "\t" : " ";
  return w3cFormatOf(directive, separator);
}

function w3cFormatOf(directive: string, separator: string): LogFormat {
  const names = namesOf(directive);
  const isCloudFront = names.includes("x-edge-location");
  const columns = names.map(columnOf);
  const [date, clock] = ["", "-local"]
    .map((zone) => [names.indexOf(`date${zone}`), names.indexOf(`time${zone}`)] as const)
    .find((pair) => !pair.includes(-1)) ?? [-1, -1];
  // Adjacent columns can be read as a single time.
  const isSplit = date !== -1 && clock !== date + 1;
  if (date !== -1) [columns[date], columns[clock]] = [isSplit ? null : "time", "time"];
  return {
    name: isCloudFront ? "cloudfront" : "w3c",
    escapes: isCloudFront ? "percent" : "plus",
    columns: { separator, columns, ...(isSplit && { date }) },
  };
}

function namesOf(directive: string): readonly string[] {
  return directive.slice(fieldsDirective.length).trim().split(/\s+/);
}

function columnOf(name: string): FieldName | null {
  // Only the time of a day.
  if (name === "time") return null;
  const known: readonly FieldName[] = ["useragent", "time", "status", "bytes", "path", "address", "referrer", "query"];
  // The prefix tells the direction: cs(User-Agent) was sent by the client, sc-bytes by the server.
  return known.find((fieldName) => rankOf(fieldName, name) !== undefined) ?? null;
}

/** A part of a block that has one format. */
export interface Part {
  readonly from: number;
  readonly to: number;
  readonly format: LogFormat;
}

/** Cuts `bytes[0 … length)`, which are whole lines, where a directive changes the columns. */
export function cutAtDirectives(bytes: Uint8Array, length: number, format: LogFormat): readonly Part[] {
  if (format.escapes !== "plus" && format.escapes !== "percent") return [{ from: 0, to: length, format }];
  const decoder = new TextDecoder();
  const parts: Part[] = [];
  let part: Part = { from: 0, to: length, format };
  for (let at = bytes.indexOf(0x23); at !== -1 && at < length; at = bytes.indexOf(0x23, at + 1)) {
    if (at > 0 && bytes[at - 1] !== 0x0a) continue;
    const end = bytes.indexOf(0x0a, at);
    const line = decoder.decode(bytes.subarray(at, end === -1 || end > length ? length : end));
    if (!line.startsWith(fieldsDirective)) continue;
    if (at > part.from) parts.push({ ...part, to: at });
    part = { from: at, to: length, format: w3cFormatOf(line, part.format.columns?.separator ?? " ") };
  }
  return [...parts, part];
}
