/** The providers of networks that this package knows, with the copies of their lists. A module of its own, so that it is loaded only if networks are used. */
import { networkSources as text } from "../../generated/networks.ts";
import type { RangeFormat } from "../../detect/verification.ts";
import type { NetworkKind } from "../../detect/network.ts";

/** A provider's list: an item of `data/networks.yaml`. */
export interface NetworkSource {
  readonly id: string;
  readonly provider: string;
  readonly kind: NetworkKind;
  /** The address of the list; without `format`, of the page that documents it. */
  readonly source: string;
  /** Absent if the list has no stable address: its copy comes with releases. */
  readonly format?: RangeFormat | undefined;
  /** The copy of this version; `prefixes` are those of encodePrefixes as text. */
  readonly copy?: { readonly asOf: string; readonly prefixes: string } | undefined;
}

/** The providers, in the order of precedence. */
export function readNetworkSources(): readonly NetworkSource[] {
  return JSON.parse(text) as NetworkSource[];
}
