/** Prefixes: blocks of addresses, as operators publish them; and the fewest prefixes that cover the same addresses. */
import { type Address, isIpv4, toAddress, toAddressText } from "./address.ts";
import { sortInSteps, stepItems } from "./lists-in-steps.ts";

/** The addresses that share their first `length` bits with `address`; an IPv4 prefix counts the 96 bits before it, too. */
export interface Prefix {
  readonly address: Address;
  readonly length: number;
}

/** Parses a prefix, such as `192.0.2.0/24` or a single address; clears the bits after its length. */
export function toPrefix(text: string): Prefix | undefined {
  const slash = text.indexOf("/");
  const address = toAddress(slash === -1 ? text : text.slice(0, slash));
  if (address === undefined) return undefined;
  if (slash === -1) return { address, length: 128 };
  const digits = text.slice(slash + 1);
  const length = Number(digits) + (text.includes(":") ? 0 : 96);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(digits) || length > 128) return undefined;
  return { address: maskAddress(address, length), length };
}

/** For each length, a mask of the bits after it. */
export const lowBits: readonly bigint[] = Array.from({ length: 129 }, (_, length) => (1n << BigInt(128 - length)) - 1n);

/** The address with all bits after the first `length` cleared. */
export function maskAddress(address: Address, length: number): Address {
  return address - (address & lowBits[length]!);
}

/** As it is written: `192.0.2.0/24`, `2001:db8::/32`. */
export function toPrefixText({ address, length }: Prefix): string {
  const isMapped = isIpv4(address) && length >= 96;
  return `${toAddressText(address)}/${isMapped ? length - 96 : length}`;
}

/** Whether a prefix contains an address. */
export function isWithin(address: Address, prefix: Prefix): boolean {
  return (address ^ prefix.address) <= lowBits[prefix.length]!;
}

/** Compares prefixes for sorting: by first address, then shorter prefixes first. */
export function comparePrefixes(one: Prefix, other: Prefix): number {
  if (one.address === other.address) return one.length - other.length;
  return one.address < other.address ? -1 : 1;
}

/** The fewest prefixes that cover the same addresses, in order: without prefixes within others, and with halves joined. In steps. */
export function* mergePrefixes(prefixes: readonly Prefix[]): Generator<undefined, Prefix[]> {
  const fewest: Prefix[] = [];
  let count = 0;
  for (const prefix of yield* sortInSteps(prefixes, comparePrefixes)) {
    if (++count % stepItems === 0) yield;
    const before = fewest.at(-1);
    if (before !== undefined && isWithin(prefix.address, before)) continue;
    fewest.push(prefix);
    while (areHalves(fewest.at(-2), fewest.at(-1))) {
      const { address, length } = fewest.at(-2)!;
      fewest.splice(-2, 2, { address, length: length - 1 });
    }
  }
  return fewest;
}

/** Whether the two are the halves of one prefix. */
function areHalves(lower: Prefix | undefined, upper: Prefix | undefined): boolean {
  if (lower === undefined || lower.length !== upper?.length || lower.length === 0) return false;
  // The lower half begins where the whole begins.
  const whole = { address: maskAddress(lower.address, lower.length - 1), length: lower.length - 1 };
  return whole.address === lower.address && isWithin(upper.address, whole);
}
