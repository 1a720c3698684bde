/** A record that has the given news, for pages that show it. */
import { hourMs, toHour, toTrafficSums } from "../../src/record/traffic.ts";
import type { TrafficNews } from "../../src/record/traffic-news.ts";
import type { RecordKeeper } from "../../src/service.ts";

/** Makes the record. Its spikes are in the hours that they have, which are of the last 24. */
export function recordOf(news: TrafficNews, dropped = 0): RecordKeeper {
  const { isKnown, newCrawlers, spikes } = news;
  const now = toHour(Date.now());
  const hours = [...(isKnown ? [now - 72 * hourMs] : []), spikes[0]?.hour ?? now];
  const names = (sinceMs: number) =>
    spikes.map(({ name, hour, requests, before }) => ({
      name,
      count: requests + (isKnown && sinceMs <= now - 72 * hourMs ? before : 0),
      lastHour: hour,
    }));
  return {
    note() {},
    async *list() {},
    status: () => ({ dropped }),
    traffic: {
      sums: async (sinceMs) =>
        toTrafficSums([
          ...hours
            .filter((hour) => hour >= sinceMs)
            .flatMap((hour) => [
              { hour, dimension: "crawler" as const, value: "true", count: 3 },
              { hour, dimension: "crawler" as const, value: "false", count: 1 },
            ]),
          ...names(sinceMs).map(({ name, count }) => ({
            ...{ hour: sinceMs, dimension: "name" as const, value: name, count },
          })),
        ]),
      sightings: async () => [...names(0), ...newCrawlers.map(({ name, count }) => ({ name, count }))],
      hoursOf: async (name) =>
        spikes
          .filter((spike) => spike.name === name)
          .map(({ hour, requests }) => ({ hour, crawlers: requests, people: 0 })),
      news: async () => news,
    },
  };
}
