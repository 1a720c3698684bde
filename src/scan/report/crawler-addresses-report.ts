/** The requests with people's strings from addresses of crawlers: who publishes the addresses, and what was requested with which strings. */
import type { CrawlerAddress } from "../../detect/verification.ts";
import { type AddressUse, topTexts } from "../count/crawler-addresses.ts";
import { toIso } from "./report-text.ts";

/** A list, and the requests from its addresses. Times are ISO 8601, absent if the log has none. */
export interface CrawlerAddressReport extends CrawlerAddress {
  readonly requests: number;
  readonly bytes: number;
  readonly first?: string;
  readonly last?: string;
  /** The ten most requested paths, and the ten most frequent strings. */
  readonly paths: readonly { readonly path: string; readonly requests: number }[];
  readonly useragents: readonly { readonly useragent: string; readonly requests: number }[];
  /** Present if there were more than 10,000 different paths or strings: the most requested ones may be missing. */
  readonly incomplete?: true;
}

const shown = 10;

/** The lists from whose addresses there were requests, the most requests first. */
export function toCrawlerAddressReports(uses: readonly AddressUse[]): readonly CrawlerAddressReport[] {
  return uses
    .filter(({ requests }) => requests > 0)
    .sort((one, other) => other.requests - one.requests || (one.list.source < other.list.source ? -1 : 1))
    .map(({ list, requests, bytes, first, last, paths, useragents }) => ({
      ...list,
      requests,
      bytes,
      ...(first <= last && { first: toIso(first), last: toIso(last) }),
      paths: topTexts(paths, shown).map(({ text, requests }) => ({ path: text, requests })),
      useragents: topTexts(useragents, shown).map(({ text, requests }) => ({ useragent: text, requests })),
      ...((paths.has("") || useragents.has("")) && { incomplete: true as const }),
    }));
}
