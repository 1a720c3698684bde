/** Lines that are passed through: as they are, or with the verdict on them. */
import type { Verdict } from "../detect/verdict.ts";

/** Collects bytes; grows as it must. */
export interface Output {
  write(bytes: Uint8Array, from: number, to: number): void;
  length(): number;
  /** What was written, as bytes of its own. */
  bytes(): Uint8Array;
}

/** For so few bytes a call takes longer than a loop. */
const short = 16;

export function createOutput(expectedBytes: number): Output {
  let buffer = new Uint8Array(Math.max(expectedBytes, 1024));
  let length = 0;
  return {
    write(bytes, from, to) {
      if (length + to - from > buffer.length) {
        const larger = new Uint8Array(2 * (length + to - from));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      if (to - from <= short) for (let at = from; at < to; at++) buffer[length++] = bytes[at]!;
      else {
        buffer.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), length);
        length += to - from;
      }
    },
    length: () => length,
    bytes: () => buffer.subarray(0, length),
  };
}

const encoder = new TextEncoder();
const closingBrace = 0x7d;
const openingBrace = 0x7b;

/**
 * Writes the line at `from` to before `to`, whose end goes on to before `next`, with its verdict: a JSON object gets the member
 * `verdict`, every other line a tab and the verdict as JSON.
 */
export function annotate(
  output: Output,
  bytes: Uint8Array,
  from: number,
  to: number,
  next: number,
  verdict: Verdict | undefined,
): void {
  const { useragent: _, ...facts } = verdict ?? { useragent: "", crawler: false };
  const json = JSON.stringify(facts);
  const isObject = bytes[from] === openingBrace && bytes[to - 1] === closingBrace;
  const end = isObject ? to - 1 : to;
  const addition = encoder.encode(isObject ? `,"verdict":${json}}` : `\t${json}`);
  output.write(bytes, from, end);
  output.write(addition, 0, addition.length);
  output.write(bytes, to, next);
}
