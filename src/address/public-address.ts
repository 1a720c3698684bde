/** Which addresses are on the public Internet: crawlers can come only from these, and keys may be fetched only from these. */
import { type Address, isIpv4 } from "./address.ts";
import { isWithin, type Prefix, toPrefix } from "./prefix.ts";
import { PrefixTable } from "./prefix-table.ts";

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

/** The only IPv6 block that is assigned to networks; the prefixes below are reserved in it for tunnels, documentation and the like. */
const global = "2000::/3";
const specialGlobal = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const specialPrefixes = [...special, ...specialGlobal].map((text) => toPrefix(text)!);
const specialTable = new PrefixTable(specialPrefixes);
const globalTable = new PrefixTable([toPrefix(global)!]);

/** Whether an address can be reached from anywhere on the Internet. */
export function isPublic(address: Address): boolean {
  return specialTable.find(address) === undefined && (isIpv4(address) || globalTable.find(address) !== undefined);
}

/**
 * The length of the widest prefixes that a list may have. Shorter ones contain more of the Internet than any publisher owns, so the list
 * must be wrong or forged.
 */
export interface Widest {
  readonly ipv4: number;
  readonly ipv6: number;
}

const widestOfCrawlers: Widest = { ipv4: 96 + 10, ipv6: 24 };

/** Whether all addresses of a prefix, the first of which is not public, are not. */
function isPrivate({ address, length }: Prefix): boolean {
  if (specialTable.find(address) === undefined) return true;
  return specialPrefixes.some((prefix) => prefix.length <= length && isWithin(address, prefix));
}

/** Whether a prefix is wider than the addresses of any crawler, or than `widest`. A private network may be 10.0.0.0/8 or fc00::/7. */
export function isTooWide({ address, length }: Prefix, widest = widestOfCrawlers): boolean {
  if (isPublic(address) || !isPrivate({ address, length }))
    return length < (isIpv4(address) ? widest.ipv4 : widest.ipv6);
  // Below ::/32 are all addresses of IPv4.
  return length < (address >> 96n === 0n ? 96 + 8 : 7);
}
