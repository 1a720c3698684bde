/** The chart of `/traffic`. Chart and tables are updated while the page is visible. */
// First: uPlot reads the language when it is loaded.
import "./locale.ts";
import UPlot from "uplot";
import { afterPause, find } from "./dom.ts";
import { locale } from "./locale.ts";

/** Start of the hour in milliseconds, requests of crawlers, requests of people. */
type Hour = readonly [hour: number, crawlers: number, people: number];

const hourMs = 3_600_000;
const hoursOf: Readonly<Record<string, number>> = { day: 24, week: 168, month: 840 };

const hourFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const dayFormat = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
const timeFormat = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });

const place = find<HTMLElement>("#chart");
const live = find<HTMLElement>("#live");
const period = place.dataset.period ?? "day";
let hours = parseHours(place);

const chart = new UPlot(
  {
    width: place.clientWidth,
    height: 260,
    cursor: { points: { show: false } },
    legend: { live: true },
    hooks: { setLegend: [showLast] },
    scales: { x: { time: true }, y: { range: (_chart, _min, max) => [0, Math.max(max * 1.05, 5)] } },
    axes: [
      { ...axis(), values: toTimes },
      { ...axis(), size: 64, values: (_chart, counts) => counts.map(toCount) },
    ],
    series: [
      { label: "Hour", value: (_chart, at) => (at === null ? "" : hourFormat.format(at * 1000)) },
      series("Crawlers", "--crawler"),
      series("People", "--person"),
    ],
  },
  toData(),
  place,
);

/** Without a pointer on the chart its legend has the last hour. */
function showLast(chart: UPlot): void {
  const last = chart.data[0].length - 1;
  if (chart.legend.idx === null) chart.setLegend({ idx: last }, false);
}

/** The times along the axis: hours of a day, or days. */
function toTimes(_chart: UPlot, times: readonly number[]): string[] {
  const stepSeconds = (times[1] ?? 0) - (times[0] ?? 0);
  return times.map((at) => {
    const isDay = stepSeconds >= 86_400 || new Date(at * 1000).getHours() === 0;
    return (isDay ? dayFormat : timeFormat).format(at * 1000);
  });
}

/** Numbers are written as in the page's text; "1.653" beside "1,653" would be two numbers. */
function toCount(count: number): string {
  return count.toLocaleString("en");
}

function axis(): UPlot.Axis {
  return { stroke: () => color("--quiet"), grid: { stroke: () => color("--line"), width: 1 }, ticks: { show: false } };
}

function series(label: string, name: string): UPlot.Series {
  const stroke = () => color(name);
  return {
    label,
    value: (_chart, count) => (count === null ? "" : toCount(count)),
    stroke,
    width: 2,
    fill: () => `color-mix(in srgb, ${color(name)} 12%, transparent)`,
    points: { show: false },
  };
}

function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
}

/** The hours that the service has written into the chart's element, by their starts. */
function parseHours({ dataset }: HTMLElement): ReadonlyMap<number, Hour> {
  return new Map((JSON.parse(dataset.hours ?? "[]") as Hour[]).map((hour) => [hour[0], hour]));
}

/** Every hour of the period; those without requests are nought. */
function toData(): UPlot.AlignedData {
  const count = hoursOf[period] ?? 24;
  const last = Math.floor(Date.now() / hourMs);
  const starts = Array.from({ length: count }, (_, index) => (last - count + 1 + index) * hourMs);
  return [
    starts.map((hour) => hour / 1000),
    starts.map((hour) => hours.get(hour)?.[1] ?? 0),
    starts.map((hour) => hours.get(hour)?.[2] ?? 0),
  ];
}

function fitChart(): void {
  if (!place.hidden && chart.width !== place.clientWidth) chart.setSize({ width: place.clientWidth, height: 260 });
}

addEventListener("resize", afterPause(100, fitChart));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chart.redraw());

/** As long as the service keeps its figures. */
const refreshMs = 10_000;

/** Asks the service for this page, and takes over what it says now. */
async function refresh(): Promise<void> {
  if (document.hidden) return;
  try {
    const response = await fetch(location.href, { signal: AbortSignal.timeout(refreshMs) });
    if (!response.ok) throw new Error(response.statusText);
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    showFigures(find("#figures"), find("#figures", fresh));
    const freshChart = find<HTMLElement>("#chart", fresh);
    hours = parseHours(freshChart);
    place.hidden = freshChart.hidden;
    fitChart();
    chart.setData(toData());
    live.textContent = "Live";
  } catch {
    live.textContent = "Not live: these are the last figures. The page retries every 10 seconds.";
  }
}

/** Instructions are not replaced while a person reads or copies them. */
function showFigures(shown: Element, fresh: Element): void {
  if (shown.querySelector(".connect") && fresh.querySelector(".connect")) return;
  shown.replaceChildren(...fresh.childNodes);
}

live.textContent = "Live";
setInterval(refresh, refreshMs);
document.addEventListener("visibilitychange", refresh);
