/** Which addresses are on the public Internet: only from there can a crawler come, and only there may keys be fetched. */
import { type Address, isIpv4 } from "./address.ts";
import { type Prefix, toPrefix } from "./prefix.ts";
import { createLengthTable, type PrefixTable } from "./prefix-table.ts";

/** Not globally reachable, by the registries of special-purpose addresses (RFC 6890 and its updates), and multicast. */
const special = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];

/** Of IPv6 only this is given to networks; within it, these are for tunnels, documentation and the like. */
const global = "2000::/3";
const specialGlobal = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const globalLength = 3;

const table = (prefixes: readonly string[]): PrefixTable => createLengthTable(prefixes.map((text) => toPrefix(text)!));
const specialTable = table([...special, ...specialGlobal]);
const globalTable = table([global]);

/** Whether an address can be reached from anywhere on the Internet. */
export function isPublic(address: Address): boolean {
  return specialTable.find(address) === undefined && (isIpv4(address) || globalTable.find(address) !== undefined);
}

/** Whether a prefix has no address that can be reached from anywhere on the Internet. */
export function isWithoutPublic({ address, length }: Prefix): boolean {
  const special = specialTable.find(address);
  if (special !== undefined) return special <= length;
  return !isIpv4(address) && length >= globalLength && globalTable.find(address) === undefined;
}

/** Shorter prefixes hold more of the Internet than any operator's crawlers have: a list with one is wrong or forged. */
const shortestIpv4 = 96 + 10;
const shortestIpv6 = 24;

/** Whether a prefix is wider than the addresses of any crawler. A private network may be 10.0.0.0/8 or fc00::/7. */
export function isTooWide({ address, length }: Prefix): boolean {
  if (isPublic(address)) return length < (isIpv4(address) ? shortestIpv4 : shortestIpv6);
  // Below ::/32 are all addresses of IPv4.
  return length < (address[0] === 0 ? 96 + 8 : 7);
}
