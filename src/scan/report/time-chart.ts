/**
 * The chart of requests over time: a bar an interval, crawlers below, people above, as SVG without scripts. The pages that show
 * it style its classes.
 */
import { scaleLinear, scaleUtc } from "d3-scale";
import { type Html, html, toVisibleText } from "../../text/html.ts";
import { type Bar, type Interval, joinIntervals, toLabel } from "./join-intervals.ts";
import { toCount, toRequests } from "./report-text.ts";

const height = 240;
const margin = { top: 26, right: 8, bottom: 24, left: 44 } as const;
const short = new Intl.NumberFormat("en", { notation: "compact" });

/**
 * Bars and the gaps between them can be distinguished down to the first width, in pixels; bars wider than the second would look like
 * blocks.
 */
const minStep = 6.75;
const widestBar = 40;
const widths = { wide: 820, medium: 600, narrow: 306 };
const dayMs = 86_400_000;

export interface ChartOptions {
  /** The name of the crawler of which all requests are. */
  readonly crawler?: string;
  /** The zone of the labels. Default: UTC. */
  readonly timezone?: string;
  /**
   * The crawler with the most requests in a period, in seconds since 1970 as clocks of the zone show them: the tallest bars are named after
   * theirs.
   */
  readonly authorOf?: (
    from: number,
    seconds: number,
  ) => { readonly name: string; readonly requests: number } | undefined;
}

/** The legend, and a chart each for the classes `wide`, `medium` and `narrow`: the page shows one, not below its own size. */
export function timeCharts(times: readonly Interval[], options: ChartOptions = {}): Html {
  const { crawler } = options;
  const mark = (kind: string): Html =>
    html`<svg viewBox="0 0 10 10" aria-hidden="true"><rect class="${kind}" width="10" height="10"/></svg>`;
  const legend = html`<div class="legend"><span>${mark("crawlers")}Crawlers</span><span>${mark("people")}People</span></div>`;
  return html`${crawler === undefined && legend}
${Object.entries(widths).map(([name, width]) => html`<div class="${name}">${timeChart(times, width, options)}</div>`)}`;
}

