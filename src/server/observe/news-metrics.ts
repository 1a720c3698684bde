/** The metrics of new crawlers and spikes, which the process that answers a scrape reads from the record. */
import { categories } from "../../detect/categories.ts";
import { hourMs, toHour } from "../../record/traffic.ts";
import { dayMs, type TrafficNews } from "../../record/traffic-news.ts";
import type { MetricsPage } from "../../service/options.ts";
import { gauge, toMetricsText } from "./metrics-text.ts";

/** A scrape waits so long for the record; then it has the last figures that are known. */
const waitMs = 1000;

/** Makes the function that adds the metrics to a page. Without any figures yet, a page stays as it is. */
export function createNewsMetrics(news: () => Promise<TrafficNews>): (page: MetricsPage) => Promise<MetricsPage> {
  let known: TrafficNews | undefined;
  return async (page) => {
    const reading = news().then(
      (read) => {
        known = read;
      },
      // The metrics of the record say that it fails.
      () => {},
    );
    await Promise.race([reading, new Promise<void>((resolve) => void setTimeout(resolve, waitMs).unref())]);
    return known === undefined ? page : { ...page, text: `${page.text}\n${toNewsText(known, Date.now())}` };
  };
}

function toNewsText({ newCrawlers, spikes }: TrafficNews, now: number): string {
  // Known figures may be old.
  const fresh = newCrawlers.filter(({ firstSeen }) => firstSeen >= now - dayMs);
  const since = toHour(now) - hourMs;
  return toMetricsText([
    gauge(
      "whocrawls_new_crawlers",
      "Crawlers that the record has first seen within 24 hours; 0 in the first 24 hours of the record.",
      categories.map((wanted) => [{ category: wanted }, fresh.filter(({ category }) => category === wanted).length]),
    ),
    gauge(
      "whocrawls_spikes",
      "Crawlers that request far more in this hour or the last one than in any hour of the seven days before.",
      spikes.filter(({ hour }) => hour >= since).length,
    ),
  ]);
}
