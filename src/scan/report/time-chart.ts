/**
 * The chart of requests over time: a bar an interval, crawlers below, people above, as SVG without scripts. The pages that show
 * it style its classes.
 */
import { scaleLinear, scaleUtc } from "d3-scale";
import { type Html, html, toVisible, toVisibleText } from "../../text/html.ts";
import { type Bar, type Interval, joinIntervals, toLabel } from "./join-intervals.ts";
import { toCount, toRequests } from "./report-text.ts";

/** The plot, in pixels: its height, and where it begins below the marks of tall bars. Its width is that of the page. */
const height = 190;
const top = 20;
const labelsBelow = 22;
/** Units of the width of the plot. */
const width = 1000;
const short = new Intl.NumberFormat("en", { notation: "compact" });

/** The days of a quarter: on a phone, bars and the gaps between them can still be distinguished. */
const maxBars = 92;
/** Wider bars would look like blocks. */
const widestBar = width / 20;
const dayMs = 86_400_000;

export interface ChartOptions {
  /** The name of the crawler of which all requests are. */
  readonly crawler?: string;
  /** The zone whose clocks show the times. Default: UTC. */
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

/** The legend, and the chart in the class `plot`, as wide as the page: bars are stretched, texts are not. */
export function timeChart(times: readonly Interval[], options: ChartOptions = {}): Html {
  const { crawler, timezone = "UTC", authorOf = () => undefined } = options;
  const { seconds, bars } = joinIntervals(times, maxBars);
  const start = bars[0]?.from ?? 0;
  const end = (bars.at(-1)?.from ?? 0) + seconds * 1000;
  const x = scaleUtc([start, end], [0, width]);
  const y = scaleLinear([0, Math.max(1, ...bars.map(({ all }) => all))], [height, 0]).nice(4);
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
  const named = namesOf(bars, seconds, authorOf);
  const key = (kind: string, text: string): Html =>
    html`<span><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="${kind}" width="10" height="10"/></svg>${text}</span>`;
  return html`<div class="legend"><span>Requests per ${intervalName(seconds)}, times in ${timezone}</span>${crawler === undefined && html`${key("crawlers", "Crawlers")}${key("people", "People")}`}${named.map(({ name }, at) => html`<span>${at + 1}: ${toVisible(name)}</span>`)}</div>
<div class="plot"><svg height="${top + height + labelsBelow}" role="img" aria-label="Requests over time, by ${crawler ?? "crawlers and by people"}">
    ${y
      .ticks(4)
      .filter(Number.isInteger)
      .map((tick) => ({ tick, at: (top + y(tick)).toFixed(1) }))
      .map(
        ({ tick, at }) => html`<line class="grid" x2="100%" y1="${at}" y2="${at}"/>
    <text class="end" x="-8" y="${at}" dy="4">${short.format(tick)}</text>`,
      )}
    <svg y="${top}" height="${height}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">
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
        html`<rect class="column" x="${x(from).toFixed(1)}" width="${step.toFixed(1)}" height="${height}"><title>${toLabel(from, seconds)}: ${crawler === undefined ? `${toCount(crawlers)} by crawlers, ${toCount(all - crawlers)} by people` : toRequests(crawlers)}${busiestCrawler(authorOf(from / 1000, seconds)?.name)}</title></rect>`,
    )}
    </svg>
    ${named.map(({ from }, at) => html`<text class="middle" x="${toPercent(x(from) + step / 2)}" y="${top - 6}">${at + 1}</text>`)}
    ${ticksOf(x, end - start).map(
      ({ at, text }, index) =>
        html`<text class="middle${index % 2 === 1 && " more"}" x="${toPercent(x(at))}" y="${top + height + labelsBelow - 2}">${text}</text>`,
    )}
  </svg></div>`;
}

/** A place in the plot: texts keep their size, so they are not in the part that is stretched. */
function toPercent(x: number): string {
  return `${((100 * x) / width).toFixed(1)}%`;
}

function busiestCrawler(name: string | undefined): Html | string {
  return name === undefined ? "" : html`, most by ${toVisibleText(name)}`;
}

/** How many bars are named, from which multiple of the median bar, and which part of the width keeps their marks apart on a phone. */
const namedBars = 3;
const tallFactor = 2;
const markDistance = 0.05;

/** The tallest bars, by their crawlers, that one crawler makes for the most part; in the order of time. */
function namesOf(
  bars: readonly Bar[],
  seconds: number,
  authorOf: NonNullable<ChartOptions["authorOf"]>,
): readonly (Bar & { readonly name: string })[] {
  const ranked = bars.toSorted((one, other) => other.crawlers - one.crawlers);
  const median = ranked[ranked.length >> 1]?.crawlers ?? 0;
  const spanMs = (bars.at(-1)?.from ?? 0) - (bars[0]?.from ?? 0) + 1000 * seconds;
  const named: (Bar & { name: string })[] = [];
  for (const bar of ranked) {
    if (named.length === namedBars || bar.crawlers < tallFactor * median) break;
    const isFree = named.every(({ from }) => Math.abs(from - bar.from) / spanMs > markDistance);
    const author = authorOf(bar.from / 1000, seconds);
    if (isFree && author !== undefined && author.requests > bar.crawlers / 2) named.push({ ...bar, name: author.name });
  }
  return named.sort((one, other) => one.from - other.from);
}

/** Clock times within two days, else days, else months; a label at the right edge would be cut. */
function ticksOf(x: ReturnType<typeof scaleUtc<number>>, spanMs: number): readonly { at: Date; text: string }[] {
  const clock = x.tickFormat(0, "%H:%M");
  const day = x.tickFormat(0, "%d %b");
  const month = x.tickFormat(0, "%b %Y");
  const isMidnight = (at: Date): boolean => at.getTime() % dayMs === 0;
  return x
    .ticks(6)
    .filter((at) => x(at) < 0.96 * width && (spanMs <= 2 * dayMs || isMidnight(at)) && at.getTime() % 60_000 === 0)
    .map((at) => ({ at, text: (spanMs > 300 * dayMs ? month : isMidnight(at) ? day : clock)(at) }));
}

function intervalName(seconds: number): string {
  const [unit, length] = seconds >= 86_400 ? ["day", 86_400] : seconds >= 3600 ? ["hour", 3600] : ["minute", 60];
  const count = seconds / (length as number);
  return count === 1 ? String(unit) : `${count} ${unit}s`;
}
