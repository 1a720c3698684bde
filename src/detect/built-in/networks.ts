/** The networks that this package knows. A module of its own, because few programs load it. */
import { networkSources } from "../../generated/networks.ts";
import type { NetworkSource } from "../verification.ts";

/** The providers with the copies of their lists, in the order of precedence. */
export function readNetworkSources(): readonly NetworkSource[] {
  return JSON.parse(networkSources) as NetworkSource[];
}
