/** A report as tables of text, for a terminal. */
import { networkKinds, verificationStatuses } from "../../detect/verification.ts";
import { toPlain } from "../../text/plain-text.ts";
import type { CrawlerReport, Report } from "./report.ts";
import { toCount, toEstimate, toMinute, toShare, toSize } from "./report-text.ts";
import { suspectsOf } from "./suspects.ts";

const shownGroups = 15;
const shownCrawlers = 25;
const shownRuleCrawlers = 10;
const shownPaths = 10;
const shownSuspects = 60;
const maxColumn = 44;

type Row = readonly string[];

/** Lines that end with one; `width` is the terminal's, in columns, undefined if it is none: then nothing is cut. */
export function toTable(report: Report, width?: number): string {
  const sections = [
    summary(report),
    section("By category", ["category", ...groupHeads], report.categories, Number.POSITIVE_INFINITY, (group) => [
      group.name ?? "",
      ...groupCells(group, report),
    ]),
    section(
      "AI crawlers by purpose",
      ["purpose", ...groupHeads],
      report.purposes.filter(({ ai }) => ai.requests > 0),
      Number.POSITIVE_INFINITY,
      ({ name, ai }) => [name, ...groupCells(ai, report)],
    ),
    section("By operator", ["operator", ...groupHeads], report.operators, shownGroups, (group) => [
      group.name ?? "(not known)",
      ...groupCells(group, report),
    ]),
    section("By crawler", crawlerHeads, report.crawlers, shownCrawlers, (crawler) => crawlerCells(crawler, report)),
    section(
      "Crawlers that only a rule knows",
      crawlerHeads,
      report.crawlers.filter(({ rule }) => rule),
      shownRuleCrawlers,
      (crawler) => crawlerCells(crawler, report),
    ),
    section(
      "Verified by address",
      ["crawler", ...verificationCounts, "spoofed share"],
      report.crawlers.flatMap((crawler) => verificationCells(crawler)),
      shownCrawlers,
      (row) => row,
    ),
    section(
      "Networks of crawlers' addresses",
      ["crawler", ...networkKinds],
      report.crawlers.flatMap(({ name, networks }) =>
        networks === undefined ? [] : [[name, ...networkKinds.map((kind) => toCount(networks[kind]))]],
      ),
      shownCrawlers,
      (row) => row,
    ),
    section(
      "Addresses behind spoofed and unverifiable names",
      ["crawler", "status", "address", "requests", "first", "last"],
      suspectsOf(report, "addresses"),
      shownSuspects,
      ({ name, status, address, requests, first, last }) => [
        ...[name, status, address ?? "(none)", toCount(requests), toMinute(first), toMinute(last)],
      ],
    ),
    section(
      "Their networks",
      ["crawler", "status", "network", "addresses", "requests", "first", "last"],
      suspectsOf(report, "networks"),
      shownSuspects,
      ({ name, status, network, addresses, requests, first, last }) => [
        ...[name, status, network, toCount(addresses), toCount(requests), toMinute(first), toMinute(last)],
      ],
    ),
    section(
      "Paths that crawlers fetched most",
      ["path", "requests", "most by"],
      report.paths,
      shownPaths,
      ({ path, requests, most }) => [path, toEstimate(requests, report.pathsExact), most],
    ),
    section(
      "Over time",
      ["from (UTC)", "requests", "crawlers", "share"],
      timeCells(report),
      Number.POSITIVE_INFINITY,
      (row) => row,
    ),
  ];
  const text = sections.flatMap((some) => toText(some, width) ?? []).join("\n");
  return width === undefined
    ? text
    : text
        .split("\n")
        .map((line) => cut(line, width))
        .join("\n");
}

function summary(report: Report): Section {
  const { lines, broken, requests, crawlerRequests, bytes, crawlerBytes } = report;
  const rows: Row[] = [
    ["requests", toCount(requests), `crawlers ${toCount(crawlerRequests)}`, toShare(crawlerRequests, requests)],
    ["bytes", toSize(bytes), `crawlers ${toSize(crawlerBytes)}`, toShare(crawlerBytes, bytes)],
    ["lines", toCount(lines), broken > 0 ? `not readable ${toCount(broken)}` : "", ""],
  ];
  return { rows };
}

