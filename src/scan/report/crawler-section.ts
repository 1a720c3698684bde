/** The crawlers of a report: the section that is also the CSV, one crawler a row. */
import { statedFacts } from "../../detect/facts.ts";
import { networkKinds } from "../../detect/verification.ts";
import { capitalize } from "../../text/capitalize.ts";
import type { RequestedPath } from "../count/path-counts.ts";
import { sumOf } from "../count/sums.ts";
import type { VerificationCounts } from "../count/tally.ts";
import { type Change, type ComparedCrawler, type Comparison, changeFigures } from "./comparison.ts";
import { fetchesOf, toFetchesPerVisit } from "./referrals-report.ts";
import type { CrawlerReport, Report } from "./report.ts";
import { isExactPath, toCount, toEstimate } from "./report-text.ts";
import type { ReportView } from "./report-view.ts";
import { bar, type Column, codes, count, name, type Section, share, size, text, time, type Value } from "./section.ts";
import { type SuspectAddress, type SuspectNetwork, suspectStatuses } from "./suspects.ts";
import { verificationResults } from "./verification.ts";

type CrawlerColumn = Column<CrawlerReport>;

/** From this share of its requests on, a crawler's 4xx are marked. */
export const manyErrors = 0.1;

export function crawlerSection({ report }: ReportView): Section<CrawlerReport> {
  return {
    id: "crawlers",
    title: "Crawlers",
    rows: report.crawlers,
    top: 30,
    columns: [
      { ...name<CrawlerReport>("crawler", ({ name }) => name), link: ({ url }) => url, below: toFacts },
      ...shownColumns(report),
    ],
    details: ({ paths, pathsExact, serverErrors, clientErrors }, output) =>
      output === "text"
        ? []
        : [
            ...toPathLines(paths, pathsExact),
            ...toPathLines(serverErrors, pathsExact).map((line) => `5xx: ${line}`),
            ...toPathLines(clientErrors, pathsExact).map((line) => `4xx: ${line}`),
          ],
    detailsName: "path",
    isOpen: true,
  };
}

export function ruleCrawlerSection(view: ReportView): Section<CrawlerReport> {
  const section = crawlerSection(view);
  return {
    ...section,
    id: "unlisted",
    title: "Crawlers without a catalogue entry, recognized by a rule",
    rows: section.rows.filter(({ rule }) => rule),
    top: 15,
    isOpen: false,
  };
}

/** `/a: 12`, `/b: about 1,200`. */
export function toPathLines(paths: readonly RequestedPath[], isExact: boolean): readonly string[] {
  return paths.map(({ path, requests }) => `${path}: ${toEstimate(requests, isExactPath(path, isExact))}`);
}

/** `OpenAI · ai, training · hosting 12`. */
function toFacts({ operator, maker, category, purposes, networks }: CrawlerReport): string {
  return [
    operator,
    maker && `made by ${maker}`,
    [category, ...purposes].join(", "),
    ...networkKinds.map((kind) => networks?.[kind] && `${kind} ${toCount(networks[kind])}`),
  ]
    .filter(Boolean)
    .join(" · ");
}

function shownColumns(report: Report): readonly CrawlerColumn[] {
  const missing = report.crawlers.map(shareWithoutStatus);
  // A log without any statuses needs no column for their absence.
  const isMixed = missing.some((share) => share > 0) && missing.some((share) => share < 1);
  return [
    { ...text("category", "category", ({ category }) => category, 8), only: ["text"] },
    { ...bar(({ requests }) => requests), only: ["text"] },
    { ...text("", "over time", ({ times }) => times, 9), kind: "bars", only: ["html"] },
    count("requests", "requests", ({ requests }) => requests),
    share("share", "share", ({ requests }) => requests / report.requests, 2),
    ...(report.hasSizes ? [size<CrawlerReport>("bytes", "bytes", ({ bytes }) => bytes, 3)] : []),
    ...[2, 3, 4, 5].map((digit): CrawlerColumn => {
      const of = (crawler: CrawlerReport): number | undefined => shareOfClass(crawler, digit);
      const least = digit === 5 ? 0 : manyErrors;
      const rank = digit === 5 ? 1 : digit === 4 ? 3 : 7;
      return { ...share(`${digit}xx`, `${digit}xx`, of, rank), isAlarm: (row) => digit >= 4 && (of(row) ?? 0) > least };
    }),
    ...(isMixed ? [share("noStatus", "no status", shareWithoutStatus, 7)] : []),
    {
      ...codes("robotsTxt", "robots.txt", toRobotsTxt, 4),
      isAlarm: ({ robotsStatuses }) => refusalsOf(robotsStatuses) > 0,
    },
    time("first", `first (${report.timezone})`, ({ first }) => first, 5),
    time("last", `last (${report.timezone})`, ({ last }) => last, 6),
  ];
}

