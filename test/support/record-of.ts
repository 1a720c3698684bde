/** A record that has the given news, for pages that show it. */
import { hourMs, type TrafficHour, toHour } from "../../src/record/traffic.ts";
import type { TrafficNews } from "../../src/record/traffic-news.ts";
import type { RecordKeeper } from "../../src/service.ts";

const hourOf = (hour: number, names: Readonly<Record<string, number>>): TrafficHour => ({
  ...{ hour, crawlers: 3, people: 1, names },
  ...{ categories: {}, purposes: {}, operators: {}, verifications: {} },
});

/** Makes the record. Its spikes are in the hours that they have, which are of the last 24. */
export function recordOf({ isKnown, newCrawlers, spikes }: TrafficNews, dropped = 0): RecordKeeper {
  const namesOf = (count: "requests" | "before") =>
    Object.fromEntries(spikes.map((spike) => [spike.name, spike[count]]));
  const now = toHour(Date.now());
  const hours = [
    ...(isKnown ? [hourOf(now - 72 * hourMs, namesOf("before"))] : []),
    hourOf(spikes[0]?.hour ?? now, namesOf("requests")),
  ];
  return {
    note() {},
    async *list() {},
    status: () => ({ dropped }),
    traffic: async (sinceMs) => hours.filter(({ hour }) => hour >= sinceMs),
    newCrawlers: async () => newCrawlers,
  };
}
