/** A report as tables of text. text-table.ts lays them out. */

import { networkKinds } from "../../detect/verification.ts";
import { toPlain } from "../../text/plain-text.ts";
import { toFilterText } from "./filter-report.ts";
import {
  type FleetReport,
  fleetsTitle,
  toFleetAddresses,
  toFleetRequests,
  toFleetsNote,
  toShortString,
} from "./fleets-report.ts";
import { type Bar, joinIntervals, toLabel } from "./join-intervals.ts";
import { type OperatorReferrals, toPurposes, toRatio, toReferralsNote, toSources } from "./referrals-report.ts";
import { aiPurposesOf, type CrawlerReport, type Group, purposesNoteOf, type Report } from "./report.ts";
import {
  isExactPath,
  noSizes,
  toBasisText,
  toCount,
  toDnsWarning,
  toEstimate,
  toMinute,
  toShare,
  toSize,
  toSpoofedShare,
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
import {
  type Column,
  countColumn,
  createSections,
  red,
  type TableOptions,
  textColumn,
  toHeading,
  wrap,
} from "./text-table.ts";

const shownGroups = 15;
const shownCrawlers = 25;
const shownRuleCrawlers = 10;
const shownPaths = 10;
const shownSuspects = 20;
/** A month of days. */
const shownTimes = 40;
/** Lines that end with one. */
export function toTable(report: Report, options: TableOptions = {}): string {
  const { width, top } = options;
  const { section, toNote } = createSections(options);
  const limited = (shown: number): number => top ?? shown;
  const whole = Number.POSITIVE_INFINITY;
  const { categories, operators, crawlers, paths, timezone } = report;
  const purposes = aiPurposesOf(report);
  const toText = (text: string | undefined): string => (text === undefined ? "" : `${wrap(toPlain(text), width)}\n`);
  const byRule = crawlers.filter(({ rule }) => rule);
  const checked = crawlers.filter(({ verification }) => verification !== undefined);
  const located = crawlers.filter(({ networks }) => networks !== undefined);
  const shares = groupColumns(report);
  const crawlerColumns = toCrawlerColumns(report);
  const compared = disobeyingCrawlers(crawlers);
  const hurrying = hurryingCrawlers(crawlers);
  const { seconds, bars } = joinIntervals(report.times, shownTimes, timezone);
  const sections = [
    toText(report.filter && toFilterText(report.filter)),
    toText(toRobotsSentence(crawlers)),
    toText(toDnsWarning(report.verificationBasis)),
    section("", totals(report), whole, totalColumns),
    section("By category", categories, whole, [textColumn("category", nameOf), ...shares], requestsOf),
    section("AI crawlers by purpose", purposes, whole, [textColumn("purpose", nameOf), ...shares], requestsOf) +
      toText(purposesNoteOf(report)),
    section("By operator", operators, limited(shownGroups), [operatorColumn, ...shares], requestsOf),
    section("By crawler", crawlers, limited(shownCrawlers), crawlerColumns, requestsOf),
    section("Crawlers that only a rule knows", byRule, limited(shownRuleCrawlers), crawlerColumns, requestsOf),
    section("Requests of paths that robots.txt disallows", compared, limited(shownCrawlers), toRobotsColumns(compared)),
    section(
      "Disallowed paths",
      compared
        .flatMap(({ name, robots }) => robots.paths.map((path) => ({ ...path, name, isExact: robots.pathsExact })))
        .sort((one, other) => other.requests - one.requests),
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
      ...toSuspectColumns(timezone),
    ]),
    section("Their addresses", suspectsOf(report, "addresses"), limited(shownSuspects), [
      textColumn("address", ({ address }) => address ?? "(none)"),
      ...toSuspectColumns(timezone),
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
    fleetSection(
      section(fleetsTitle, report.fleets ?? [], limited(shownSuspects), toFleetColumns(width !== undefined, timezone)),
      report,
      options,
    ),
    section("Over time", bars, whole, toTimeColumns(timezone, seconds), ({ crawlers }) => crawlers),
  ];
  return [...sections, toNote()].filter((text) => text !== "").join("\n");
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

/** The section has its title and the note also without a row: that no string was found is a result. */
function fleetSection(table: string, { fleets, fleetsBasis }: Report, options: TableOptions): string {
  if (fleets === undefined || fleetsBasis === undefined) return "";
  const head = fleets.length === 0 ? toHeading(fleetsTitle, options) : "";
  return `${head}${table}${wrap(toFleetsNote({ fleets, fleetsBasis }), options.width)}\n`;
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

const toSeenColumns = (timezone: string) => [
  textColumn<{ readonly first?: string }>(`first (${timezone})`, ({ first }) => toMinute(first, timezone), 6),
  textColumn<{ readonly last?: string }>(`last (${timezone})`, ({ last }) => toMinute(last, timezone), 7),
];

function toCrawlerColumns(report: Report): readonly Column<CrawlerReport>[] {
  return [
    nameColumn,
    textColumn("category", ({ category }) => category, 5),
    countColumn("requests", ({ requests }) => requests),
    { head: "share", cell: ({ requests }) => toShare(requests, report.requests), rank: 1 },
    ...toSizeColumns(report).slice(0, 1),
    countColumn("robots.txt", ({ robotsTxt }) => robotsTxt, 3),
    ...toSeenColumns(report.timezone),
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
    cell: ({ verification, requests }) => toSpoofedShare(verification, requests),
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

/** On a terminal, the strings would lose the end, which tells them apart. */
const toFleetColumns = (isTerminal: boolean, timezone: string): readonly Column<FleetReport>[] => [
  textColumn("user agent", ({ useragent }) => (isTerminal ? toShortString(useragent) : useragent)),
  { head: "requests", cell: toFleetRequests, rank: 0 },
  { head: "addresses", cell: toFleetAddresses, rank: 1 },
  { head: "per address", cell: ({ requestsPerAddress }) => String(requestsPerAddress), rank: 0 },
  { head: "assets", cell: ({ assets }) => (assets === undefined ? "" : toCount(assets)), rank: 2 },
  {
    head: "with referrer",
    cell: ({ withReferrer }) => (withReferrer === undefined ? "" : toCount(withReferrer)),
    rank: 3,
  },
  {
    head: "quietest 8 h",
    cell: ({ quietShare }) => (quietShare === undefined ? "" : toShare(quietShare, 1)),
    rank: 4,
  },
  ...toSeenColumns(timezone),
];

interface Suspect {
  readonly name: string;
  readonly status: string;
  readonly requests: number;
  readonly first?: string;
  readonly last?: string;
}

const toSuspectColumns = (timezone: string): readonly Column<Suspect>[] => [
  { ...textColumn("status", ({ status }) => status), color: ({ status }) => alarm(status === "spoofed") },
  textColumn("crawler", nameOf, 1),
  countColumn("requests", requestsOf),
  ...toSeenColumns(timezone),
];

const toTimeColumns = (timezone: string, seconds: number): readonly Column<Bar>[] => [
  textColumn(`from (${timezone})`, ({ from }) => toLabel(from, seconds)),
  countColumn("requests", ({ all }) => all),
  countColumn("crawlers", ({ crawlers }) => crawlers),
  { head: "share", cell: ({ crawlers, all }) => toShare(crawlers, all), rank: 1 },
];