/** The share of requests with a status code that begins with a digit; undefined where the log has no statuses. */
function shareOfClass({ statuses, requests }: CrawlerReport, digit: number): number | undefined {
  const all = Object.entries(statuses);
  const some = all.filter(([code]) => code.startsWith(String(digit)));
  return all.length === 0 ? undefined : sumOf(some, ([, count]) => count) / requests;
}

/** The share of requests without a status code. */
function shareWithoutStatus({ statuses, requests }: CrawlerReport): number {
  return (requests - sumOf(Object.values(statuses), (count) => count)) / requests;
}

/** The requests of /robots.txt, and which of them met errors: `47`, `503: 12`. */
function toRobotsTxt({ robotsTxt, robotsStatuses }: CrawlerReport): readonly string[] {
  if (robotsTxt === 0) return [];
  const errors = Object.entries(robotsStatuses).filter(([code]) => Number(code) >= 400);
  return [toCount(robotsTxt), ...errors.map(([code, requests]) => `${code}: ${toCount(requests)}`)];
}

/** Responses after which a crawler may stop crawling, or assume that everything is allowed: 5xx and 403. */
export function refusalsOf(statuses: Readonly<Record<string, number>>): number {
  return sumOf(Object.entries(statuses), ([code, requests]) => (code === "403" || code.startsWith("5") ? requests : 0));
}

/** All columns of the CSV; a crawler that only the earlier report has is a row, too. */
export function csvSection({ report, comparison }: ReportView): Section<CrawlerReport> {
  const gone = comparison?.crawlers.filter(({ status }) => status === "gone") ?? [];
  const rows = [...report.crawlers, ...gone.map(toEmptyCrawler)];
  const some = (has: (crawler: CrawlerReport) => unknown): boolean =>
    report.crawlers.some((row) => has(row) !== undefined);
  const isVerified = some(({ verification }) => verification);
  const hasDelay = some(({ robots }) => robots?.crawlDelay);
  const columns: readonly (readonly [id: string, of: (row: CrawlerReport) => Value])[] = [
    ["name", ({ name }) => name],
    ...statedFacts().map((fact) => [fact, (row: CrawlerReport) => [row[fact] ?? ""].flat().join(" ")] as const),
    ["rule", ({ rule }) => String(rule)],
    ["requests", ({ requests }) => requests],
    ...(report.hasSizes ? [["bytes", ({ bytes }: CrawlerReport) => bytes] as const] : []),
    ["first", ({ first }) => first],
    ["last", ({ last }) => last],
    ...timeColumns(report),
    ["statuses", ({ statuses }) => toCodes(statuses)],
    ["robotsTxt", ({ robotsTxt }) => robotsTxt],
    ["robotsStatuses", ({ robotsStatuses }) => toCodes(robotsStatuses)],
    ["paths", ({ paths, pathsExact }) => toPaths(paths, pathsExact)],
    ["pathsExact", ({ pathsExact }) => String(pathsExact)],
    ["clientErrors", ({ clientErrors, pathsExact }) => toPaths(clientErrors, pathsExact)],
    ["serverErrors", ({ serverErrors, pathsExact }) => toPaths(serverErrors, pathsExact)],
    ...(some(({ robots }) => robots) ? robotsColumns : []),
    ...(some(({ robots }) => robots?.verification)
      ? resultColumns("robotsDisallowed", ({ robots }) => robots?.verification)
      : []),
    ...(hasDelay ? delayColumns : []),
    ...(hasDelay && isVerified
      ? resultColumns("crawlDelayExceeding", ({ robots }) => robots?.crawlDelay?.verification)
      : []),
    ...(isVerified ? resultColumns("", ({ verification }) => verification) : []),
    ...referralColumns(report),
    ...basisColumns(report),
    ...(some(({ networks }) => networks)
      ? networkKinds.map((kind) => [kind, ({ networks }: CrawlerReport) => networks?.[kind]] as const)
      : []),
    ...(isVerified ? suspectColumns : []),
    ...(comparison === undefined ? [] : comparisonColumns(comparison)),
  ];
  return {
    id: "crawlers",
    title: "Crawlers",
    rows,
    columns: columns.map(([id, of]) => ({ ...text(id, id, of), only: ["csv"] })),
  };
}

type CsvColumn = readonly [id: string, of: (row: CrawlerReport) => Value];

/** `200:12 404:3`. */
function toCodes(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([code, requests]) => `${code}:${requests}`)
    .join(" ");
}

/** `/a:12 /b:about 1200`. */
function toPaths(paths: readonly RequestedPath[], isExact: boolean): string {
  return paths
    .map(({ path, requests }) => `${path}:${isExactPath(path, isExact) ? "" : "about "}${requests}`)
    .join(" ");
}

