/** Compares two reports: which crawlers are new or gone, and how requests and bytes have changed. */
import type { Category } from "../../detect/categories.ts";
import { manyOthers } from "../count/crawler-tally.ts";
import { type FilterReport, type Period, toFilterText } from "./filter-report.ts";

/** The members of a report that a comparison reads. Without sizes all bytes are 0. */
export interface Comparable {
  /** The version of the catalogue that named the crawlers. */
  readonly catalogue: string;
  readonly period?: Period | undefined;
  /** The IANA name of the zone in which times are shown. Default: UTC. */
  readonly timezone?: string | undefined;
  readonly filter?: FilterReport | undefined;
  readonly hasSizes: boolean;
  readonly requests: number;
  readonly crawlerRequests: number;
  readonly bytes: number;
  readonly crawlerBytes: number;
  readonly operators: readonly Counted[];
  readonly crawlers: readonly CountedCrawler[];
}

interface Counted {
  /** Null for unknown operators. */
  readonly name: string | null;
  readonly requests: number;
  readonly bytes: number;
}

interface CountedCrawler extends Counted {
  readonly name: string;
  readonly category: Category;
  readonly rule: boolean;
}

/** A count before and now. Rates and percentages are rounded to six digits, and absent if a period has no length. */
export interface Change {
  readonly before: number;
  readonly now: number;
  /** `now` less `before`. */
  readonly difference: number;
  readonly perDayBefore?: number;
  readonly perDayNow?: number;
  /** How the count per day has changed. */
  readonly perDayDifference?: number;
  /** The same in percent of the count per day before; absent if that is 0. */
  readonly percent?: number;
}

export const changeFigures = [
  "before",
  "now",
  "difference",
  "perDayBefore",
  "perDayNow",
  "perDayDifference",
  "percent",
] as const satisfies readonly (keyof Change)[];

export interface ComparedRow {
  readonly name: string;
  readonly requests: Change;
  /** Absent if a log has no sizes. */
  readonly bytes?: Change;
}

export interface ComparedCrawler extends ComparedRow {
  /** `both` also if it is only in one report, but the other report may count its requests under "(many others)". */
  readonly status: "new" | "gone" | "both";
  readonly category: Category;
  /** Whether no entry of the catalogue knows it, only a rule. */
  readonly rule: boolean;
}

/** Rows with the largest difference per day come first; of new crawlers, the crawlers with the most requests. */
export interface Comparison {
  readonly before: Side;
  readonly now: Side;
  /** The zone of the report now. */
  readonly timezone: string;
  /** The requests that both reports count, as a sentence about the later one; absent if they count all. */
  readonly selection?: string;
  /** Whether both periods have a length, so that there are rates and percentages. */
  readonly isNormalized: boolean;
  /** Whether both logs have sizes. */
  readonly hasSizes: boolean;
  /** Reasons why the comparison is less certain, as sentences. */
  readonly notes: readonly string[];
  /** All requests, then the requests of crawlers. */
  readonly totals: readonly ComparedRow[];
  readonly crawlers: readonly ComparedCrawler[];
  /** Without the crawlers whose operators are unknown. */
  readonly operators: readonly ComparedRow[];
}

interface Side {
  readonly catalogue: string;
  readonly period?: Period | undefined;
}

const daySeconds = 86_400;

/** Compares a report with an earlier one. Crawlers of one name count together, because their other facts may be corrected. */
export function toComparison(before: Comparable, now: Comparable): Comparison {
  const [beforeSeconds = 0, nowSeconds = 0] = [before.period?.seconds, now.period?.seconds];
  const isNormalized = beforeSeconds > 0 && nowSeconds > 0;
  const hasSizes = before.hasSizes && now.hasSizes;

  const toChange = (old: number, current: number): Change => {
    const counts = { before: old, now: current, difference: current - old };
    if (!isNormalized) return counts;
    const [oldRate, rate] = [(old / beforeSeconds) * daySeconds, (current / nowSeconds) * daySeconds];
    return {
      ...counts,
      perDayBefore: round(oldRate),
      perDayNow: round(rate),
      perDayDifference: round(rate - oldRate),
      ...(old > 0 && { percent: round(100 * (rate / oldRate - 1)) }),
    };
  };
  const toRow = (name: string, old: Sums = none, current: Sums = none): ComparedRow => ({
    name,
    requests: toChange(old.requests, current.requests),
    ...(hasSizes && { bytes: toChange(old.bytes, current.bytes) }),
  });
  const toRows = (old: readonly Counted[], current: readonly Counted[]): ComparedRow[] => {
    const [oldSums, sums] = [sumByName(old), sumByName(current)];
    const names = new Set([...sums.keys(), ...oldSums.keys()]);
    return [...names].map((name) => toRow(name, oldSums.get(name), sums.get(name))).sort(bySize);
  };

  const statusOf = createStatusOf(before.crawlers, now.crawlers);
  const facts = new Map([...before.crawlers, ...now.crawlers].map(({ name, ...others }) => [name, others]));
  const crawlers = toRows(before.crawlers, now.crawlers).map((row): ComparedCrawler => {
    const { category, rule } = facts.get(row.name)!;
    return { status: statusOf(row.name, rule), category, rule, ...row };
  });
  return {
    before: { catalogue: before.catalogue, ...(before.period && { period: before.period }) },
    now: { catalogue: now.catalogue, ...(now.period && { period: now.period }) },
    timezone: now.timezone ?? "UTC",
    ...(now.filter && { selection: toFilterText(now.filter) }),
    isNormalized,
    hasSizes,
    notes: toNotes(before, now, crawlers),
    totals: [
      toRow("all", before, now),
      toRow(
        "crawlers",
        { requests: before.crawlerRequests, bytes: before.crawlerBytes },
        { requests: now.crawlerRequests, bytes: now.crawlerBytes },
      ),
    ],
    crawlers,
    operators: toRows(before.operators, now.operators),
  };
}

