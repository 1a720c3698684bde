/** Keeps the lists of networks up to date, as those of crawlers' operators: with lists reduced to the fewest prefixes before their growth is judged. */
import { createRefresher, type Refresher, type RefresherOptions } from "../lists/refresher.ts";
import type { Networks } from "./networks.ts";
import { readNetworkRanges } from "./parse-network-ranges.ts";

/** iCloud Private Relay's list has a quarter of a million lines. */
const maxBytes = 32_000_000;

export function createNetworksRefresher(
  networks: Networks,
  options: Pick<RefresherOptions, "get" | "store" | "now" | "random" | "report">,
): Refresher {
  return createRefresher({
    ...options,
    sources: networks.sources.map(({ id, source, format }) => ({
      id,
      ranges: format && [{ url: source, format }],
    })),
    lists: { find: networks.list, replace: networks.replace, prepare: networks.prepare },
    read: readNetworkRanges,
    maxBytes,
  });
}
