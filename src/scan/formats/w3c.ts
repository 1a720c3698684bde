/** The W3C's extended log format, as IIS and CloudFront write it: a directive says which columns follow. */
import { cellsOf } from "../lines/columns.ts";
import { rankOf } from "../lines/field-aliases.ts";
import type { LogFormat } from "../lines/format.ts";
import type { GivenFields } from "../lines/line.ts";
import { toColumns } from "./csv.ts";
import { type FormatKind, sampledLines } from "./format-kind.ts";
import { chooseKnown, type Named, noField, refuseOtherName } from "./named-fields.ts";

const fieldsDirective = "#Fields:";

export const w3c: FormatKind = {
  names: ["w3c", "iis", "cloudfront"],
  lines: "the W3C extended log format of IIS and Amazon CloudFront; `#Fields:` may change within a log",
  hasNames: true,
  formatsOf: (lines, given) => [toW3cFormat(lines, given)],
  isLikely: (lines) => lines.some((line) => line.startsWith(fieldsDirective)),
  toLogUserAgents: "cs(User-Agent) among the fields to log",
};

/** The format of a log from its first lines; throws an Error if they do not say what the columns are, or lack a given one. */
function toW3cFormat(lines: readonly string[], given: GivenFields): LogFormat {
  const first = lines.findIndex((line) => line.startsWith(fieldsDirective));
  if (first === -1) throw new Error("The log's first lines do not say which columns it has (#Fields: …).");
  // CloudFront separates the names with spaces, but the values with tabs.
  const separator = lines.some((line) => !line.startsWith("#") && line.includes("\t")) ? "\t" : " ";
  const names = namesOf(lines[first]!);
  for (const name of Object.values(given))
    if (name !== noField && !names.includes(name))
      throw new Error(`There is no column ${JSON.stringify(name)}; columns are ${names.join(", ").slice(0, 300)}.`);
  return w3cFormatOf(lines.slice(first), separator, given, refuseOtherName);
}

/** The format of lines, the first of which is a directive, up to the next one. Given names that the directive lacks are ignored. */
function w3cFormatOf(
  [directive = "", ...rest]: readonly string[],
  separator: string,
  given: GivenFields,
  refuse?: typeof refuseOtherName,
): LogFormat {
  const names = namesOf(directive);
  const end = rest.findIndex((line) => line.startsWith(fieldsDirective));
  const rows = (end === -1 ? rest : rest.slice(0, end))
    .filter((line) => !line.startsWith("#"))
    .map((line) => cellsOf(line, { separator }))
    .filter((row) => row.length === names.length);
  const columns = names.map((_, index) => rows.map((row) => row[index]!));
  const quoted = columns.map((cells) => {
    const some = cells.filter(({ text }) => text !== "-");
    return some.length > 0 && some.every(({ isQuoted }) => isQuoted);
  });
  const named = names.map((name, index): Named => {
    // A date or a time of day alone is no time; together they are found below.
    if (name === "date" || name === "time") return { name, path: [""], values: [] };
    return { name, path: [name], values: columns[index]!.map(({ text }) => text) };
  });
  // Behind a directive near the end of a block, a few lines show little: the directive's own name decides.
  const agent = names.findIndex((name) => rankOf("useragent", name) !== undefined);
  const byName = agent === -1 || given.useragent !== undefined ? {} : { useragent: agent };
  const chosen = { ...byName, ...chooseKnown(named, given, (name) => names.indexOf(name)) };
  if (chosen.useragent === undefined && given.useragent === undefined) refuse?.("column", named);
  const [date, time] = ["", "-local"]
    .map((zone) => [names.indexOf(`date${zone}`), names.indexOf(`time${zone}`)] as const)
    .find((pair) => !pair.includes(-1)) ?? [-1, -1];
  const hasPair = date !== -1 && given.time === undefined;
  const fields = toColumns({ ...chosen, ...(hasPair && { date, time }) }, names.length);
  // Adjacent columns can be read as a single time.
  const isOne = hasPair && time === date + 1 && !quoted[date] && !quoted[time];
  const isCloudFront = names.includes("x-edge-location");
  return {
    name: isCloudFront ? "cloudfront" : "w3c",
    escapes: isCloudFront ? "percent" : "plus",
    columns: {
      separator,
      quoted,
      ...(isOne ? { columns: fields.columns.with(date, "time") } : fields),
    },
    ...(Object.keys(given).length > 0 && { given }),
  };
}

function namesOf(directive: string): readonly string[] {
  return directive.slice(fieldsDirective.length).trim().split(/\s+/);
}

/** A part of a block that has one format. */
export interface Part {
  readonly from: number;
  readonly to: number;
  readonly format: LogFormat;
}

/** A line that is cut has too few columns. */
const sampledBytes = 65_536;

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
    const { columns, given = {} } = part.format;
    const sample = decoder.decode(bytes.subarray(at, Math.min(length, at + sampledBytes))).split(/\r?\n/, sampledLines);
    part = { from: at, to: length, format: w3cFormatOf(sample, columns?.separator ?? " ", given) };
  }
  return [...parts, part];
}
