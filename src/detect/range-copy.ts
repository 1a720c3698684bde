/**
 * Copies of lists of addresses as text: for each prefix, 128 minus its length, and its distance from the previous prefix, counted in
 * prefixes of its own length. Most distances are small numbers, so a prefix takes about three characters. The list keeps its order.
 */
import type { Prefix } from "../address/prefix.ts";
import { fromBytesText, toBytesText } from "./text.ts";
import type { RangeCopy } from "./verification.ts";

/** Writes the copy of a list; `asOf` is its date. */
export function toRangeCopy(asOf: string, prefixes: readonly Prefix[]): RangeCopy {
  const bytes: number[] = [];
  let previous = 0n;
  for (const { address, length } of prefixes) {
    const bits = 128 - length;
    bytes.push(bits);
    const distance = (address >> BigInt(bits)) - (previous >> BigInt(bits));
    // The lowest bit is the sign.
    let rest = distance < 0n ? -distance * 2n - 1n : distance * 2n;
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
    previous = address;
  }
  return { asOf, size: prefixes.length, prefixes: toBytesText(Uint8Array.from(bytes)) };
}

/** Reads the prefixes of a copy, one at a time: networks have 20,000. */
export function* readRangeCopy(copy: RangeCopy): Generator<Prefix, void> {
  const bytes = fromBytesText(copy.prefixes);
  let address = 0n;
  for (let at = 0; at < bytes.length; ) {
    const bits = bytes[at++]!;
    let distance = 0n;
    let byte: number;
    let bit = 0n;
    do {
      byte = bytes[at++]!;
      distance |= BigInt(byte & 127) << bit;
      bit += 7n;
    } while (byte > 127);
    const steps = (distance & 1n) === 0n ? distance >> 1n : -((distance + 1n) >> 1n);
    address = ((address >> BigInt(bits)) + steps) << BigInt(bits);
    yield { address, length: 128 - bits };
  }
}
