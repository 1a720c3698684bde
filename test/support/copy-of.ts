/** The copy of a list, as a catalogue has it, of its lines, which may be any prefixes. */
import { toPrefix } from "../../src/address/prefix.ts";
import { toRangeCopy } from "../../src/detect/range-copy.ts";
import type { RangeCopy } from "../../src/detect/verification.ts";

export function copyOf(asOf: string, lines: string): RangeCopy {
  return toRangeCopy(
    asOf,
    lines.split("\n").map((line) => toPrefix(line)!),
  );
}