/** A row has all that its times need: where they begin, the seconds of an interval, and the requests in each. */
function timeColumns({ crawlerTimes: grid }: Report): readonly CsvColumn[] {
  if (grid === undefined) return [];
  return [
    ["timesFrom", ({ times }) => times && grid.from],
    ["timesSeconds", ({ times }) => times && grid.seconds],
    ["times", ({ times }) => times?.join(" ")],
  ];
}

const robotsColumns: readonly CsvColumn[] = [
  ["robotsFetched", ({ robots }) => robots && String(robots.fetched)],
  ["robotsLastStatus", ({ robots }) => robots?.lastStatus],
  ["robotsApplies", ({ robots }) => robots && String(robots.applies)],
  ["robotsAllowed", ({ robots }) => robots?.allowed],
  ["robotsDisallowed", ({ robots }) => robots?.disallowed],
  ["robotsExcused", ({ robots }) => robots?.excused],
  ["robotsPaths", ({ robots }) => robots && toPaths(robots.paths, robots.pathsExact)],
];

const delayColumns: readonly CsvColumn[] = [
  ["crawlDelay", ({ robots }) => robots?.crawlDelay?.seconds],
  ["crawlDelayExceeding", ({ robots }) => robots?.crawlDelay?.exceeding],
  ["crawlDelayExact", ({ robots }) => robots?.crawlDelay && String(robots.crawlDelay.exact)],
];

function resultColumns(
  prefix: string,
  countsOf: (row: CrawlerReport) => VerificationCounts | undefined,
): readonly CsvColumn[] {
  return verificationResults.map((result) => [
    prefix === "" ? result : prefix + capitalize(result),
    (row) => countsOf(row)?.[result],
  ]);
}

/** Addresses and networks, each with its requests and times: `192.0.2.1 12 2026-03-02T10:15:00Z 2026-03-02T10:20:00Z`. */
const suspectColumns: readonly CsvColumn[] = suspectStatuses.flatMap((status): CsvColumn[] => [
  [
    `${status}Addresses`,
    ({ suspects }) => toCell(suspects?.addresses, status, ({ address }: SuspectAddress) => address ?? "-"),
  ],
  [`${status}Networks`, ({ suspects }) => toCell(suspects?.networks, status, ({ network }: SuspectNetwork) => network)],
]);

function toCell<One extends SuspectAddress | SuspectNetwork>(
  all: readonly One[] = [],
  wanted: One["status"],
  nameOf: (one: One) => string,
): string {
  return all
    .filter(({ status }) => status === wanted)
    .map((one) => [nameOf(one), one.requests, one.first, one.last].join(" ").trim())
    .join("; ");
}

/** The basis of the verification is the same in each row: a spreadsheet has no other place for it. */
function basisColumns({ verificationBasis: basis }: Report): readonly CsvColumn[] {
  if (basis === undefined) return [];
  return (["listsFrom", "listsTo", "dnsAsked", "dnsFailed"] as const).map((id) => [id, () => basis[id]]);
}

/** The visits from the pages of the crawler's operator, and the crawler's requests for each of them. */
function referralColumns({ referrals }: Report): readonly CsvColumn[] {
  if (referrals === undefined) return [];
  const visits = new Map(referrals.operators.map(({ operator, visits }) => [operator, visits]));
  const visitsOf = ({ operator = "" }: CrawlerReport): number | undefined => visits.get(operator);
  return [
    ["operatorVisits", visitsOf],
    ["fetchesPerVisit", (row) => toFetchesPerVisit(fetchesOf(row), visitsOf(row) ?? 0)],
  ];
}

function comparisonColumns({ crawlers, hasSizes, before, now }: Comparison): readonly CsvColumn[] {
  const byName = new Map(crawlers.map((row) => [row.name, row]));
  const figures = (what: "requests" | "bytes"): readonly CsvColumn[] =>
    changeFigures.map((figure: keyof Change) => [
      what + capitalize(figure),
      ({ name }) => byName.get(name)?.[what]?.[figure],
    ]);
  return [
    ["status", ({ name }) => byName.get(name)?.status],
    ...figures("requests"),
    ...(hasSizes ? figures("bytes") : []),
    ["fromBefore", () => before.period?.from],
    ["toBefore", () => before.period?.to],
    ["fromNow", () => now.period?.from],
    ["toNow", () => now.period?.to],
  ];
}

/** A crawler of the earlier report as a row without requests. */
function toEmptyCrawler({ name, category, rule }: ComparedCrawler): CrawlerReport {
  return {
    ...{ name, category, rule, purposes: [], requests: 0, bytes: 0, statuses: {}, robotsTxt: 0, robotsStatuses: {} },
    ...{ paths: [], pathsExact: true, clientErrors: [], serverErrors: [] },
  };
}
