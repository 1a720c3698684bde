/** The chart of requests over time: crawlers below, people above, as SVG without scripts. */
import { scaleLinear, scaleUtc } from "d3-scale";
import { area, curveStepAfter } from "d3-shape";
import { type Html, html } from "../../markup/html.ts";
import type { TimeReport } from "./report.ts";

interface Point {
  readonly at: number;
  readonly crawlers: number;
  readonly all: number;
}

const height = 240;
const margin = { top: 8, right: 8, bottom: 24, left: 52 } as const;
const short = new Intl.NumberFormat("en", { notation: "compact" });

/** A chart of `width` units, which are pixels where there is room for it. */
export function timeChart(times: readonly TimeReport[], width: number): Html {
  const points = toPoints(times);
  const x = scaleUtc([points[0]?.at ?? 0, points.at(-1)?.at ?? 1], [margin.left, width - margin.right]);
  const y = scaleLinear([0, Math.max(1, ...points.map(({ all }) => all))], [height - margin.bottom, margin.top]).nice(
    4,
  );
  const shape = (from: (point: Point) => number, to: (point: Point) => number): string =>
    area<Point>()
      .x(({ at }) => x(at))
      .y0((point) => y(from(point)))
      .y1((point) => y(to(point)))
      .curve(curveStepAfter)
      .digits(1)(points) ?? "";
  const isLong = (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0) > 3 * 86_400_000;
  const format = x.tickFormat(10, isLong ? "%d %b" : "%H:%M");
  // A label at the edge would be cut.
  const ticks = x.ticks(width / 110).filter((tick) => x(tick) < width - 30);
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Requests over time, by crawlers and by people">
    ${y.ticks(4).map(
      (
        tick,
      ) => html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${y(tick)}" y2="${y(tick)}"/>
    <text class="end" x="${margin.left - 8}" y="${y(tick) + 4}">${short.format(tick)}</text>`,
    )}
    <path class="people" d="${shape(
      ({ crawlers }) => crawlers,
      ({ all }) => all,
    )}"/>
    <path class="crawlers" d="${shape(
      () => 0,
      ({ crawlers }) => crawlers,
    )}"/>
    ${ticks.map((tick) => html`<text class="middle" x="${x(tick)}" y="${height - 6}">${format(tick)}</text>`)}
  </svg>`;
}

/** Where intervals are missing there were no requests; the last point is where the last interval ends. */
function toPoints(times: readonly TimeReport[]): readonly Point[] {
  const points: Point[] = [];
  for (const [index, { from, seconds, requests, crawlerRequests }] of times.entries()) {
    const at = Date.parse(from);
    const end = at + seconds * 1000;
    points.push({ at, crawlers: crawlerRequests, all: requests });
    const next = times[index + 1];
    if (next === undefined) points.push({ at: end, crawlers: crawlerRequests, all: requests });
    else if (Date.parse(next.from) > end) points.push({ at: end, crawlers: 0, all: 0 });
  }
  return points;
}
