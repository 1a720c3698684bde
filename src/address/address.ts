/**
 * Addresses of the Internet as 128-bit numbers. An IPv4 address is its IPv4-mapped IPv6 address, so that each address has one
 * value in any notation.
 */

/** An IPv6 address, or an IPv4-mapped one. */
export type Address = bigint;

/**
 * Parses `text`; returns undefined if it is not an address. Strict, as RFC 3986 §3.2.2 defines it: no leading zeros, which some programs
 * take for octal, no zones, ports, brackets or blanks, no IPv4 address of fewer than four parts.
 */
export function toAddress(text: string): Address | undefined {
  const ipv4 = toIpv4(text, 0);
  if (ipv4 >= 0) return firstIpv4 | BigInt(ipv4);
  return text.length <= 45 && text.includes(":") ? toIpv6(text) : undefined;
}

/** ::ffff:0.0.0.0 */
const firstIpv4 = 0xffff_0000_0000n;

/** Whether it is an IPv4 address, mapped or not. */
export function isIpv4(address: Address): boolean {
  return address >> 32n === 0xffffn;
}

/**
 * The IPv4 address from `start` to the end of `text` as a number, or -1. A single loop without allocations, because every Check with an
 * address runs it.
 */
function toIpv4(text: string, start: number): number {
  let value = 0;
  let part = 0;
  let digits = 0;
  let parts = 1;
  for (let at = start; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) {
      if (digits > 0 && part === 0) return -1;
      part = part * 10 + digit;
      digits++;
      if (part > 255) return -1;
    } else {
      if (digit !== -2 || digits === 0 || parts === 4) return -1;
      value = value * 256 + part;
      part = 0;
      digits = 0;
      parts++;
    }
  }
  return parts === 4 && digits > 0 ? value * 256 + part : -1;
}

/** Also a single loop: BigInt parses digits ten times slower. */
function toIpv6(text: string): Address | undefined {
  const groups = [0, 0, 0, 0, 0, 0, 0, 0];
  let count = 0;
  /** The number of groups before the `::`. */
  let gap = -1;
  let value = 0;
  let digits = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? colon : text.charCodeAt(at);
    if (code === dot) {
      const ipv4 = toIpv4(text, at - digits);
      if (ipv4 < 0 || count > 6) return undefined;
      groups[count++] = ipv4 >>> 16;
      groups[count++] = ipv4 & 0xffff;
      break;
    }
    if (code !== colon) {
      const digit = toDigit(code);
      if (digit === -1 || digits === 4 || count === 8) return undefined;
      value = value * 16 + digit;
      digits++;
    } else if (digits > 0) {
      groups[count++] = value;
      value = 0;
      digits = 0;
    } else if (at === text.length) {
      // The text ends with a colon, which is valid only as the second one of `::`.
      if (gap !== count) return undefined;
    } else if (at > 0) {
      if (gap !== -1) return undefined;
      gap = count;
    } else if (text.charCodeAt(1) !== colon) return undefined;
  }
  if (gap === -1 ? count !== 8 : count === 8) return undefined;
  if (gap !== -1) groups.copyWithin(8 - count + gap, gap, count).fill(0, gap, 8 - count + gap);
  const [a, b, c, d, e, f, g, h] = groups as [number, number, number, number, number, number, number, number];
  // A number holds three groups.
  return (BigInt(toNumber(a, b, c)) << 80n) | (BigInt(toNumber(d, e, f)) << 32n) | BigInt(toNumber(0, g, h));
}

const dot = 0x2e;
const colon = 0x3a;

/** The value of a hexadecimal digit, or -1. */
function toDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function toNumber(high: number, middle: number, low: number): number {
  return (high * 65_536 + middle) * 65_536 + low;
}

/** The address as RFC 5952 writes it; an IPv4 address with its four parts. */
export function toAddressText(address: Address): string {
  if (isIpv4(address)) return toBytes(address).join(".");
  const groups = toHex(address)
    .match(/.{4}/g)!
    .map((group) => Number.parseInt(group, 16).toString(16));
  const text = groups.join(":");
  const runs = [...text.matchAll(/\b0(?::0\b){1,7}/g)].sort(([one], [other]) => other.length - one.length);
  const [zeros] = runs;
  if (zeros === undefined) return text;
  return `${text.slice(0, zeros.index).replace(/:$/, "")}::${text.slice(zeros.index + zeros[0].length).replace(/^:/, "")}`;
}

/** The client behind an address, as text: a /64 network of IPv6 belongs to one customer, who may use any address in it. */
export function toClient(text: string): string {
  const address = toAddress(text.split("%", 1)[0]!);
  if (address === undefined) return text;
  return isIpv4(address) ? toAddressText(address) : `${toAddressText((address >> 64n) << 64n)}/64`;
}

/** The domain name for the reverse lookup of an address (RFC 1035 §3.5, RFC 3596 §2.5). */
export function toReverseName(address: Address): string {
  if (isIpv4(address)) return `${toBytes(address).reverse().join(".")}.in-addr.arpa`;
  return `${[...toHex(address)].reverse().join(".")}.ip6.arpa`;
}

/** The four parts of an IPv4 address. */
function toBytes(address: Address): number[] {
  const word = Number(address & 0xffff_ffffn);
  return [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255];
}

/** All 32 hexadecimal digits. */
function toHex(address: Address): string {
  return address.toString(16).padStart(32, "0");
}

/** The address without the port that some proxies add: `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
export function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
}
