/** The traffic page's access to the record, and its visibility. Queries that scan the record run at most every ten seconds. */

import { LRUCache } from "lru-cache";
import { authorizationOf } from "../../pages/traffic/traffic-routes.ts";
import type { Sightings, TrafficSource } from "../../pages/traffic-source.ts";
import type { UserAgentRecord } from "../../record/record.ts";
import type { RecordedString, RecordQuery } from "../../record/store.ts";
import { hourMs, type TrafficHour, trafficKeptMs } from "../../record/traffic.ts";
import { readNews } from "../../record/traffic-news.ts";
import { createIsForwardedTls } from "../listen/client-address.ts";
import type { Configuration } from "../settings/settings.ts";
import { createAuthorizer } from "../tokens.ts";

const keptMs = 10_000;
/** New crawlers and spikes read the whole record and eight days of hours. */
const newsKeptMs = 60_000;
const maxAnswers = 50;
/** Strings that contain a name may have another: of so many the ones with that name are shown. */
const searchedStrings = 50;

/**
 * Makes the source; undefined if evaluated strings are not shown. `hasEntry`: whether the catalogue has an entry for a name; without one,
 * hours do not have it.
 */
export function createTrafficSource(
  record: UserAgentRecord,
  configuration: Configuration,
  hasEntry: (name: string) => boolean,
  news: TrafficSource["news"] = createNews(record),
): TrafficSource | undefined {
  const { listEvaluated, tokens, listTokens, hstsMs, trustProxy } = configuration;
  if (listEvaluated === "none") return undefined;
  const needed = listEvaluated === "token" && listTokens.length > 0 ? listTokens : [...tokens, ...listTokens];
  const isShown = createAuthorizer(needed);
  const hasSignIn = listEvaluated === "token" || tokens.length > 0;
  const isForwardedTls = createIsForwardedTls(trustProxy);
  const strings = remember(async (query: RecordQuery) => {
    for await (const page of record.list(query)) return page.map(toSeen);
    return [];
  });
  const sightings = remember(async (sinceMs: number) => {
    const counted = toSightings(await record.traffic(sinceMs));
    const others = (await record.newCrawlers(0)).filter(({ name }) => !hasEntry(name));
    return new Map([...counted, ...others.map(({ name, count }) => [name, { count, hours: [] }] as const)]);
  });
  return {
    now: Date.now,
    hasSignIn,
    mayRead: (context) => !hasSignIn || isShown(authorizationOf(context)),
    usesTls: ({ request }) => hstsMs !== undefined || isForwardedTls(request),
    hours: (sinceMs) => record.traffic(sinceMs),
    dropped: () => record.status().dropped,
    frequent: (limit) => strings({ order: "count", limit }),
    async fresh(sinceMs, limit) {
      const newest = await strings({ order: "first-seen", crawler: true, limit });
      return newest.filter(({ firstSeen }) => Date.parse(firstSeen) >= sinceMs);
    },
    news,
    sightings: () => sightings(Math.floor((Date.now() - trafficKeptMs) / hourMs) * hourMs),
    async stringsOf(name) {
      const found = await strings({ q: name, crawler: true, order: "count", limit: searchedStrings });
      return found.filter((string) => string.name === name);
    },
  };
}

/** Makes the function that reads new crawlers and spikes, for the page and the metrics. */
export function createNews(record: Pick<UserAgentRecord, "traffic" | "newCrawlers">): TrafficSource["news"] {
  const news = remember(() => readNews(record, Date.now()), newsKeptMs);
  return () => news(undefined);
}

function toSeen({ useragent, crawler, name, count, firstSeen }: RecordedString) {
  return { useragent, crawler, name, count, firstSeen: new Date(firstSeen).toISOString() };
}

/** Hours are in order, the oldest first. */
function toSightings(hours: readonly TrafficHour[]): Map<string, Sightings> {
  const sightings = new Map<string, { count: number; readonly hours: [hour: number, count: number][] }>();
  for (const { hour, names } of hours) {
    for (const [name, count] of Object.entries(names)) {
      if (name === "") continue;
      const seen = sightings.get(name) ?? { count: 0, hours: [] };
      seen.count += count;
      seen.hours.push([hour, count]);
      sightings.set(name, seen);
    }
  }
  return sightings;
}

/** Gives answers again for a while; a failure is not kept. */
function remember<Question, Answer>(ask: (question: Question) => Promise<Answer>, answersKeptMs = keptMs): typeof ask {
  const answers = new LRUCache<string, Promise<Answer>>({ max: maxAnswers, ttl: answersKeptMs });
  return (question) => {
    const key = JSON.stringify(question) ?? "";
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = ask(question);
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    return answer;
  };
}
