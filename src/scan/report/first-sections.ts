/** What a report begins with: the main figures, as tiles and as a table, and the findings. */
import { sumOf } from "../count/sums.ts";
import type { ComparedRow, Comparison } from "./comparison.ts";
import { type Finding, toFindings, toNothing } from "./findings.ts";
import { hasManyOthers, type Report } from "./report.ts";
import { toCount, toCrawlerCount, toShare, toSize } from "./report-text.ts";
import type { ReportView } from "./report-view.ts";
import { count, everywhere, type Section, share, size, text } from "./section.ts";

/** `2 findings need action.`, or that nothing does. */
export function toActionText(view: ReportView): string {
  const alarms = toFindings(view).filter(({ isAlarm }) => isAlarm).length;
  if (alarms === 0) return toNothing(view);
  return alarms === 1 ? "1 finding needs action." : `${alarms} findings need action.`;
}

export function findingSection(view: ReportView): Section<Finding> {
  const levelOf = ({ isAlarm }: Finding) => (isAlarm ? "alarm" : undefined);
  return {
    ...{ id: "findings", title: "Findings", kind: "list" },
    ...{ rows: toFindings(view).filter(({ id }) => id !== "nothing"), topOfShort: 5, in: everywhere },
    columns: [
      { ...text("", ({ text }: Finding) => text), levelOf },
      { ...text("", ({ short }: Finding) => short), levelOf, in: ["short"] },
    ],
  };
}

/** The main figures; `crawlers` is the number of different ones. */
type Figures = Readonly<
  Record<"requests" | "crawlerRequests" | "aiRequests" | "bytes" | "crawlerBytes" | "crawlers", number>
>;

function figuresOf({ categories, crawlers, ...sums }: Report): Figures {
  const aiRequests = categories.find(({ name }) => name === "ai")?.requests ?? 0;
  return { ...sums, aiRequests, crawlers: crawlers.length };
}

function figuresBefore({ totals, crawlers }: Comparison): Figures {
  const [all, ofCrawlers] = totals as readonly [ComparedRow, ComparedRow];
  const ai = crawlers.filter(({ category }) => category === "ai");
  return {
    ...{ requests: all.requests.before, bytes: all.bytes?.before ?? 0 },
    ...{ crawlerRequests: ofCrawlers.requests.before, crawlerBytes: ofCrawlers.bytes?.before ?? 0 },
    aiRequests: sumOf(ai, ({ requests }) => requests.before),
    crawlers: crawlers.filter(({ requests }) => requests.before > 0).length,
  };
}

/** A figure of the page, and how it has changed since the earlier report. */
export interface Tile {
  readonly value: string;
  readonly what: string;
  readonly more: string;
  readonly change?: string | undefined;
}

export function tileSection({ report, comparison }: ReportView): Section<Tile> {
  const now = figuresOf(report);
  const before = comparison && figuresBefore(comparison);
  const known = report.operators.filter(({ name }) => name !== null).length;
  const shareOf = (figures: Figures, part: keyof Figures, all: keyof Figures): number =>
    figures[all] === 0 ? 0 : (100 * figures[part]) / figures[all];
  const tile = (part: keyof Figures, all: keyof Figures, what: string, toText: (figure: number) => string): Tile => ({
    ...{ value: toShare(now[part], now[all]), what, more: `${toText(now[part])} of ${toText(now[all])}` },
    change:
      before &&
      toChange(shareOf(now, part, all), shareOf(before, part, all), (share) => share.toFixed(1), ["%", " points"]),
  });
  return {
    ...{ id: "tiles", title: "", kind: "tiles", in: ["html"], columns: [] },
    rows: [
      tile("crawlerRequests", "requests", "of requests by crawlers", toCount),
      tile("aiRequests", "requests", "of requests by AI crawlers", toCount),
      ...(report.hasSizes ? [tile("crawlerBytes", "bytes", "of bytes to crawlers", toSize)] : []),
      {
        ...{
          value: toCrawlerCount(now.crawlers, hasManyOthers(report)),
          what: now.crawlers === 1 ? "crawler" : "different crawlers",
          more: `of ${toCount(known)} known ${known === 1 ? "operator" : "operators"}`,
        },
        change: before && toChange(now.crawlers, before.crawlers, toCount),
      },
    ],
  };
}

/** `+2.1 points from 35.0%`, `+3 from 44`, `unchanged`. */
function toChange(now: number, before: number, toText: (figure: number) => string, [unit, points] = ["", ""]): string {
  const difference = toText(Math.abs(now - before));
  if (Number(difference) === 0) return "unchanged";
  return `${now > before ? "+" : "-"}${difference}${points} from ${toText(before)}${unit}`;
}

interface Total {
  readonly name: string;
  readonly requests: number;
  readonly bytes: number;
}

/** All requests, those by people and by crawlers, and those by AI crawlers by purpose. */
export function totalSection({ report }: ReportView): Section<Total> {
  const { requests, bytes, crawlerRequests, crawlerBytes, hasSizes, categories, purposes } = report;
  const ai = categories.filter(({ name }) => name === "ai");
  const ofAi = purposes.map(({ name, ai }) => ({ ...ai, name: `    ${name}` })).filter(({ crawlers }) => crawlers > 0);
  return {
    ...{ id: "totals", title: "", in: ["text", "short"] },
    rows: [
      { name: "all", requests, bytes },
      { name: "people", requests: requests - crawlerRequests, bytes: bytes - crawlerBytes },
      { name: "crawlers", requests: crawlerRequests, bytes: crawlerBytes },
      ...ai.map((group) => ({ ...group, name: "  AI" })),
      ...ofAi,
    ].filter(() => requests > 0),
    columns: [
      { ...text("", ({ name }) => name), in: everywhere },
      { ...count("requests", ({ requests }) => requests), in: everywhere },
      { ...share("share", (row) => row.requests / requests), in: everywhere },
      hasSizes && { ...size("bytes", (row) => row.bytes, 1), in: everywhere },
      hasSizes && { ...share("share of bytes", (row) => row.bytes / bytes, 2), in: everywhere },
    ],
  };
}
