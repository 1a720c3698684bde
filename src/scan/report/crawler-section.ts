/** The section of a report's crawlers. */
import { networkKinds } from "../../detect/verification.ts";
import type { RequestedPath } from "../count/path-counts.ts";
import { sumOf } from "../count/sums.ts";
import type { CrawlerReport, Report } from "./report.ts";
import { isExactPath, toCount, toEstimate, toMinute } from "./report-text.ts";
import type { ReportView } from "./report-view.ts";
import {
  bar,
  type Column,
  codes,
  count,
  everywhere,
  type Level,
  name,
  type Section,
  share,
  size,
  text,
  time,
} from "./section.ts";

type CrawlerColumn = Column<CrawlerReport>;

export function crawlerSection({ report }: ReportView): Section<CrawlerReport> {
  const { timezone } = report;
  return {
    ...{ id: "crawlers", title: "Crawlers", rows: report.crawlers, top: 30, topOfShort: 10, in: everywhere },
    columns: [
      {
        ...name<CrawlerReport>("crawler", ({ name }) => name),
        ...{ in: everywhere, most: 24, link: ({ url }) => url, below: toFacts },
        beside: ({ verification }) => [
          ...(verification?.verified ? [[`${toCount(verification.verified)} verified`] as const] : []),
          ...(verification?.spoofed ? [[`${toCount(verification.spoofed)} spoofed`, "alarm"] as const] : []),
        ],
      },
      ...shownColumns(report),
    ],
    details: (crawler, output) => (output === "html" ? toDetails(crawler, timezone) : []),
    isOpen: true,
  };
}

/** What the table has no room for. */
function toDetails(crawler: CrawlerReport, timezone: string): readonly string[] {
  const { first, last, networks, paths, pathsExact, serverErrors, clientErrors } = crawler;
  const fetches = toRobotsTxt(crawler);
  const kinds = networkKinds.flatMap((kind) => (networks?.[kind] ? [`${kind} ${toCount(networks[kind])}`] : []));
  return [
    ...(first === undefined ? [] : [`${toMinute(first)} to ${toMinute(last)} ${timezone}`]),
    ...(fetches.length === 0 ? [] : [`robots.txt: ${fetches.join(", ")}`]),
    ...(kinds.length === 0 ? [] : [`Networks: ${kinds.join(", ")}`]),
    ...toPathLines(paths, pathsExact),
    ...toPathLines(serverErrors, pathsExact).map((line) => `5xx: ${line}`),
    ...toPathLines(clientErrors, pathsExact).map((line) => `4xx: ${line}`),
  ];
}

export function ruleCrawlerSection(view: ReportView): Section<CrawlerReport> {
  const section = crawlerSection(view);
  return {
    ...{ ...section, in: ["text", "html"] },
    ...{ id: "unlisted", title: "Crawlers without a catalogue entry, recognized by a rule" },
    ...{ rows: section.rows.filter(({ rule }) => rule), top: 15, isOpen: false },
  };
}

/** `/a: 12`, `/b: about 1,200`. */
export function toPathLines(paths: readonly RequestedPath[], isExact: boolean): readonly string[] {
  return paths.map(({ path, requests }) => `${path}: ${toEstimate(requests, isExactPath(path, isExact))}`);
}

/** `OpenAI · ai, training`. */
function toFacts({ operator, maker, category, purposes }: CrawlerReport): string {
  return [operator, maker && `made by ${maker}`, [category, ...purposes].join(", ")].filter(Boolean).join(" · ");
}

