/**
 * A report as tables of text: whole in a pipe; on a terminal as wide as it is, with bars and colors. Columns that do not fit are
 * left out, the least important first; only names and paths are shortened, never a number.
 */
import { networkKinds } from "../../detect/verification.ts";
import { toPlain } from "../../text/plain-text.ts";
import { toFilterText } from "./filter-report.ts";
import { type OperatorReferrals, toPurposes, toRatio, toReferralsNote, toSources } from "./referrals-report.ts";
import type { CrawlerReport, Group, Report } from "./report.ts";
import {
  isExactPath,
  noSizes,
  toBasisText,
  toCount,
  toEstimate,
  toMinute,
  toShare,
  toSize,
  toVerificationText,
  verificationResults,
} from "./report-text.ts";
import {
  disobeyingCrawlers,
  hurryingCrawlers,
  type RobotsReport,
  toExceeding,
  toFetched,
  toResults,
  toRobotsSentence,
} from "./robots-report.ts";
import { suspectsOf } from "./suspects.ts";

export interface TableOptions {
  /** The terminal's columns; undefined if the output is no terminal. */
  readonly width?: number | undefined;
  /** Whether the terminal shows colors. */
  readonly hasColors?: boolean | undefined;
  /** Rows of each list. Default: by list. */
  readonly top?: number | undefined;
}

const shownGroups = 15;
const shownCrawlers = 25;
const shownRuleCrawlers = 10;
const shownPaths = 10;
const shownSuspects = 20;
const maxColumn = 44;
const barWidth = 12;
/** The first column is not shortened below this for a column that could be left out, and below the second for any other. */
const comfortable = 24;
const least = 12;

/** SGR codes of terminals. */
const bold = 1;
const faint = 2;
const red = 31;
const yellow = 33;

interface Column<Item> {
  readonly head: string;
  readonly cell: (item: Item) => string;
  /** Where a terminal is narrow, columns of the highest rank are left out first, and of 0 last. The first column stays. */
  readonly rank: number;
  /** Whether it is aligned to the left. */
  readonly isText?: boolean;
  readonly color?: (item: Item) => number | undefined;
}

/** Lines that end with one. */
export function toTable(report: Report, options: TableOptions = {}): string {
  const { width, top } = options;
  let isLeftOut = false;

  /** A heading and a table, each column of one width; `lengthOf` is what bars show. Nothing without items. */
  function section<Item>(
    title: string,
    all: readonly Item[],
    shown: number,
    columns: readonly Column<Item>[],
    lengthOf?: (item: Item) => number,
  ): string {
    if (all.length === 0) return "";
    const items = all.slice(0, shown);
    const { text, hidden } = toText(
      width === undefined || lengthOf === undefined ? columns : [...columns, toBars(items, lengthOf)],
      items,
      options,
    );
    if (hidden > 0) isLeftOut = true;
    const head = title === "" ? "" : `${paint(fit(title, width), bold, options)}\n`;
    const more =
      all.length > shown
        ? `${fit(`… and ${toCount(all.length - shown)} more; --top ${all.length} shows them`, width)}\n`
        : "";
    return `${head}${text}${more}`;
  }

  const limited = (shown: number): number => top ?? shown;
  const whole = Number.POSITIVE_INFINITY;
  const { categories, operators, crawlers, paths } = report;
  const purposes = report.purposes.filter(({ ai }) => ai.requests > 0).map(({ name, ai }) => ({ name, ...ai }));
  const byRule = crawlers.filter(({ rule }) => rule);
  const checked = crawlers.filter(({ verification }) => verification !== undefined);
  const located = crawlers.filter(({ networks }) => networks !== undefined);
  const shares = groupColumns(report);
  const crawlerColumns = toCrawlerColumns(report);
  const compared = disobeyingCrawlers(crawlers);
  const hurrying = hurryingCrawlers(crawlers);
  const sentence = toRobotsSentence(crawlers);
  const sections = [
    report.filter === undefined ? "" : `${wrap(toPlain(toFilterText(report.filter)), width)}\n`,
    sentence === undefined ? "" : `${wrap(toPlain(sentence), width)}\n`,
    section("", totals(report), whole, totalColumns),
    section("By category", categories, whole, [textColumn("category", nameOf), ...shares], requestsOf),
    section("AI crawlers by purpose", purposes, whole, [textColumn("purpose", nameOf), ...shares], requestsOf),
    section("By operator", operators, limited(shownGroups), [operatorColumn, ...shares], requestsOf),
    section("By crawler", crawlers, limited(shownCrawlers), crawlerColumns, requestsOf),
    section("Crawlers that only a rule knows", byRule, limited(shownRuleCrawlers), crawlerColumns, requestsOf),
    section("Requests of paths that robots.txt disallows", compared, limited(shownCrawlers), toRobotsColumns(compared)),
    section(
      "Disallowed paths",
      compared.flatMap(({ name, robots }) =>
        robots.paths.map((path) => ({ ...path, name, isExact: robots.pathsExact })),
      ),
      limited(shownPaths),
      [
        textColumn("path", ({ path }) => path),
        { head: "requests", cell: ({ requests, isExact }) => toEstimate(requests, isExact), rank: 0 },
        textColumn("crawler", nameOf, 1),
      ],
    ),
    section("Requests beyond the Crawl-delay", hurrying, limited(shownCrawlers), toDelayColumns(hurrying)),
    section("Verified by address", checked, limited(shownCrawlers), verificationColumns) +
      verificationNote(report, width),
    section("Networks of crawlers' addresses", located, limited(shownCrawlers), networkColumns),
    section("Networks behind spoofed and unverifiable names", suspectsOf(report, "networks"), limited(shownSuspects), [
      textColumn("network", ({ network }) => network),
      countColumn("addresses", ({ addresses }) => addresses, 2),
      ...suspectColumns,
    ]),
    section("Their addresses", suspectsOf(report, "addresses"), limited(shownSuspects), [
      textColumn("address", ({ address }) => address ?? "(none)"),
      ...suspectColumns,
    ]),
    section("Paths that crawlers fetched most", paths, limited(shownPaths), [
      textColumn("path", ({ path }) => path),
      {
        head: "requests",
        cell: ({ path, requests }) => toEstimate(requests, isExactPath(path, report.pathsExact)),
        rank: 0,
      },
      textColumn("most by", ({ most }) => most, 1),
    ]),
    section("What comes back", report.referrals?.operators ?? [], limited(shownGroups), referralColumns) +
      referralsNote(report, width),
    section("Over time", joinTimes(report), whole, timeColumns, ({ crawlerRequests }) => crawlerRequests),
  ];
  const note = isLeftOut ? [`${fit("Columns that do not fit are left out; --format json has all.", width)}\n`] : [];
  return [...sections.filter((text) => text !== ""), ...note].join("\n");
}

