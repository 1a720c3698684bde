/** The chart of `/traffic`, and what keeps chart and tables current while the page is open and looked at. */
import UPlot from "uplot";
import { afterPause, find } from "./dom.ts";

/** Start of the hour in milliseconds, requests of crawlers, requests of people. */
type Hour = readonly [hour: number, crawlers: number, people: number];

const hourMs = 3_600_000;
const hoursOf: Readonly<Record<string, number>> = { day: 24, week: 168, month: 840 };

const place = find<HTMLElement>("#chart");
const live = find("#live");
const period = place.dataset.period ?? "day";
const hours = new Map<number, Hour>();
for (const hour of JSON.parse(place.dataset.hours ?? "[]") as Hour[]) hours.set(hour[0], hour);

const chart = new UPlot(
  {
    width: place.clientWidth,
    height: 260,
    cursor: { points: { show: false } },
    legend: { live: true },
    scales: { x: { time: true }, y: { range: (_chart, _min, max) => [0, Math.max(max * 1.05, 5)] } },
    axes: [axis(), { ...axis(), size: 64 }],
    series: [{}, series("Crawlers", "--crawler"), series("People", "--person")],
  },
  toData(),
  place,
);

function axis(): UPlot.Axis {
  return { stroke: () => color("--quiet"), grid: { stroke: () => color("--line"), width: 1 }, ticks: { show: false } };
}

function series(label: string, name: string): UPlot.Series {
  const stroke = () => color(name);
  return {
    label,
    stroke,
    width: 2,
    fill: () => `color-mix(in srgb, ${color(name)} 12%, transparent)`,
    points: { show: false },
  };
}

function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
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

addEventListener(
  "resize",
  afterPause(100, () => chart.setSize({ width: place.clientWidth, height: 260 })),
);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chart.redraw());

/** Tables are rendered by the service; they follow the chart at a slower pace. */
const refreshFigures = afterPause(1500, async () => {
  try {
    const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
    const fresh = page.querySelector("#figures");
    if (fresh) find("#figures").replaceChildren(...fresh.childNodes);
  } catch {
    // The stream of events says that the service is gone.
  }
});

let events: EventSource | undefined;

function follow(): void {
  if (document.hidden) {
    events?.close();
    events = undefined;
    return;
  }
  if (events !== undefined) return;
  events = new EventSource(place.dataset.events ?? "/traffic/events");
  events.addEventListener("error", () => say("Not live: the figures stand as they were, and the page tries again."));
  events.addEventListener("message", ({ data }) => {
    say("Live");
    const fresh = JSON.parse(data as string) as Hour[];
    for (const hour of fresh) hours.set(hour[0], hour);
    chart.setData(toData());
    refreshFigures();
  });
}

function say(text: string): void {
  live.textContent = text;
}

document.addEventListener("visibilitychange", follow);
follow();
