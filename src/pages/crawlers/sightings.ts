/** Reads the record of crawlers, for pages that omit it if it fails or takes long. */
import type { RequestContext } from "../../http/context.ts";
import type { Html } from "../../text/html.ts";
import { toIntervals } from "../traffic/traffic-figures.ts";
import type { Sightings, TrafficSource } from "../traffic-source.ts";
import type { SeenHere } from "./crawler-page.ts";

const longestWaitMs = 1000;
const shownStrings = 10;

/** The crawlers by name; undefined for visitors who may not see them, and without the record. */
export async function readSightings(
  traffic: TrafficSource | undefined,
  context: RequestContext,
): Promise<ReadonlyMap<string, Sightings> | undefined> {
  return traffic?.mayRead(context) ? orUndefined(traffic.sightings()) : undefined;
}

/** The same of one crawler, with its strings and its chart. */
export async function readSeen(
  traffic: TrafficSource | undefined,
  name: string,
  sightings: Sightings | undefined,
): Promise<SeenHere> {
  // The record has no strings of crawlers that were not seen, and a search takes time.
  const strings = sightings === undefined ? undefined : await orUndefined(traffic?.stringsOf(name));
  const chart = traffic && sightings?.hours.length ? await drawVisits(name, sightings, traffic.now()) : undefined;
  return { sightings, strings: (strings ?? []).slice(0, shownStrings).map(({ useragent }) => useragent), chart };
}

/** The chart's scales are loaded at the first use. */
async function drawVisits(name: string, { hours }: Sightings, nowMs: number): Promise<Html> {
  const { timeCharts } = await import("../../scan/report/time-chart.ts");
  const visits = hours.map(([hour, count]) => ({ hour, crawlers: count, people: 0 }));
  return timeCharts(toIntervals("month", nowMs, visits), { crawler: name });
}

/** The result if it is found within a second. */
async function orUndefined<Value>(found: Promise<Value> | undefined): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), longestWaitMs);
  });
  try {
    return await Promise.race([found, tooLate]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