/** What the results are in all, and what they are based on. */
function verificationNote({ crawlers, verificationBasis }: Report, width: number | undefined): string {
  if (verificationBasis === undefined) return "";
  const lines = [`Requests: ${toVerificationText(crawlers)}.`, `Verified by ${toBasisText(verificationBasis)}.`];
  return lines.map((line) => `${wrap(line, width)}\n`).join("");
}

function referralsNote({ referrals }: Report, width: number | undefined): string {
  return referrals === undefined || referrals.operators.length === 0
    ? ""
    : `${wrap(toReferralsNote(referrals), width)}\n`;
}

function textColumn<Item>(head: string, cell: (item: Item) => string, rank = 0): Column<Item> {
  return { head, cell, rank, isText: true };
}

function countColumn<Item>(head: string, count: (item: Item) => number, rank = 0): Column<Item> {
  return { head, cell: (item) => toCount(count(item)), rank };
}

function toBars<Item>(items: readonly Item[], lengthOf: (item: Item) => number): Column<Item> {
  const longest = Math.max(1, ...items.map(lengthOf));
  const cell = (item: Item): string => {
    const halves = Math.ceil((2 * barWidth * lengthOf(item)) / longest);
    return "█".repeat(halves / 2) + (halves % 2 === 1 ? "▌" : "");
  };
  return { head: "", cell, rank: 9, isText: true, color: () => yellow };
}

type Total = readonly [name: string, all: string, crawlers: string, share: string];

const totalColumns = [0, 1, 2, 3].map(
  (at): Column<Total> => ({ head: "", cell: (row) => row[at] ?? "", rank: at, isText: at === 0 || at === 2 }),
);

function totals({ lines, broken, requests, crawlerRequests, bytes, crawlerBytes, hasSizes }: Report): readonly Total[] {
  return [
    ["requests", toCount(requests), `crawlers ${toCount(crawlerRequests)}`, toShare(crawlerRequests, requests)],
    hasSizes
      ? ["bytes", toSize(bytes), `crawlers ${toSize(crawlerBytes)}`, toShare(crawlerBytes, bytes)]
      : ["bytes", "", noSizes, ""],
    ["lines", toCount(lines), broken > 0 ? `not readable ${toCount(broken)}` : "", ""],
  ];
}

