/**
 * Forward-confirmed reverse DNS: the name of an address must end with a domain of the operator, and must resolve back to the
 * address, for anyone may give their own addresses any name. Asks through a resolver; remembering is lookups.ts's work.
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

/**
 * - confirmed: `name` ends with one of the domains and resolves to the address
 * - contradicted: `name` ends with one of the domains, but resolves to other addresses, or to none
 * - absent: no name of the address ends with one of the domains
 */
export type NameCheck =
  | { readonly result: "confirmed"; readonly name: string }
  | { readonly result: "contradicted"; readonly name: string }
  | { readonly result: "absent"; readonly name: string | undefined };

/** Names an address may have: more would let the owner of one address ask for many lookups. */
const mostNames = 4;

/** Checks the names of an address against domains; rejects if DNS cannot be asked, so that nothing is known. */
export async function checkNames(address: Address, domains: readonly string[], resolver: Resolver): Promise<NameCheck> {
  const names = (await resolver.names(toReverseName(address))).slice(0, mostNames);
  const candidates = names.filter((name) => domains.some((domain) => isWithin(name, domain)));
  for (const name of candidates) {
    const found = await resolver.addresses(withoutDot(name), isIpv4(address) ? 4 : 6);
    if (found.some((text) => isSame(toAddress(text), address))) return { result: "confirmed", name: withoutDot(name) };
  }
  const [name] = candidates;
  if (name !== undefined) return { result: "contradicted", name: withoutDot(name) };
  await refuseBlindResolver(domains, resolver);
  return { result: "absent", name: names[0] === undefined ? undefined : withoutDot(names[0]) };
}

/** A resolver that cannot resolve the operator's domain, as in a closed network, proves nothing about its addresses. */
async function refuseBlindResolver(domains: readonly string[], resolver: Resolver): Promise<void> {
  for (const domain of domains) if (await resolver.exists(domain)) return;
  throw new Error(`the resolver does not know ${domains[0]}`);
}

/** Whether `name` is `domain` or below it, compared by labels: `notgoogle.com` is not within `google.com`. */
export function isWithin(name: string, domain: string): boolean {
  const plain = withoutDot(name).toLowerCase();
  return plain === domain || plain.endsWith(`.${domain}`);
}

function withoutDot(name: string): string {
  return name.replace(/\.$/, "");
}

function isSame(one: Address | undefined, other: Address): boolean {
  return one?.every((word, at) => word === other[at]) ?? false;
}
