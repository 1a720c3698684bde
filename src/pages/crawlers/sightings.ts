/** Reads the record of crawlers, for pages that omit it if it fails or takes long. */
import { within } from "../../http/within.ts";
import type { Html } from "../../text/html.ts";
import type { RecordView, Sightings } from "../traffic/record-view.ts";
import { toIntervals } from "../traffic/traffic-figures.ts";
import type { SeenHere } from "./crawler-page.ts";

const maxWaitMs = 1000;
const shownStrings = 10;

/** The crawlers by name; undefined for visitors who may not see them, and without the record. */
export async function readSightings(
  record: RecordView | undefined,
): Promise<ReadonlyMap<string, Sightings> | undefined> {
  return orUndefined(record?.sightings());
}

/** The same for one crawler, with its strings and its chart. */
export async function readSeen(
  record: RecordView | undefined,
  name: string,
  sightings: Sightings | undefined,
): Promise<SeenHere> {
  // The record has no strings of crawlers that were not seen, and a search takes time.
  const strings = sightings === undefined ? undefined : await orUndefined(record?.stringsOf(name));
  const chart = sightings?.hours.length ? await drawVisits(name, sightings) : undefined;
  return { sightings, strings: (strings ?? []).slice(0, shownStrings).map(({ useragent }) => useragent), chart };
}

/** The chart's scales are loaded at the first use. */
async function drawVisits(name: string, { hours }: Sightings): Promise<Html> {
  const { timeChart } = await import("../../scan/report/time-chart.ts");
  const visits = hours.map(([hour, count]) => ({ hour, crawlers: count, people: 0 }));
  return timeChart(toIntervals("month", Date.now(), visits), { crawler: name });
}

/** The result if it is found within a second. */
async function orUndefined<Value>(found: Promise<Value> | undefined): Promise<Value | undefined> {
  try {
    return await (found && within(found, maxWaitMs, () => undefined));
  } catch {
    return undefined;
  }
}
