/** Labeled tab-separated values, in any order: finds out which label has which field. */
import type { LogFormat } from "../lines/format.ts";
import { type FieldName, fieldNames, type GivenFields } from "../lines/line.ts";
import { splitLabels } from "../lines/ltsv.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import type { FormatKind } from "./format-kind.ts";
import { chooseFields, haveAgent, type Named } from "./named-fields.ts";

export const ltsv: FormatKind = {
  names: ["ltsv"],
  lines: "labeled tab-separated values, such as `status:200`",
  hasNames: true,
  formatsOf: (lines, given) => [ltsvFormatOf(lines, given)],
  isLikely: (lines, given) =>
    // linear: each repeat ends at a character that the repeat does not match
    matchesMostLines(lines, (line) => /^[\w-]+:[^\t]*(?:\t[\w-]+:[^\t]*)+$/.test(line)) &&
    (given.useragent !== undefined || haveAgent(labelsOf(lines))),
};

/** Throws an Error if no label is known to be the user agent, or a given one is missing. */
function ltsvFormatOf(lines: readonly string[], given: GivenFields): LogFormat {
  const named = labelsOf(lines);
  const chosen = chooseFields("label", named, given);
  const fields: Partial<Record<FieldName, string>> = {};
  for (const name of fieldNames) if (chosen[name] !== undefined) fields[name] = named[chosen[name]]!.name;
  return {
    name: "ltsv",
    escapes: "backslash",
    labels: fields,
    ...(fields.count !== undefined && { countName: fields.count }),
  };
}

/** As ltsv.org recommends: other formats have the host of the site under this name. */
const meanings: Readonly<Record<string, string>> = { host: "remote_addr", req: "request" };

/** The labels of all lines, with their values. */
export function labelsOf(lines: readonly string[]): readonly Named[] {
  return [...valuesOf(lines)].map(([name, values]) => ({ name, path: [meanings[name] ?? name], values }));
}

function valuesOf(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>();
  for (const line of lines)
    for (const [label, value] of splitLabels(line)) all.set(label, [...(all.get(label) ?? []), value]);
  return all;
}