function groupColumns(
  report: Report,
): readonly Column<{ readonly crawlers: number; readonly requests: number; readonly bytes: number }>[] {
  return [
    countColumn("crawlers", ({ crawlers }) => crawlers, 3),
    countColumn("requests", ({ requests }) => requests),
    { head: "share", cell: ({ requests }) => toShare(requests, report.requests), rank: 1 },
    ...toSizeColumns(report),
  ];
}

function toSizeColumns({ bytes: all, hasSizes }: Report): readonly Column<{ readonly bytes: number }>[] {
  if (!hasSizes) return [];
  return [
    { head: "bytes", cell: ({ bytes }) => toSize(bytes), rank: 2 },
    { head: "share", cell: ({ bytes }) => toShare(bytes, all), rank: 4 },
  ];
}

const nameOf = ({ name }: { readonly name: string | null }): string => name ?? "";
const requestsOf = ({ requests }: { readonly requests: number }): number => requests;
const operatorColumn = textColumn<Group>("operator", ({ name }) => name ?? "(not known)");
const nameColumn = textColumn<CrawlerReport>("crawler", ({ name }) => name);

const seenColumns = [
  textColumn<{ readonly first?: string }>("first (UTC)", ({ first }) => toMinute(first), 6),
  textColumn<{ readonly last?: string }>("last (UTC)", ({ last }) => toMinute(last), 7),
];

function toCrawlerColumns(report: Report): readonly Column<CrawlerReport>[] {
  return [
    nameColumn,
    textColumn("category", ({ category }) => category, 5),
    countColumn("requests", ({ requests }) => requests),
    { head: "share", cell: ({ requests }) => toShare(requests, report.requests), rank: 1 },
    ...toSizeColumns(report).slice(0, 1),
    countColumn("robots.txt", ({ robotsTxt }) => robotsTxt, 3),
    ...seenColumns,
    textColumn("statuses", ({ statuses }) => toStatuses(statuses), 4),
  ];
}

function toStatuses(statuses: CrawlerReport["statuses"]): string {
  return Object.entries(statuses)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([code, count]) => `${code}: ${toCount(count)}`)
    .join(", ");
}

const alarm = (isSpoofed: boolean): number | undefined => (isSpoofed ? red : undefined);

const verificationColumns: readonly Column<CrawlerReport>[] = [
  nameColumn,
  ...verificationResults.map(
    (status): Column<CrawlerReport> => ({
      ...countColumn(status, ({ verification }) => verification?.[status] ?? 0),
      color: ({ verification }) => alarm(status === "spoofed" && (verification?.spoofed ?? 0) > 0),
    }),
  ),
  {
    head: "spoofed share",
    cell: ({ verification, requests }) => toShare(verification?.spoofed ?? 0, requests),
    rank: 1,
  },
];

type Compared = CrawlerReport & { readonly robots: RobotsReport };

/** Requests by what robots.txt says of them. */
const toRobotsColumns = (compared: readonly Compared[]): readonly Column<Compared>[] => [
  textColumn("crawler", ({ name }) => name),
  countColumn("disallowed", ({ robots }) => robots.disallowed),
  countColumn("allowed", ({ robots }) => robots.allowed, 1),
  ...(compared.some(({ robots }) => robots.verification !== undefined)
    ? [textColumn<Compared>("by result of verification", ({ robots }) => toResults(robots.verification), 2)]
    : []),
  textColumn("robots.txt", ({ robots }) => toFetched(robots), 3),
];

/** Requests that are more than the Crawl-delay allows. */
const toDelayColumns = (hurrying: readonly Compared[]): readonly Column<Compared>[] => [
  textColumn("crawler", ({ name }) => name),
  { head: "requests", cell: ({ robots }) => toExceeding(robots.crawlDelay!), rank: 0 },
  { head: "delay", cell: ({ robots }) => `${robots.crawlDelay!.seconds} s`, rank: 1 },
  ...(hurrying.some(({ robots }) => robots.verification !== undefined)
    ? [textColumn<Compared>("by result of verification", ({ robots }) => toResults(robots.crawlDelay?.verification), 2)]
    : []),
];

const networkColumns: readonly Column<CrawlerReport>[] = [
  nameColumn,
  ...networkKinds.map((kind) => countColumn<CrawlerReport>(kind, ({ networks }) => networks?.[kind] ?? 0)),
];

