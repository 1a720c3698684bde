/** Reads the record of crawlers, for pages that omit it if it fails or takes long. */
import { within } from "../../http/within.ts";
import type { Sighting } from "../../record/store.ts";
import type { TrafficHour } from "../../record/traffic.ts";
import type { Html } from "../../text/html.ts";
import type { RecordView } from "../traffic/record-view.ts";
import { toIntervals } from "../traffic/traffic-figures.ts";
import type { SeenHere } from "./crawler-page.ts";

const maxWaitMs = 1000;
const shownStrings = 10;

/** The crawlers by name; undefined for visitors who may not see them, and without the record. */
export async function readSightings(
  record: RecordView | undefined,
): Promise<ReadonlyMap<string, Sighting> | undefined> {
  return orUndefined(record?.sightings());
}

/** The same for one crawler, with its strings and its chart. */
export async function readSeen(
  record: RecordView | undefined,
  name: string,
  sightings: Sighting | undefined,
): Promise<SeenHere> {
  // The record has no strings of crawlers that were not seen, and a search takes time.
  const strings = sightings === undefined ? undefined : await orUndefined(record?.stringsOf(name));
  const hours = sightings?.lastHour === undefined ? undefined : await orUndefined(record?.hoursOf(name));
  const chart = hours && (await drawVisits(name, hours));
  return { sightings, strings: (strings ?? []).slice(0, shownStrings).map(({ useragent }) => useragent), chart };
}

/** The chart's scales are loaded at the first use. */
async function drawVisits(name: string, hours: readonly TrafficHour[]): Promise<Html> {
  const { timeChart } = await import("../../scan/report/time-chart.ts");
  return timeChart(toIntervals("month", Date.now(), hours), { crawler: name });
}

/** The result if it is found within a second. */
async function orUndefined<Value>(found: Promise<Value> | undefined): Promise<Value | undefined> {
  try {
    return await (found && within(found, maxWaitMs, () => undefined));
  } catch {
    return undefined;
  }
}
