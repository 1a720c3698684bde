/** The section of a report's crawlers. */
import { networkKinds } from "../../detect/verification.ts";
import type { RequestedPath } from "../count/path-counts.ts";
import { sumOf } from "../count/sums.ts";
import type { CrawlerReport, Report } from "./report.ts";
import { isExactPath, toCount, toEstimate } from "./report-text.ts";
import type { ReportView } from "./report-view.ts";
import { bar, type Column, codes, count, name, type Section, share, size, text, time } from "./section.ts";

type CrawlerColumn = Column<CrawlerReport>;

/** From this share of its requests on, a crawler's 4xx are marked. */
const manyErrors = 0.1;

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

function shownColumns(report: Report): Section<CrawlerReport>["columns"] {
  const missing = report.crawlers.map(shareWithoutStatus);
  // A log without any statuses needs no column for their absence.
  const isMixed = missing.some((share) => share > 0) && missing.some((share) => share < 1);
  return [
    { ...text("category", ({ category }) => category, 8), only: "text" },
    { ...bar(({ requests }) => requests), only: "text" },
    { ...text("over time", ({ times }) => times, 9), kind: "bars", only: "html" },
    count("requests", ({ requests }) => requests),
    share("share", ({ requests }) => requests / report.requests, 2),
    report.hasSizes && size("bytes", ({ bytes }) => bytes, 3),
    ...[2, 3, 4, 5].map((digit): CrawlerColumn => {
      const of = (crawler: CrawlerReport): number | undefined => shareOfClass(crawler, digit);
      const least = digit === 5 ? 0 : manyErrors;
      const rank = digit === 5 ? 1 : digit === 4 ? 3 : 7;
      return { ...share(`${digit}xx`, of, rank), isAlarm: (row) => digit >= 4 && (of(row) ?? 0) > least };
    }),
    isMixed && share("no status", shareWithoutStatus, 7),
    {
      ...codes("robots.txt", toRobotsTxt, 4),
      isAlarm: ({ robotsStatuses }) => refusalsOf(robotsStatuses) > 0,
    },
    time(`first (${report.timezone})`, ({ first }) => first, 5),
    time(`last (${report.timezone})`, ({ last }) => last, 6),
  ];
}

/** The share of requests with a status code that begins with a digit; undefined where the log has no statuses. */
function shareOfClass({ statuses, requests }: CrawlerReport, digit: number): number | undefined {
  return Object.keys(statuses).length === 0 ? undefined : requestsWith(statuses, new RegExp(`^${digit}`)) / requests;
}

/** Errors of clients other than 401, 403 and 429, which are the site's own decision. */
export const clientErrors = /^4(?!0[13]|29)/;

/** The requests with a status code that matches. */
export function requestsWith(statuses: CrawlerReport["statuses"], code: RegExp): number {
  return sumOf(Object.entries(statuses), ([each, requests]) => (code.test(each) ? requests : 0));
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
  return requestsWith(statuses, /^403|^5/);
}