const referralColumns: readonly Column<OperatorReferrals>[] = [
  textColumn("operator", ({ operator }) => operator),
  countColumn("visits", ({ visits }) => visits),
  countColumn("fetches", ({ fetches }) => fetches, 1),
  { head: "fetches per visit", cell: toRatio, rank: 0 },
  textColumn("page or app", toSources, 3),
  textColumn("fetches for", toPurposes, 2),
];

interface Suspect {
  readonly name: string;
  readonly status: string;
  readonly requests: number;
  readonly first?: string;
  readonly last?: string;
}

const suspectColumns: readonly Column<Suspect>[] = [
  { ...textColumn("status", ({ status }) => status), color: ({ status }) => alarm(status === "spoofed") },
  textColumn("crawler", nameOf, 1),
  countColumn("requests", requestsOf),
  ...seenColumns,
];

const timeColumns: readonly Column<ReturnType<typeof joinTimes>[number]>[] = [
  textColumn("from (UTC)", ({ from }) => toMinute(from)),
  countColumn("requests", requestsOf),
  countColumn("crawlers", ({ crawlerRequests }) => crawlerRequests),
  { head: "share", cell: ({ crawlerRequests, requests }) => toShare(crawlerRequests, requests), rank: 1 },
];

/** At most as many rows as fit a screen: neighbors are added up. */
function joinTimes({ times }: Report) {
  const size = Math.ceil(times.length / 24);
  return Array.from({ length: size === 0 ? 0 : Math.ceil(times.length / size) }, (_, at) => {
    const some = times.slice(at * size, (at + 1) * size);
    return {
      from: some[0]?.from,
      requests: some.reduce((sum, time) => sum + time.requests, 0),
      crawlerRequests: some.reduce((sum, time) => sum + time.crawlerRequests, 0),
    };
  });
}

/** The heads, if there are any, and a line an item; `hidden` is how many columns but the bars did not fit. */
function toText<Item>(
  columns: readonly Column<Item>[],
  items: readonly Item[],
  options: TableOptions,
): { readonly text: string; readonly hidden: number } {
  const { width } = options;
  const hasHeads = columns.some(({ head }) => head !== "");
  const short = width === undefined ? width : Math.max(maxColumn, Math.floor(width / 2));
  const table = columns.map((column) => {
    const cells = items.map((item) => fit(toPlain(column.cell(item)), short));
    return { column, cells, width: Math.max(column.head.length, ...cells.map(widthOf)) };
  });
  const [first, ...others] = table;
  let room = width === undefined ? Number.POSITIVE_INFINITY : width - 2;
  if (first === undefined) return { text: "", hidden: 0 };
  const kept = new Set(others);
  for (const other of others) room -= other.width + 2;
  for (const other of others.toReversed().toSorted((a, b) => b.column.rank - a.column.rank)) {
    if (room >= Math.min(first.width, other.column.rank > 0 ? comfortable : least)) break;
    kept.delete(other);
    room += other.width + 2;
  }
  const firstWidth = Math.min(first.width, room);
  const shown = [{ ...first, cells: first.cells.map((cell) => fit(cell, firstWidth)), width: firstWidth }, ...kept];
  const line = (textOf: (one: (typeof shown)[number]) => string, codeOf: (one: Column<Item>) => number | undefined) =>
    shown
      .map((one, at) => {
        const text = textOf(one);
        const blanks = " ".repeat(Math.max(0, one.width - widthOf(text)));
        const painted = paint(text, codeOf(one.column), options);
        if (one.column.isText !== true) return blanks + painted;
        return at === shown.length - 1 ? painted : painted + blanks;
      })
      .join("  ")
      .trimEnd();
  const lines = items.map((item, at) =>
    line(
      ({ cells }) => cells[at] ?? "",
      ({ color }) => color?.(item),
    ),
  );
  const heads = hasHeads
    ? [
        line(
          ({ column, width }) => fit(column.head, width),
          () => faint,
        ),
      ]
    : [];
  return {
    text: [...heads, ...lines].map((text) => `  ${text}\n`).join(""),
    hidden: others.filter((other) => !kept.has(other) && other.column.head !== "").length,
  };
}

function widthOf(text: string): number {
  return [...text].length;
}

/** A text of at most `width` characters. */
function fit(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  const characters = [...text];
  return characters.length > width ? `${characters.slice(0, Math.max(0, width - 1)).join("")}…` : text;
}

/** A text in lines of at most `width` characters, if its words are no longer. */
function wrap(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join("\n");
}

function paint(text: string, code: number | undefined, { hasColors = false }: TableOptions): string {
  return hasColors && code !== undefined && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
}