/** The crawlers of a status; new ones with the most requests first, gone ones with the most requests before. */
export function ofStatus(
  crawlers: readonly ComparedCrawler[],
  wanted: ComparedCrawler["status"],
): readonly ComparedCrawler[] {
  return crawlers.filter(({ status }) => status === wanted);
}

type Sums = Pick<Counted, "requests" | "bytes">;
const none: Sums = { requests: 0, bytes: 0 };

function sumByName(all: readonly Counted[]): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  for (const { name, requests, bytes } of all) {
    if (name === null) continue;
    const sum = sums.get(name) ?? none;
    sums.set(name, { requests: sum.requests + requests, bytes: sum.bytes + bytes });
  }
  return sums;
}

function createStatusOf(
  before: readonly CountedCrawler[],
  now: readonly CountedCrawler[],
): (name: string, rule: boolean) => ComparedCrawler["status"] {
  const [old, current] = [new Set(before.map(({ name }) => name)), new Set(now.map(({ name }) => name))];
  return (name, rule) => {
    if (old.has(name) && current.has(name)) return "both";
    const others = old.has(name) ? current : old;
    if (name === manyOthers.name || (rule && others.has(manyOthers.name))) return "both";
    return old.has(name) ? "gone" : "new";
  };
}

function toNotes(before: Comparable, now: Comparable, crawlers: readonly ComparedCrawler[]): string[] {
  const isKnown = ({ period }: Comparable): boolean => (period?.seconds ?? 0) > 0;
  const lengthOf = (which: string, { period }: Comparable): string =>
    period === undefined ? `the length of the period ${which} is unknown` : `the period ${which} has no length`;
  const unknown = [
    ...(isKnown(before) ? [] : [lengthOf("before", before)]),
    ...(isKnown(now) ? [] : [lengthOf("now", now)]),
  ].join(" and ");
  const [old, current] = [before, now].map(({ crawlers }) => new Set(crawlers.map(({ name }) => name)));
  const unclear = crawlers.filter(
    ({ status, name }) => status === "both" && name !== manyOthers.name && !(old!.has(name) && current!.has(name)),
  ).length;
  return [
    ...(unknown === "" ? [] : [`There are no counts per day and no percentages: ${unknown}.`]),
    ...(before.hasSizes && now.hasSizes ? [] : ["There are no byte counts: one of the logs has no sizes."]),
    ...(before.period && now.period && now.period.from < before.period.to
      ? ["The current period begins before the earlier one ends: requests may be counted in both."]
      : []),
    ...(before.catalogue === now.catalogue
      ? []
      : [
          `The catalogues differ (${before.catalogue} before, ${now.catalogue} now): a crawler may be new or gone because its name was changed.`,
        ]),
    ...(unclear === 0
      ? []
      : [
          `${unclear === 1 ? "1 crawler that only a rule knows is" : `${unclear} crawlers that only a rule knows are`} in one report, and may be in the other under ${manyOthers.name}: they count neither as new nor as gone.`,
        ]),
  ];
}

function bySize(one: ComparedRow, other: ComparedRow): number {
  return sizeOf(other) - sizeOf(one) || (one.name < other.name ? -1 : 1);
}

function sizeOf({ requests: { difference, perDayDifference = difference } }: ComparedRow): number {
  return Math.abs(perDayDifference);
}

function round(value: number): number {
  return Number(value.toPrecision(6));
}
