/**
 * Forward-confirmed reverse DNS: the name of an address must be one of the operator's names, and must resolve back to the
 * address, for anyone may give their own addresses any name. Asks through a resolver; lookups.ts does the caching.
 */
import { type Address, isIpv4, toAddress, toReverseName } from "../../address/address.ts";

/** Asks DNS. An empty list means that DNS has answered that there is nothing; everything else that goes wrong rejects. */
export interface Resolver {
  /** Names of an address, given its name below in-addr.arpa or ip6.arpa. */
  names(reverseName: string): Promise<readonly string[]>;
  addresses(name: string, family: 4 | 6): Promise<readonly string[]>;
  /** Whether DNS knows a domain at all. */
  exists(domain: string): Promise<boolean>;
}

/** The names that an operator's addresses have, as in a proof of verification.yaml. */
export interface OperatorNames {
  /** Domains, and patterns with one `*`. */
  readonly dns: readonly string[];
  readonly domains?: readonly string[] | undefined;
}

/**
 * - confirmed: `name` is one of the names and resolves to the address
 * - other: `name` is below one of the further domains and resolves to the address
 * - contradicted: `name` is one of these, but resolves to other addresses, or to none
 * - absent: no name of the address is one of these
 */
export type NameCheck =
  | { readonly result: "confirmed" | "other" | "contradicted"; readonly name: string }
  | { readonly result: "absent"; readonly name: string | undefined };

/** How many of an operator's names are resolved: more would let the owner of one address ask for many lookups. */
const maxNames = 4;

/** Checks the names of an address against an operator's; rejects if DNS cannot be queried, in which case nothing is known. */
export async function checkNames(address: Address, names: OperatorNames, resolver: Resolver): Promise<NameCheck> {
  const found = (await resolver.names(toReverseName(address))).map(withoutDot);
  const isCrawlers = (name: string): boolean => names.dns.some((pattern) => isNamed(name, pattern));
  const isOperators = (name: string): boolean => names.domains?.some((domain) => isNamed(name, domain)) ?? false;
  // The crawler's names first: they decide.
  const candidates = [...found.filter(isCrawlers), ...found.filter((name) => !isCrawlers(name) && isOperators(name))];
  for (const name of candidates.slice(0, maxNames)) {
    const addresses = await resolver.addresses(name, isIpv4(address) ? 4 : 6);
    if (addresses.some((text) => toAddress(text) === address))
      return { result: isCrawlers(name) ? "confirmed" : "other", name };
  }
  const [name] = candidates;
  if (name !== undefined) return { result: "contradicted", name };
  await refuseBlindResolver(names, resolver);
  return { result: "absent", name: found[0] };
}

/** A resolver that cannot resolve even the operator's domain, as in an isolated network, proves nothing about its addresses. */
async function refuseBlindResolver({ dns }: OperatorNames, resolver: Resolver): Promise<void> {
  const domains = dns.map(domainOf);
  for (const domain of domains) if (await resolver.exists(domain)) return;
  throw new Error(`the resolver does not know ${domains[0]}`);
}

/** The part of a pattern after the label with `*`. */
function domainOf(pattern: string): string {
  const star = pattern.lastIndexOf("*");
  return star === -1 ? pattern : pattern.slice(pattern.indexOf(".", star) + 1);
}

/**
 * Whether a name fits: a domain fits itself and all names below, compared by labels (`notgoogle.com` is not below `google.com`); in
 * `crawl-*.googlebot.com`, `*` is one or more characters of one label.
 */
export function isNamed(name: string, pattern: string): boolean {
  const plain = withoutDot(name).toLowerCase();
  const star = pattern.indexOf("*");
  if (star < 0) return plain === pattern || plain.endsWith(`.${pattern}`);
  const end = pattern.slice(star + 1);
  if (!plain.startsWith(pattern.slice(0, star)) || !plain.endsWith(end)) return false;
  const part = plain.slice(star, plain.length - end.length);
  return part !== "" && !part.includes(".");
}

function withoutDot(name: string): string {
  return name.replace(/\.$/, "");
}
