/** Writes combined logs of people's sessions, and of fleets among them, the same at every run. */
import { createRequire } from "node:module";
import { createRandom } from "../support/random-numbers.ts";

export interface Site {
  /** Whether the log has the requests of images, styles and scripts. */
  readonly hasAssets?: boolean;
  /** The share of sessions that come from a page that says so. */
  readonly fromPages?: number;
  /** Whether browsers send the site's own pages as referrers. */
  readonly hasOwnReferrers?: boolean;
  /** Pages of a session, at most. */
  readonly pages?: number;
  /** The share of requests that come from another address than the one before, as carriers' gateways do. */
  readonly moves?: number;
  /** The share of sessions from the twenty addresses of offices. */
  readonly offices?: number;
  /** The share of sessions with everything in the browser's cache. */
  readonly cached?: number;
  readonly days?: number;
  /** Whether visitors live in all time zones. */
  readonly isGlobal?: boolean;
  /** Whether pages are data that one page fetches. */
  readonly isApplication?: boolean;
}

export interface FleetPlan {
  readonly useragent: string;
  readonly requests: number;
  /** The part of the log during which it is active, from 0 to 1. */
  readonly from?: number;
  readonly to?: number;
}

/** People's strings. */
export const peoplesStrings = createRequire(import.meta.url)("top-user-agents") as readonly string[];

/** Twenty strings that no person of these logs has. */
export const fleetStrings: readonly string[] = Array.from({ length: 20 }, (_, at) =>
  at % 3 === 0
    ? `Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:${90 + at}.0) Gecko/20100101 Firefox/${90 + at}.0`
    : `Mozilla/5.0 (Windows NT 6.1; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${70 + at}.0.${3000 + at}.77 Safari/537.36`,
);

const start = Date.UTC(2026, 4, 1) / 1000;
const day = 86_400;

/** Writes about `lines` lines by people and the fleets' lines, in the order of time. */
export function writeFleetLog(lines: number, site: Site, fleets: readonly FleetPlan[] = [], seed = 7): string {
  const random = createRandom(seed);
  const { hasAssets = true, fromPages = 0.5, hasOwnReferrers = true, pages = 6, days = 3 } = site;
  const { moves = 0.05, offices = 0.1, cached = 0.2, isGlobal = true, isApplication = false } = site;
  const pick = <T>(items: readonly T[]): T => items[Math.floor((items.length + 1) ** random()) - 1] as T;
  const address = (): string =>
    random() < 0.2
      ? `2001:db8:${Math.floor(random() * 65_536).toString(16)}::${Math.floor(random() * 65_536).toString(16)}`
      : `${1 + Math.floor(random() * 222)}.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`;
  const written: { readonly at: number; readonly text: string }[] = [];
  const write = (at: number, from: string, path: string, referrer: string, useragent: string): void => {
    if (at >= start + days * day) return;
    const time = new Date(at * 1000).toISOString();
    const clock = `${time.slice(8, 10)}/May/2026:${time.slice(11, 19)} +0000`;
    written.push({ at, text: `${from} - - [${clock}] "GET ${path} HTTP/1.1" 200 1000 "${referrer}" "${useragent}"\n` });
  };
  while (written.length < lines) {
    const useragent = pick(peoplesStrings);
    // People sleep: few sessions begin in the night of their time zone.
    const at = start + Math.floor(random() * days * day);
    const hour = (at / 3600 + (isGlobal ? 24 * random() : 8)) % 24;
    if (hour < 7 && random() < 0.9) continue;
    let from = random() < offices ? `198.51.100.${Math.floor(random() * 20)}` : address();
    const isCached = random() < cached;
    let referrer = random() < fromPages ? pick(["https://www.google.com/", "https://news.example/list"]) : "-";
    for (let page = 0, clock = at; page < 1 + Math.floor(random() ** 2 * pages); page++, clock += 20 + random() * 60) {
      if (random() < moves) from = address();
      const path = isApplication
        ? `/api/items/${Math.floor(random() * 5000)}?v=1.js`
        : `/articles/${Math.floor(random() * 5000)}`;
      write(clock, from, path, referrer, useragent);
      const own = hasOwnReferrers ? `https://www.site.example${path}` : "-";
      if (hasAssets && !isCached)
        for (let asset = 0; asset < (page === 0 ? 8 : 2); asset++)
          write(
            clock + 1,
            from,
            pick(["/static/site.css?v=3", "/static/app.JS", "/img/a.webp", "/favicon.ico"]),
            own,
            useragent,
          );
      referrer = own;
    }
  }
  for (const { useragent, requests, from = 0, to = 1 } of fleets)
    for (let request = 0; request < requests; request++)
      write(
        start + (from + random() * (to - from)) * days * day,
        address(),
        `/articles/${Math.floor(random() * 5000)}`,
        random() < 0.01 ? "https://www.google.com/" : "-",
        useragent,
      );
  return written
    .sort((one, other) => one.at - other.at)
    .map(({ text }) => text)
    .join("");
}
