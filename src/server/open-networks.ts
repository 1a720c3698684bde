/** One process's networks of addresses. Their lists are loaded, and from then on kept up to date, at the first question about an address. */
import { join } from "node:path";
import { readNetworkSources } from "../detect/built-in/networks.ts";
import { createGet, type Get } from "../verify/https-get.ts";
import { createRangeStore } from "../verify/lists/range-store.ts";
import { createNetworks, type Networks } from "../verify/networks/networks.ts";
import { createNetworksRefresher } from "../verify/networks/networks-refresher.ts";
import type { ListFigures } from "./observe/snapshot.ts";
import { toWarnings } from "./open-verification.ts";
import type { Configuration } from "./settings/settings.ts";

export interface HostNetworks {
  readonly networks: Networks;
  /** Warnings about the lists; the service answers in spite of them. */
  warnings(): string[];
  /** The figures of the lists that are kept up to date; none before the first question. */
  read(): ListFigures;
  /** Reads no more lists. */
  stop(): void;
}

/** Opens the networks, with lists that all processes of a service share. `report` receives errors. */
export function openNetworks(
  { verifyRefresh, dataFolder }: Configuration,
  report: (text: string) => void,
  get: Get = createGet(),
): HostNetworks {
  let isRefreshing = false;
  const networks = createNetworks(readNetworkSources(), () => {
    if (!verifyRefresh || isStopped) return;
    isRefreshing = true;
    refresher.start();
  });
  const store = createRangeStore(join(dataFolder, "networks"));
  const refresher = createNetworksRefresher(networks, { get, store, now: Date.now, random: Math.random, report });
  let isStopped = false;
  const states = () => (isRefreshing ? refresher.states() : []);
  return {
    networks,
    warnings: () => toWarnings(states()),
    read: () => ({
      ...refresher.counts,
      lists: states().flatMap(({ id, asOf, prefixes }) => (asOf === undefined ? [] : [{ id, asOf, prefixes }])),
    }),
    stop() {
      isStopped = true;
      refresher.stop();
    },
  };
}
