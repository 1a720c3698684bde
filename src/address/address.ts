/**
 * Addresses of the Internet as four 32-bit words. An IPv4 address is its IPv4-mapped IPv6 address, so that each address
 * has one value in any notation.
 */

/** An IPv6 address, or an IPv4-mapped one: four unsigned 32-bit words, the first the most significant. */
export type Address = readonly [number, number, number, number];

/**
 * The address that `text` writes, or undefined. Strict, as RFC 3986 §3.2.2 defines it: no leading zeros, which some programs
 * take for octal, no zones, ports, brackets or blanks, no IPv4 address of fewer than four parts.
 */
export function toAddress(text: string): Address | undefined {
  const ipv4 = toIpv4(text, 0);
  if (ipv4 >= 0) return [0, 0, 0xffff, ipv4];
  return text.length <= 45 && text.includes(":") ? toIpv6(text) : undefined;
}

/** Whether it is an IPv4 address, mapped or not. */
export function isIpv4(address: Address): boolean {
  return address[0] === 0 && address[1] === 0 && address[2] === 0xffff;
}

/** The order of addresses, for sorting: negative if `one` is the lower one. */
export function compareAddresses(one: Address, other: Address): number {
  for (let word = 0; word < 4; word++) if (one[word] !== other[word]) return one[word]! - other[word]!;
  return 0;
}

/** The IPv4 address from `start` to the end of `text` as a number, or -1. One loop without garbage: every Check with an address runs it. */
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

function toIpv6(text: string): Address | undefined {
  const groups: [number, number, number, number, number, number, number, number] = [0, 0, 0, 0, 0, 0, 0, 0];
  let count = 0;
  /** The number of groups before the `::`. */
  let gap = text.startsWith("::") ? 0 : -1;
  for (let at = gap === 0 ? 2 : 0; at < text.length && count < 9; ) {
    const end = endOfHex(text, at);
    if (text.charCodeAt(end) === dot) {
      const ipv4 = toIpv4(text, at);
      if (ipv4 < 0 || count > 6) return undefined;
      groups[count] = ipv4 >>> 16;
      groups[count + 1] = ipv4 & 0xffff;
      count += 2;
      break;
    }
    if (end === at || end - at > 4 || count === 8) return undefined;
    groups[count++] = Number.parseInt(text.slice(at, end), 16);
    if (end === text.length) break;
    if (text.charCodeAt(end) !== colon || end + 1 === text.length) return undefined;
    const isGap = text.charCodeAt(end + 1) === colon;
    if (isGap && gap >= 0) return undefined;
    if (isGap) gap = count;
    at = end + (isGap ? 2 : 1);
  }
  if (gap === -1 ? count !== 8 : count > 7) return undefined;
  if (gap !== -1) groups.copyWithin(8 - (count - gap), gap, count).fill(0, gap, 8 - (count - gap));
  const [a, b, c, d, e, f, g, h] = groups;
  return [a * 65_536 + b, c * 65_536 + d, e * 65_536 + f, g * 65_536 + h];
}

const dot = 0x2e;
const colon = 0x3a;

/** Where the hexadecimal digits end that begin at `from`. */
function endOfHex(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const letter = code | 0x20;
    if (!((code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x66))) break;
  }
  return at;
}

/** The address as RFC 5952 writes it; an IPv4 address with its four parts. */
export function toAddressText(address: Address): string {
  if (isIpv4(address)) return toBytes(address[3]).join(".");
  const groups = address.flatMap((word) => [word >>> 16, word & 0xffff]);
  const text = groups.map((group) => group.toString(16)).join(":");
  const runs = [...text.matchAll(/\b0(?::0\b){1,7}/g)].sort(([one], [other]) => other.length - one.length);
  const [zeros] = runs;
  if (zeros === undefined) return text;
  return `${text.slice(0, zeros.index).replace(/:$/, "")}::${text.slice(zeros.index + zeros[0].length).replace(/^:/, "")}`;
}

/** The client behind an address, as text: a /64 network of IPv6 belongs to one customer, who may use any address in it. */
export function toClient(text: string): string {
  const address = toAddress(text.split("%", 1)[0]!);
  if (address === undefined) return text;
  if (isIpv4(address)) return toAddressText(address);
  return `${toAddressText([address[0], address[1], 0, 0])}/64`;
}

/** The name under which DNS keeps the names of an address (RFC 1035 §3.5, RFC 3596 §2.5). */
export function toReverseName(address: Address): string {
  if (isIpv4(address)) return `${toBytes(address[3]).reverse().join(".")}.in-addr.arpa`;
  const digits = address.map((word) => word.toString(16).padStart(8, "0")).join("");
  return `${[...digits].reverse().join(".")}.ip6.arpa`;
}

function toBytes(word: number): number[] {
  return [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255];
}

/** The address without the port that some proxies add: `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
export function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
}
