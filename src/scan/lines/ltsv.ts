/** Lines of labeled tab-separated values, such as `status:200`. The caller determines which label has which field. */
import { type FieldName, field, fieldNames, type LineReader, outcome } from "./line.ts";

const latin1 = new TextDecoder("latin1");
const tab = 0x09;
const colon = 0x3a;
const openingBracket = 0x5b;
const closingBracket = 0x5d;

/** The label of each field. */
export type Labels = Readonly<Partial<Record<FieldName, string>>>;

/** Reads labeled values in any order; of a label that a line has twice, the first value. */
export function createLtsvReader(labels: Labels): LineReader {
  const indices = new Map(
    fieldNames.flatMap((name) => (labels[name] === undefined ? [] : [[labels[name], field[name]] as const])),
  );
  return (bytes, from, to, line) => {
    line.source = bytes;
    line.from.fill(-1);
    let isLabeled = false;
    for (let at = from; at < to; ) {
      let [valueFrom, end] = [-1, at];
      for (; end < to && bytes[end] !== tab; end++) if (valueFrom === -1 && bytes[end] === colon) valueFrom = end + 1;
      const index = valueFrom === -1 ? undefined : indices.get(latin1.decode(bytes.subarray(at, valueFrom - 1)));
      isLabeled ||= index !== undefined;
      if (index !== undefined && line.from[index] === -1) {
        const isBracketed =
          end - valueFrom > 1 && bytes[valueFrom] === openingBracket && bytes[end - 1] === closingBracket;
        line.from[index] = isBracketed ? valueFrom + 1 : valueFrom;
        line.to[index] = isBracketed ? end - 1 : end;
      }
      at = end + 1;
    }
    return isLabeled ? outcome.request : outcome.broken;
  };
}

/** The labels of a line with their values, as the reader finds them. */
export function splitLabels(line: string): readonly (readonly [label: string, value: string])[] {
  return line.split("\t").flatMap((text) => {
    const at = text.indexOf(":");
    if (at === -1) return [];
    const value = text.slice(at + 1);
    return [[text.slice(0, at), /^\[.*\]$/.test(value) ? value.slice(1, -1) : value] as const];
  });
}
