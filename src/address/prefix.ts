/** Prefixes: blocks of addresses, as operators publish them. */
import { type Address, isIpv4, toAddress, toAddressText } from "./address.ts";

/** The addresses that share their first `length` bits with `address`; an IPv4 prefix counts the 96 bits before it, too. */
export interface Prefix {
  readonly address: Address;
  readonly length: number;
}

/** The prefix that `text` writes, such as `192.0.2.0/24` or a single address; bits behind its length are cleared. */
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

/** The address with all bits behind the first `length` cleared. */
export function maskAddress(address: Address, length: number): Address {
  const mask = (at: number): number => {
    const bits = length - at * 32;
    if (bits >= 32) return address[at]!;
    return bits <= 0 ? 0 : (address[at]! & (-1 << (32 - bits))) >>> 0;
  };
  return [mask(0), mask(1), mask(2), mask(3)];
}

/** As it is written: `192.0.2.0/24`, `2001:db8::/32`. */
export function toPrefixText({ address, length }: Prefix): string {
  const isMapped = isIpv4(address) && length >= 96;
  return `${toAddressText(address)}/${isMapped ? length - 96 : length}`;
}