/** A chart of `width` units, which are pixels where there is room for it. */
export function timeChart(times: readonly Interval[], width: number, options: ChartOptions = {}): Html {
  const { crawler, timezone = "UTC", authorOf = () => undefined } = options;
  const room = width - margin.left - margin.right;
  const { seconds, bars } = joinIntervals(times, Math.floor(room / minStep), timezone);
  const start = bars[0]?.from ?? 0;
  const end = (bars.at(-1)?.from ?? 0) + seconds * 1000;
  const x = scaleUtc([start, end], [margin.left, width - margin.right]);
  const y = scaleLinear([0, Math.max(1, ...bars.map(({ all }) => all))], [height - margin.bottom, margin.top]).nice(4);
  const step = x(start + seconds * 1000) - x(start);
  const barWidth = Math.min(widestBar, step * 0.8);
  const path = (fromOf: (bar: Bar) => number, toOf: (bar: Bar) => number): string =>
    bars
      .filter((bar) => toOf(bar) > fromOf(bar))
      .map((bar) => {
        const left = x(bar.from) + (step - barWidth) / 2;
        const bottom = y(fromOf(bar));
        // Keeps small values visible.
        const top = Math.min(y(toOf(bar)), bottom - 1);
        return `M${left.toFixed(1)} ${bottom.toFixed(1)}V${top.toFixed(1)}h${barWidth.toFixed(1)}V${bottom.toFixed(1)}z`;
      })
      .join("");
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Requests over time, by ${crawler ?? "crawlers and by people"}">
    <text x="0" y="12">Requests per ${intervalName(seconds)}, times in ${timezone}</text>
    ${y
      .ticks(4)
      .filter(Number.isInteger)
      .map(
        (
          tick,
        ) => html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${y(tick)}" y2="${y(tick)}"/>
    <text class="end" x="${margin.left - 8}" y="${y(tick) + 4}">${short.format(tick)}</text>`,
      )}
    <path class="people" d="${path(
      ({ crawlers }) => crawlers,
      ({ all }) => all,
    )}"/>
    <path class="crawlers" d="${path(
      () => 0,
      ({ crawlers }) => crawlers,
    )}"/>
    ${bars.map(
      ({ from, crawlers, all }) =>
        html`<rect class="column" x="${x(from).toFixed(1)}" y="${margin.top}" width="${step.toFixed(1)}" height="${height - margin.top - margin.bottom}"><title>${toLabel(from, seconds)}: ${crawler === undefined ? `${toCount(crawlers)} by crawlers, ${toCount(all - crawlers)} by people` : toRequests(crawlers)}${busiestCrawler(authorOf(from / 1000, seconds)?.name)}</title></rect>`,
    )}
    ${namesOf(bars, seconds, width, authorOf).map(
      ({ from, all, name }) =>
        html`<text class="middle" x="${(x(from) + step / 2).toFixed(1)}" y="${(y(all) - 5).toFixed(1)}">${toVisibleText(name)}</text>`,
    )}
    ${ticksOf(x, end - start, width).map(
      ({ at, text }) => html`<text class="middle" x="${x(at).toFixed(1)}" y="${height - 6}">${text}</text>`,
    )}
  </svg>`;
}

function busiestCrawler(name: string | undefined): Html | string {
  return name === undefined ? "" : html`, most by ${toVisibleText(name)}`;
}

/** How many bars are named, from which multiple of the median bar, and how many pixels a name needs. */
const namedBars = 3;
const tallFactor = 2;
const nameWidth = 110;

/** The tallest bars, by their crawlers, that one crawler makes for the most part. */
function namesOf(
  bars: readonly Bar[],
  seconds: number,
  width: number,
  authorOf: NonNullable<ChartOptions["authorOf"]>,
): readonly (Bar & { readonly name: string })[] {
  const ranked = bars.toSorted((one, other) => other.crawlers - one.crawlers);
  const median = ranked[ranked.length >> 1]?.crawlers ?? 0;
  const spanMs = (bars.at(-1)?.from ?? 0) - (bars[0]?.from ?? 0) + 1000 * seconds;
  const named: (Bar & { name: string })[] = [];
  for (const bar of ranked) {
    if (named.length === namedBars || bar.crawlers < tallFactor * median) break;
    const isFree = named.every(({ from }) => (Math.abs(from - bar.from) / spanMs) * width > nameWidth);
    const author = authorOf(bar.from / 1000, seconds);
    if (isFree && author !== undefined && author.requests > bar.crawlers / 2) named.push({ ...bar, name: author.name });
  }
  return named;
}

/** Clock times within two days, else days, else months; a label at an edge would be cut. */
function ticksOf(
  x: ReturnType<typeof scaleUtc<number>>,
  spanMs: number,
  width: number,
): readonly { at: Date; text: string }[] {
  const clock = x.tickFormat(0, "%H:%M");
  const day = x.tickFormat(0, "%d %b");
  const month = x.tickFormat(0, "%b %Y");
  const isMidnight = (at: Date): boolean => at.getTime() % dayMs === 0;
  return x
    .ticks(width / 110)
    .filter(
      (at) =>
        x(at) > margin.left - 20 &&
        x(at) < width - 30 &&
        (spanMs <= 2 * dayMs || isMidnight(at)) &&
        at.getTime() % 60_000 === 0,
    )
    .map((at) => ({ at, text: (spanMs > 300 * dayMs ? month : isMidnight(at) ? day : clock)(at) }));
}

function intervalName(seconds: number): string {
  const [unit, length] = seconds >= 86_400 ? ["day", 86_400] : seconds >= 3600 ? ["hour", 3600] : ["minute", 60];
  const count = seconds / (length as number);
  return count === 1 ? String(unit) : `${count} ${unit}s`;
}
