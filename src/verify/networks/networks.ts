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
import { inSlices } from "../../http/event-loop-turns.ts";
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
  /** Reads the copies and makes the table in steps. */
  prepare(): Generator<undefined, void>;
  /** The same, while others are served: wait for it before `find` and `findAll`. Undefined if all is there already. */
  open(): Promise<void> | undefined;
  readonly sources: readonly NetworkSource[];
}

/** Makes the networks of `sources`, which are in the order of precedence. `onUse` is called at the first question. */
export function createNetworks(sources: readonly NetworkSource[], onUse: () => void = () => {}): Networks {
  const lists = new Map<string, RangeList<NetworkPrefix>>();
  for (const source of sources) {
    const { id, copy } = source;
    if (copy !== undefined)
      lists.set(
        id,
        toList(source, copy.size, Date.parse(copy.asOf), () => readRangeCopy(copy)),
      );
  }
  let current: PrefixTable<NetworkPrefix> | undefined;
  let replaced = 0;
  let opening: Promise<void> | undefined;
  const use = once(onUse);
  const cdns = sources.filter(({ kind }) => kind === "cdn");

  // The last of equal prefixes is found first.
  const inPrecedence = () => sources.toReversed().flatMap(({ id }) => lists.get(id) ?? []);

  function table(): PrefixTable<NetworkPrefix> {
    current ??= new PrefixTable(inPrecedence().flatMap(({ prefixes }) => prefixes));
    return current;
  }

  function* prepare(): Generator<undefined, void> {
    while (current === undefined) {
      const before = replaced;
      const prefixes: NetworkPrefix[] = [];
      for (const list of inPrecedence()) for (const prefix of yield* list.readInSteps()) prefixes.push(prefix);
      const table = yield* PrefixTable.inSteps(prefixes);
      if (replaced === before) current = table;
    }
  }

  return {
    open() {
      if (current !== undefined) return undefined;
      opening ??= inSlices(prepare()).finally(() => {
        opening = undefined;
      });
      return opening;
    },
    find(ip) {
      use();
      const address = toAddress(ip);
      return address === undefined ? undefined : table().find(address)?.network;
    },
    findAll(address) {
      use();
      return table().findAll(address);
    },
    findCdn: (address) => cdns.find(({ id }) => lists.get(id)?.table.find(address) !== undefined),
    list: (id) => lists.get(id),
    replace(id, prefixes, asOf) {
      const source = sources.find((source) => source.id === id);
      if (source === undefined) return;
      lists.set(
        id,
        toList(source, prefixes.length, asOf, () => prefixes),
      );
      current = undefined;
      replaced++;
    },
    prepare,
    sources,
  };
}

function toList(
  { kind, provider, source }: NetworkSource,
  size: number,
  asOf: number,
  read: () => Iterable<Prefix>,
): RangeList<NetworkPrefix> {
  const network = { kind, provider, source, asOf: new Date(asOf).toISOString() };
  return new RangeList<NetworkPrefix>(asOf, size, function* () {
    for (const { address, length } of read()) yield { address, length, network };
  });
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