const groupHeads: Row = ["crawlers", "requests", "share", "bytes", "share"];

function groupCells(
  { crawlers, requests, bytes }: { crawlers: number; requests: number; bytes: number },
  report: Report,
): Row {
  return [
    toCount(crawlers),
    toCount(requests),
    toShare(requests, report.requests),
    toSize(bytes),
    toShare(bytes, report.bytes),
  ];
}

const crawlerHeads: Row = [
  "crawler",
  "category",
  "requests",
  "share",
  "bytes",
  "robots.txt",
  "first",
  "last",
  "statuses",
];

function crawlerCells(crawler: CrawlerReport, report: Report): Row {
  const { name, category, requests, bytes, robotsTxt, first, last, statuses } = crawler;
  const codes = Object.entries(statuses).sort(([, a], [, b]) => b - a);
  return [
    name,
    category,
    toCount(requests),
    toShare(requests, report.requests),
    toSize(bytes),
    toCount(robotsTxt),
    toMinute(first),
    toMinute(last),
    codes
      .slice(0, 3)
      .map(([code, count]) => `${code}: ${toCount(count)}`)
      .join(", "),
  ];
}

const verificationCounts = [...verificationStatuses, "unchecked"] as const;

/** None of a crawler of which nothing could be said. */
function verificationCells({ name, requests, verification }: CrawlerReport): readonly Row[] {
  if (verification === undefined || verification.unverifiable === requests) return [];
  const counts = verificationCounts.map((status) => toCount(verification[status]));
  return [[name, ...counts, toShare(verification.spoofed, requests)]];
}

/** At most as many rows as fit a screen: neighbors are added up. */
function timeCells({ times }: Report): readonly Row[] {
  const size = Math.ceil(times.length / 24);
  const rows: Row[] = [];
  for (let start = 0; start < times.length; start += size) {
    const some = times.slice(start, start + size);
    const requests = some.reduce((sum, time) => sum + time.requests, 0);
    const crawlers = some.reduce((sum, time) => sum + time.crawlerRequests, 0);
    rows.push([toMinute(some[0]?.from), toCount(requests), toCount(crawlers), toShare(crawlers, requests)]);
  }
  return rows;
}

interface Section {
  readonly title?: string;
  readonly rows: readonly Row[];
  /** How many rows there are beyond these. */
  readonly rest?: number;
}

/** A section of items, of which only those that are shown become rows. */
function section<Item>(
  title: string,
  heads: Row,
  items: readonly Item[],
  limit: number,
  toRow: (item: Item) => Row,
): Section {
  const rows = items.length === 0 ? [] : [heads, ...items.slice(0, limit).map(toRow)];
  return { title, rows, rest: items.length - limit };
}

/** A heading and a table of columns of one width, the first to the left, numbers to the right; undefined without rows. */
function toText({ title, rows, rest = 0 }: Section, width: number | undefined): string | undefined {
  if (rows.length === 0) return undefined;
  const clean = rows.map((row) =>
    row.map((cell) => (width === undefined ? toPlain(cell) : cut(toPlain(cell), maxColumn))),
  );
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)));
  const lines = clean.map((row) =>
    row
      .map((cell, column) => (isNumber(clean, column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join("  "),
  );
  const head = title === undefined ? "" : `${title}\n`;
  const more = rest > 0 ? `… and ${toCount(rest)} more; --format json has all\n` : "";
  return `${head}${lines.map((line) => `  ${line.trimEnd()}\n`).join("")}${more}`;
}

function isNumber(rows: readonly Row[], column: number): boolean {
  return column > 0 && /^(?:< |about )?[\d.,]+(?: [%kMGTP]?B?)?$/.test(rows.at(-1)?.[column] ?? "");
}

/** A text of at most `width` characters. */
function cut(text: string, width: number): string {
  const characters = [...text];
  return characters.length > width ? `${characters.slice(0, width - 1).join("")}…` : text;
}
