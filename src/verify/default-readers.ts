/** What reads evidence with the data of this package and the network that the runtime has. A module of its own: it is loaded at the first question. */

import { readNetworkSources } from "../detect/built-in/networks.ts";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { createGet } from "./https-get.ts";
import type { Refresher } from "./lists/refresher.ts";
import { createNetworks } from "./networks/networks.ts";
import { createNetworksRefresher } from "./networks/networks-refresher.ts";
import { createRefreshingVerifier, openRangeStore, type RefreshingVerifierOptions } from "./refreshing-verifier.ts";
import { createSignals } from "./signals/signals.ts";
import type { EvidenceReaders } from "./verify-verdict.ts";

export interface DefaultReaders extends EvidenceReaders {
  /** Of the operators' lists. */
  readonly refresher: Refresher;
  readonly networksRefresher: Refresher;
}

export interface DefaultReadersOptions extends Omit<RefreshingVerifierOptions, "store"> {
  /** A service's data folder, whose lists of operators are used where they are newer. */
  readonly dataFolder?: string | undefined;
  /** Whether nothing is written to the folder. */
  readonly isReadOnly?: boolean;
}

/** Makes the readers, with the newest lists of the package and the data folder. */
export async function openDefaultReaders(
  catalogue: CompiledCatalogue,
  { dataFolder, isReadOnly = false, ...options }: DefaultReadersOptions,
): Promise<DefaultReaders> {
  const store = openRangeStore(dataFolder, { isReadOnly });
  const { verifier, refresher } = createRefreshingVerifier(catalogue.verification, { ...options, store });
  const networks = createNetworks(readNetworkSources());
  const networksStore = openRangeStore(dataFolder, { isReadOnly, subfolder: "networks" });
  const { now = Date.now, get = createGet(), random = Math.random, report } = options;
  const networksRefresher = createNetworksRefresher(networks, { get, store: networksStore, now, random, report });
  if (dataFolder !== undefined) await Promise.all([refresher.adopt(), networksRefresher.adopt()]);
  return { verifier, refresher, networks, networksRefresher, signals: createSignals(catalogue) };
}
