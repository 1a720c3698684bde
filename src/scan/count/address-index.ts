/** Finds addresses of a log in intervals: plain data, made once for all threads, and a search that reads the bytes of a line. */

import { type Address, isIpv4, toAddress } from "../../address/address.ts";
import { createByteCache } from "../../cache/byte-cache.ts";
import { decodeField } from "../lines/unescape.ts";

/** Intervals in order, which do not overlap. Each has a value, a number of the caller's. */
export interface AddressIntervals {
  readonly ipv4: { readonly starts: Uint32Array; readonly ends: Uint32Array; readonly values: Uint16Array };
  readonly ipv6: readonly { readonly start: Address; readonly end: Address; readonly value: number }[];
}

/** Returns the value of the address in `source[from … to)`; -1 if no interval contains it, and for text that is not an address. */
export type FindAddress = (source: Uint8Array, from: number, to: number) => number;

const dot = 0x2e;
const zero = 0x30;
const colon = 0x3a;
const maxText = 45;

export function createFindAddress({ ipv4, ipv6 }: AddressIntervals): FindAddress {
  const { starts, ends, values } = ipv4;
  // Most addresses of a log are in no interval; their first 16 bits, or the first group of IPv6, say so for nearly all of them.
  const isNear4 = new Uint8Array(65_536);
  const isNear6 = new Uint8Array(65_536);
  for (const [at, start] of starts.entries()) isNear4.fill(1, start >>> 16, (ends[at]! >>> 16) + 1);
  for (const { start, end } of ipv6) isNear6.fill(1, Number(start >> 112n), Number(end >> 112n) + 1);
  // IPv4 addresses may be written as IPv6.
  isNear6[0] = 1;

  const findText = createByteCache(
    (bytes, from, to) => {
      const address = toAddress(decodeField(bytes, from, to, "none"));
      if (address === undefined) return -1;
      if (address >> 32n === 0xffffn) return findIpv4(Number(address & 0xffff_ffffn));
      return ipv6.find(({ start, end }) => address >= start && address <= end)?.value ?? -1;
    },
    8192,
    maxText,
  );

  function findIpv4(address: number): number {
    if (isNear4[address >>> 16] === 0) return -1;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= address) low = middle + 1;
      else high = middle;
    }
    return low > 0 && ends[low - 1]! >= address ? values[low - 1]! : -1;
  }

  return (source, from, to) => {
    const group = firstGroup(source, from, to);
    if (group >= 0) return isNear6[group] === 1 ? findText(source, from, to) : -1;
    const address = readIpv4(source, from, to);
    return address === -1 ? -1 : findIpv4(address);
  };
}

/** Makes the function that says whether an address is in one of the intervals. */
export function createIsIn(intervals: AddressIntervals): (source: Uint8Array, from: number, to: number) => boolean {
  const find = createFindAddress(intervals);
  return (source, from, to) => find(source, from, to) !== -1;
}

/** Makes intervals of others, which are in order. */
export function toIntervals(
  items: readonly { readonly start: Address; readonly end: Address; readonly value: number }[],
): AddressIntervals {
  const ipv4 = items.filter(({ start }) => isIpv4(start));
  const toNumber = (address: Address): number => Number(address & 0xffff_ffffn);
  return {
    ipv4: {
      starts: Uint32Array.from(ipv4, ({ start }) => toNumber(start)),
      ends: Uint32Array.from(ipv4, ({ end }) => toNumber(end)),
      values: Uint16Array.from(ipv4, ({ value }) => value),
    },
    ipv6: items.filter(({ start }) => !isIpv4(start)),
  };
}

/** The first group of an IPv6 address; -1 if this is none. */
function firstGroup(source: Uint8Array, from: number, to: number): number {
  let group = 0;
  for (let at = from; at < to && at <= from + 4; at++) {
    const code = source[at]!;
    if (code === colon) return group;
    const digit = code <= 0x39 ? code - zero : (code | 0x20) - 0x57;
    if (digit < 0 || digit > 15) return -1;
    group = group * 16 + digit;
  }
  return -1;
}

/** As toAddress reads it, but without making a text; -1 if this is none. */
function readIpv4(source: Uint8Array, from: number, to: number): number {
  let address = 0;
  let part = 0;
  let digits = 0;
  let parts = 1;
  for (let at = from; at < to; at++) {
    const digit = source[at]! - zero;
    if (digit >= 0 && digit <= 9) {
      if (digits > 0 && part === 0) return -1;
      part = part * 10 + digit;
      digits++;
      if (part > 255) return -1;
    } else {
      if (source[at] !== dot || digits === 0 || parts === 4) return -1;
      address = address * 256 + part;
      part = 0;
      digits = 0;
      parts++;
    }
  }
  return parts === 4 && digits > 0 ? address * 256 + part : -1;
}