function shownColumns(report: Report): Section<CrawlerReport>["columns"] {
  const missing = report.crawlers.map(shareWithoutStatus);
  // A log without any statuses needs no column for their absence.
  const hasStatuses = missing.some((share) => share < 1);
  const isMixed = hasStatuses && missing.some((share) => share > 0);
  const only = { text: { in: ["text"] }, html: { in: ["html"] }, short: { in: ["short"] } } as const;
  const levelOf = ({ verification }: CrawlerReport) => (verification?.spoofed ? "alarm" : undefined);
  const isVerified = report.verificationBasis !== undefined;
  return [
    { ...text("operator", ({ operator, maker }) => operator ?? maker, 7), ...only.short, most: 16 },
    { ...text("category", ({ category }) => category, 8), in: ["text", "short"] },
    { ...bar(({ requests }) => requests), ...only.text },
    { ...text("over time", ({ times }) => times, 9), kind: "bars", ...only.html },
    { ...count("requests", ({ requests }) => requests), in: everywhere },
    { ...share("share", ({ requests }) => requests / report.requests, 2), in: everywhere },
    report.hasSizes && { ...size("bytes", ({ bytes }) => bytes, 3), in: everywhere },
    hasStatuses && { ...count("errors", errorsOf, 1), ...only.short },
    isVerified && { ...count("verified", ({ verification }) => verification?.verified), ...only.short },
    isVerified && { ...count("spoofed", ({ verification }) => verification?.spoofed), ...only.short, levelOf },
    ...([2, 3, 4, 5] as const).map((digit): CrawlerColumn => {
      const of = (crawler: CrawlerReport): number | undefined => shareOfClass(crawler, digit);
      const rank = digit === 5 ? 1 : digit === 4 ? 3 : 7;
      if (digit < 4) return { ...share(`${digit}xx`, of, rank), ...only.text };
      return { ...share(`${digit}xx`, of, rank), levelOf: digit === 4 ? levelOfClientErrors : levelOfServerErrors };
    }),
    isMixed && share("no status", shareWithoutStatus, 7),
    { ...codes("robots.txt", toRobotsTxt, 4), levelOf: levelOfRobotsTxt, ...only.text },
    { ...text("robots.txt", toRefused), levelOf: levelOfRobotsTxt, ...only.html },
    { ...time(`first (${report.timezone})`, ({ first }) => first, 5), ...only.text },
    { ...time(`last (${report.timezone})`, ({ last }) => last, 6), ...only.text },
  ];
}

/** Status codes by their first digit. */
const classes = { 2: /^2/, 3: /^3/, 4: /^4/, 5: /^5/ } as const;

function levelOfClientErrors({ statuses, requests }: CrawlerReport): Level | undefined {
  return requestsWith(statuses, classes[4]) >= Math.max(10, 0.1 * requests) ? "warning" : undefined;
}

function levelOfServerErrors({ statuses, requests }: CrawlerReport): Level | undefined {
  const errors = requestsWith(statuses, classes[5]);
  return errors >= Math.max(10, 0.05 * requests) ? "alarm" : errors > 0 ? "warning" : undefined;
}

/** The share of requests with a status code that begins with a digit; undefined where the log has no statuses. */
function shareOfClass({ statuses, requests }: CrawlerReport, digit: keyof typeof classes): number | undefined {
  return Object.keys(statuses).length === 0 ? undefined : requestsWith(statuses, classes[digit]) / requests;
}

/** Errors of clients other than 401, 403 and 429, which are the site's own decision; and the site's own errors besides. */
export const clientErrors = /^4(?!0[13]|29)/;
const errors = /^5|^4(?!0[13]|29)/;

/** Undefined for a crawler without statuses. */
function errorsOf({ statuses }: CrawlerReport): number | undefined {
  return Object.keys(statuses).length === 0 ? undefined : requestsWith(statuses, errors);
}

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

/** The requests of /robots.txt, and how many were refused: `54 of 1,869`. */
function toRefused({ robotsTxt, robotsStatuses }: CrawlerReport): string {
  const refused = refusalsOf(robotsStatuses);
  return refused > 0 ? `${toCount(refused)} of ${toCount(robotsTxt)}` : robotsTxt > 0 ? toCount(robotsTxt) : "";
}

function levelOfRobotsTxt({ robotsStatuses }: CrawlerReport): Level | undefined {
  return refusalsOf(robotsStatuses) > 0 ? "alarm" : undefined;
}

/** Responses after which a crawler may stop crawling, or assume that everything is allowed: 5xx and 403. */
export function refusalsOf(statuses: Readonly<Record<string, number>>): number {
  return requestsWith(statuses, /^403|^5/);
}
