/** The networks of addresses for commands: the lists of this version, and newer ones that a service keeps. */
import { readNetworkSources } from "../../detect/built-in/networks.ts";
import { createGet } from "../../verify/https-get.ts";
import { createRangeStore } from "../../verify/lists/range-store.ts";
import { createNetworks, type Networks } from "../../verify/networks/networks.ts";
import { createNetworksRefresher } from "../../verify/networks/networks-refresher.ts";

/** Opens the networks with the lists in this folder; reads none from the Internet. */
export async function openNetworks(folder: string): Promise<Networks> {
  const networks = createNetworks(readNetworkSources());
  const store = createRangeStore(folder);
  const options = { get: createGet(), store, now: Date.now, random: Math.random, report: () => {} };
  await createNetworksRefresher(networks, options).adopt();
  return networks;
}
