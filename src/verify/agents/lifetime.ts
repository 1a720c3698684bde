/** How long a fetched document is used: as long as its Cache-Control says, within limits. */
import type { Document } from "../https-get.ts";

const minuteMs = 60_000;
/** At least, at most, and where the document does not say. */
const freshMs = { least: 5 * minuteMs, most: 1440 * minuteMs, default: 60 * minuteMs };

/** While a document cannot be fetched, the last one is used for so long after its end. */
export const staleMs = 1440 * minuteMs;
/** An address is fetched at most so often: also after a failure. */
export const betweenMs = minuteMs;
/** Of each fetch. */
export const fetchLimits = { timeoutMs: 5000, maxBytes: 65_536, maxRedirects: 0 };

export function lifetimeMs(document: Document): number {
  const seconds = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(document.header("cache-control") ?? "")?.[1];
  const asked = seconds === undefined ? freshMs.default : Number(seconds) * 1000;
  return Math.min(Math.max(asked, freshMs.least), freshMs.most);
}
