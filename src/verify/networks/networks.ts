/** Finds the network of an address: in the copies of the providers' lists until newer ones replace them. The refresher of operators' lists keeps them up to date. */

import { toAddress } from "../../address/address.ts";
import type { Prefix } from "../../address/prefix.ts";
import { decodePrefixes } from "../../address/prefix-codec.ts";
import { type PrefixSet, toPrefixSet } from "../../address/prefix-set.ts";
import { createSetTable, type PrefixTable } from "../../address/prefix-table.ts";
import { once } from "../../cache/once.ts";
import { fromBytesText } from "../../detect/text.ts";
import type { Network, NetworkSource } from "../../detect/verification.ts";
import { createRefresher, type Refresher, type RefresherOptions } from "../lists/refresher.ts";
import { readNetworkRanges } from "./parse-network-ranges.ts";

/** A list of one provider. */
export interface NetworkList {
  /** The member `network` of answers; one object until the list is replaced. */
  readonly network: Network;
  /** When it was known to be right, in milliseconds. */
  readonly asOf: number;
  readonly size: number;
  readonly prefixes: PrefixSet;
}

export interface Networks {
  /** The network of an address; undefined for an address in no list, and for text that is no address. */
  find(ip: string): Network | undefined;
  /** The list of a provider, by its id; undefined if there is none yet. */
  list(id: string): NetworkList | undefined;
  replace(id: string, prefixes: readonly Prefix[], asOf: number): void;
  /** Makes the table, so that no request has to wait for it. */
  prepare(): void;
  readonly sources: readonly NetworkSource[];
}

/** Makes the networks of `sources`, which are in the order of precedence. `onUse` is called at the first question. */
export function createNetworks(sources: readonly NetworkSource[], onUse: () => void = () => {}): Networks {
  const newer = new Map<string, NetworkList>();
  const copies = once(() => new Map(sources.flatMap(toCopies)));
  const list = (id: string): NetworkList | undefined => newer.get(id) ?? copies().get(id);
  let current: { readonly table: PrefixTable; readonly networks: readonly Network[] } | undefined;

  function make() {
    const lists = sources.flatMap(({ id }) => list(id) ?? []);
    current = {
      table: createSetTable(lists.map(({ prefixes }) => prefixes)),
      networks: lists.map(({ network }) => network),
    };
    return current;
  }
  const use = once(onUse);

  return {
    find(ip) {
      use();
      const address = toAddress(ip);
      if (address === undefined) return undefined;
      const { table, networks } = current ?? make();
      const at = table.find(address);
      return at === undefined ? undefined : networks[at];
    },
    list,
    replace(id, prefixes, asOf) {
      const source = sources.find((source) => source.id === id);
      if (source === undefined) return;
      newer.set(id, toList(source, toPrefixSet(prefixes), asOf));
      current = undefined;
    },
    prepare() {
      if (current === undefined) make();
    },
    sources,
  };
}

/** iCloud Private Relay's list has a quarter of a million lines. */
const maxBytes = 32_000_000;

/** Makes what keeps the lists up to date: reduced to the fewest prefixes before their growth is judged. */
export function createNetworksRefresher(
  networks: Networks,
  options: Omit<RefresherOptions, "sources" | "lists" | "read" | "maxBytes">,
): Refresher {
  return createRefresher({
    ...options,
    sources: networks.sources.map(({ id, source, format }) => ({ id, ranges: format && [{ url: source, format }] })),
    lists: { find: networks.list, replace: networks.replace, prepare: networks.prepare },
    read: readNetworkRanges,
    maxBytes,
  });
}

/** The copy of a provider's list, if there is one. */
function toCopies(source: NetworkSource): (readonly [id: string, NetworkList])[] {
  const { id, copy } = source;
  if (copy === undefined) return [];
  return [[id, toList(source, decodePrefixes(fromBytesText(copy.prefixes)), Date.parse(copy.asOf))]];
}

function toList({ kind, provider, source }: NetworkSource, prefixes: PrefixSet, asOf: number): NetworkList {
  const network = { kind, provider, source, asOf: new Date(asOf).toISOString() };
  return { network, asOf, size: prefixes.lengths.length, prefixes };
}
