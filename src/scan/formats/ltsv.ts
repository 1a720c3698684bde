/** Labeled tab-separated values, in any order: finds out which label has which field. */
import type { LogFormat } from "../lines/format.ts";
import { type FieldName, fieldNames, type GivenFields } from "../lines/line.ts";
import { splitLabels } from "../lines/ltsv.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { type FormatKind, refuseOtherValues } from "./format-kind.ts";
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
  const labels = [...valuesOf(lines).keys()];
  const chosen = chooseFields(named, given, (name) => {
    const index = labels.indexOf(name);
    if (index !== -1) return index;
    throw new Error(`There is no label ${JSON.stringify(name)}; labels are ${labels.join(", ").slice(0, 300)}.`);
  });
  if (chosen.useragent === undefined)
    throw new Error(
      `None of the labels ${labels.join(", ").slice(0, 300)} is recognized as the user agent. Specify it: --field NAME.`,
    );
  if (given.useragent !== undefined) refuseOtherValues(given.useragent, named[chosen.useragent]!.values);
  const fields: Partial<Record<FieldName, string>> = {};
  for (const name of fieldNames) if (chosen[name] !== undefined) fields[name] = labels[chosen[name]]!;
  return {
    name: "ltsv",
    escapes: "backslash",
    labels: fields,
    ...(fields.count !== undefined && { countName: fields.count }),
  };
}

/** As ltsv.org recommends: other formats have the host of the site under this name. */
const meanings: Readonly<Record<string, string>> = { host: "remote_addr", req: "request" };

function labelsOf(lines: readonly string[]): readonly Named[] {
  return [...valuesOf(lines)].map(([label, values]) => ({ path: [meanings[label] ?? label], values }));
}

function valuesOf(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>();
  for (const line of lines)
    for (const [label, value] of splitLabels(line)) all.set(label, [...(all.get(label) ?? []), value]);
  return all;
}
