/**
 * Finds the network of an address: in the copies of the providers' lists until newer ones replace them. The refresher of operators' lists
 * keeps them up to date.
 */

import { type Address, toAddress } from "../../address/address.ts";
import type { Prefix } from "../../address/prefix.ts";
import { PrefixTable } from "../../address/prefix-table.ts";
import { once } from "../../cache/once.ts";
import { readRangeCopy } from "../../detect/range-copy.ts";
import type { Network, NetworkSource } from "../../detect/verification.ts";
import { networkRules } from "../lists/parse-ranges.ts";
import { RangeList } from "../lists/range-list.ts";
import { Refresher, type RefresherOptions } from "../lists/refresher.ts";

/** A prefix of a provider's list. */
export interface NetworkPrefix extends Prefix {
  /** The member `network` of answers; one object until the list is replaced. */
  readonly network: Network;
}

export interface Networks {
  /** The network of an address; undefined for an address in no list, and for text that is no address. */
  find(ip: string): Network | undefined;
  /** The prefixes around an address, at most one of each list. The first is of the network that `find` returns. */
  findAll(address: Address): readonly NetworkPrefix[];
  /** The CDN that has an address, by lists of any age; not a question for which lists are downloaded. */
  findCdn(address: Address): NetworkSource | undefined;
  /** The list of a provider, by its id; undefined if there is none yet. */
  list(id: string): RangeList<NetworkPrefix> | undefined;
  replace(id: string, prefixes: readonly Prefix[], asOf: number): void;
  /** Reads the copies and makes the table in steps, so that no request has to wait for it. */
  prepare(): Generator<undefined, void>;
  readonly sources: readonly NetworkSource[];
}

/** So many prefixes of a copy are read in a step. */
const stepPrefixes = 2048;

/** Makes the networks of `sources`, which are in the order of precedence. `onUse` is called at the first question. */
export function createNetworks(sources: readonly NetworkSource[], onUse: () => void = () => {}): Networks {
  const lists = new Map<string, RangeList<NetworkPrefix>>();
  let current: PrefixTable<NetworkPrefix> | undefined;
  let replaced = 0;
  const use = once(onUse);
  const cdns = sources.filter(({ kind }) => kind === "cdn");

  const steps = (function* readCopies(): Generator<undefined, void> {
    for (const source of sources) {
      if (source.copy === undefined) continue;
      const prefixes: Prefix[] = [];
      for (const prefix of readRangeCopy(source.copy)) if (prefixes.push(prefix) % stepPrefixes === 0) yield;
      if (!lists.has(source.id)) lists.set(source.id, toList(source, prefixes, Date.parse(source.copy.asOf)));
    }
  })();

  function list(id: string): RangeList<NetworkPrefix> | undefined {
    // What is left of them, at once.
    for (const _ of steps);
    return lists.get(id);
  }

  function table(): PrefixTable<NetworkPrefix> {
    // The last of equal prefixes is found first.
    current ??= new PrefixTable(prefixes());
    return current;
  }

  const prefixes = () => sources.toReversed().flatMap(({ id }) => list(id)?.prefixes ?? []);

  return {
    find(ip) {
      use();
      const address = toAddress(ip);
      return address === undefined ? undefined : table().find(address)?.network;
    },
    findAll(address) {
      use();
      return table().findAll(address);
    },
    findCdn: (address) => cdns.find(({ id }) => list(id)?.table.find(address) !== undefined),
    list,
    replace(id, prefixes, asOf) {
      const source = sources.find((source) => source.id === id);
      if (source === undefined) return;
      lists.set(id, toList(source, prefixes, asOf));
      current = undefined;
      replaced++;
    },
    *prepare() {
      // A question meanwhile reads the rest of them at once.
      while (!steps.next().done) yield;
      while (current === undefined) {
        const before = replaced;
        const table = yield* PrefixTable.inSteps(prefixes());
        if (replaced === before) current = table;
      }
    },
    sources,
  };
}

function toList({ kind, provider, source }: NetworkSource, prefixes: readonly Prefix[], asOf: number) {
  const network = { kind, provider, source, asOf: new Date(asOf).toISOString() };
  const items = prefixes.map(({ address, length }) => ({ address, length, network }));
  return new RangeList<NetworkPrefix>(asOf, items.length, () => items);
}

/** iCloud Private Relay's list has a quarter of a million lines. */
const maxBytes = 32_000_000;

/** Makes what keeps the lists up to date: reduced to the fewest prefixes before their growth is judged. */
export function createNetworksRefresher(
  networks: Networks,
  options: Omit<RefresherOptions, "sources" | "lists" | "rules" | "maxBytes">,
): Refresher {
  return new Refresher({
    ...options,
    sources: networks.sources.map(({ id, source: url, format, at }) => ({
      id,
      ranges: format && [{ url, format, at }],
    })),
    lists: { find: networks.list, replace: networks.replace, prepare: networks.prepare },
    rules: networkRules,
    maxBytes,
  });
}
