/** All sections of a report, in their order. */
import { networkKinds } from "../../detect/verification.ts";
import { manyOthers } from "../count/crawler-tally.ts";
import type { PathSums } from "../count/path-counts.ts";
import { anyQuery } from "../count/robots-counts.ts";
import { authorsOf } from "./authors.ts";
import {
  type BrowserReport,
  toAddressCount,
  toBrowserRequests,
  toBrowsersNote,
  toBrowsersSummary,
  toShortString,
} from "./browsers-report.ts";
import { comparisonSections } from "./comparison-sections.ts";
import type { CrawlerAddressReport } from "./crawler-addresses-report.ts";
import { crawlerSection, ruleCrawlerSection, toPathLines } from "./crawler-section.ts";
import { findingSection, tileSection, totalSection } from "./first-sections.ts";
import { type Bar, joinIntervals, toLabel } from "./join-intervals.ts";
import { type OperatorReferrals, toPurposes, toRatio, toReferralsNote, toSources } from "./referrals-report.ts";
import { type CrawlerReport, type Group, hasManyOthers, type PathReport, type Report } from "./report.ts";
import { isExactPath, toCount, toCrawlerCount, toEstimate } from "./report-text.ts";
import type { ReportView } from "./report-view.ts";
import {
  crawlersExceedingDelay,
  toExceeding,
  toFetched,
  toRobotsSentences,
  violatingCrawlers,
} from "./robots-report.ts";
import { bar, type Column, codes, count, type Level, name, type Section, share, size, text, time } from "./section.ts";
import { networkOf, suspectsOf } from "./suspects.ts";
import { toBasisText, toResultTexts, toVerificationText, verificationResults } from "./verification.ts";

const shownGroups = 15;
const shownCrawlers = 30;
const shownPaths = 15;
const shownSuspects = 20;

export function toSections(view: ReportView): readonly Section<unknown>[] {
  const { report } = view;
  return [
    tileSection(view),
    totalSection(view),
    findingSection(view),
    chartSection(report),
    timeSection(report),
    crawlerSection(view),
    ...comparisonSections(view),
    groupSection("categories", "Crawlers by category", "category", report.categories, report),
    {
      ...groupSection("purposes", "AI crawlers by purpose", "purpose", aiPurposes(report), report),
      note: purposesNoteOf(report),
    },
    { ...groupSection("operators", "Crawlers by operator", "operator", report.operators, report), top: shownGroups },
    ruleCrawlerSection(view),
    robotsSection(report),
    delaySection(report),
    verificationSection(report),
    networkSection(report),
    suspectSection(report),
    referralSection(report),
    browserSection(report),
    crawlerAddressSection(report),
    pathSection(report),
    byteSection(report),
    directorySection(report),
    errorSection(report),
  ];
}

/** The purposes of AI crawlers, the most requests first. */
function aiPurposes({ purposes }: Report): readonly Group[] {
  return purposes
    .map(({ name, ai }) => ({ name, ...ai }))
    .filter(({ requests }) => requests > 0)
    .sort((one, other) => other.requests - one.requests || (one.name < other.name ? -1 : 1));
}

/** Why the requests by purpose are more than those of AI crawlers; undefined if they are not. */
function purposesNoteOf({ crawlers }: Report): string | undefined {
  const isSummed = crawlers.some(({ category, purposes }) => category === "ai" && purposes.length > 1);
  return isSummed ? "A crawler with several purposes counts in each." : undefined;
}

function groupSection(id: string, title: string, head: string, rows: readonly Group[], report: Report): Section<Group> {
  const { requests: all, bytes: allBytes, hasSizes } = report;
  /** Whether the group has the crawlers that are counted together. */
  const isOpen = (group: Group): boolean =>
    hasManyOthers(report) && (group.name === null || group.name === manyOthers.category);
  return {
    ...{ id, title, rows },
    columns: [
      name(head, ({ name }) => name ?? "unknown"),
      bar(({ requests }) => requests),
      count("crawlers", (group) => toCrawlerCount(group.crawlers, isOpen(group)), 3),
      count("requests", ({ requests }) => requests),
      share("share", ({ requests }) => requests / all, 1),
      hasSizes && size("bytes", ({ bytes }) => bytes, 2),
      hasSizes && share("share of bytes", ({ bytes }) => bytes / allBytes, 4),
    ],
  };
}

const seenIn = (timezone: string): readonly Column<{ readonly first?: string; readonly last?: string }>[] => [
  time(`first (${timezone})`, ({ first }) => first, 6),
  time(`last (${timezone})`, ({ last }) => last, 7),
];

/** Who requested what robots.txt disallows. That no crawler did is a result. */
function robotsSection({ crawlers }: Report): Section<ReturnType<typeof violatingCrawlers<CrawlerReport>>[number]> {
  const rows = violatingCrawlers(crawlers);
  const sentences = toRobotsSentences(crawlers);
  return {
    ...{ id: "robots", title: "Requests for paths that robots.txt disallows", summary: sentences?.summary },
    ...{ note: sentences?.all, rows, top: shownCrawlers, isShownEmpty: sentences !== undefined },
    columns: [
      name("crawler", ({ name }) => name),
      count("disallowed", ({ robots }) => robots.disallowed),
      count("allowed", ({ robots }) => robots.allowed, 1),
      rows.some(({ robots }) => robots.verification) &&
        codes("verification", ({ robots }) => toResultTexts(robots.verification), 2),
      text("robots.txt", ({ robots }) => toFetched(robots), 3),
    ],
    details: ({ robots: { paths, pathsExact } }) =>
      toPathLines(
        paths.map(({ path, requests, isByQuery }) => ({ path: isByQuery ? `${path}${anyQuery}` : path, requests })),
        pathsExact,
      ),
    detailsName: "paths",
  };
}

/** Who made more requests than the Crawl-delay allows. */
function delaySection({ crawlers }: Report): Section<ReturnType<typeof crawlersExceedingDelay<CrawlerReport>>[number]> {
  const rows = crawlersExceedingDelay(crawlers);
  return {
    ...{ id: "crawl-delay", title: "Requests beyond the Crawl-delay" },
    summary: `${rows.length === 1 ? "1 crawler" : `${toCount(rows.length)} crawlers`} exceeded the Crawl-delay.`,
    ...{ rows, top: shownCrawlers },
    columns: [
      name("crawler", ({ name }) => name),
      count("requests", ({ robots }) => toExceeding(robots.crawlDelay!)),
      count("delay", ({ robots }) => `${robots.crawlDelay!.seconds} s`, 1),
      rows.some(({ robots }) => robots.verification) &&
        codes("verification", ({ robots }) => toResultTexts(robots.crawlDelay?.verification), 2),
    ],
  };
}

function verificationSection({ crawlers, verificationBasis: basis }: Report): Section<CrawlerReport> {
  const rows = crawlers.filter(({ verification }) => verification !== undefined);
  return {
    ...{ id: "verification", title: "Verified by address" },
    note: `Requests: ${toVerificationText(crawlers)}.${basis === undefined ? "" : ` Verified by ${toBasisText(basis)}.`}`,
    ...{ summary: basis && `Verified by ${toBasisText(basis)}.`, rows, top: shownCrawlers },
    columns: [
      name("crawler", ({ name }) => name),
      ...verificationResults.map((result): Column<CrawlerReport> => {
        const of = ({ verification }: CrawlerReport): number => verification?.[result] ?? 0;
        return { ...count(result, of), levelOf: (row) => (result === "spoofed" && of(row) > 0 ? "alarm" : undefined) };
      }),
      share(
        "spoofed share",
        ({ verification: { verified = 0, spoofed = 0 } = {}, requests }) =>
          verified + spoofed === 0 ? undefined : spoofed / requests,
        1,
      ),
    ],
  };
}

function networkSection({ crawlers }: Report): Section<CrawlerReport> {
  return {
    ...{ id: "crawler-networks", title: "Networks of crawlers' addresses" },
    ...{ rows: crawlers.filter(({ networks }) => networks !== undefined), top: shownCrawlers },
    columns: [
      name("crawler", ({ name }) => name),
      ...networkKinds.map((kind) => count<CrawlerReport>(kind, ({ networks }) => networks?.[kind] ?? 0)),
    ],
  };
}

/** The networks of spoofed and unverifiable requests, and the addresses of each. */
function suspectSection(report: Report): Section<SuspectRow> {
  const addresses = suspectsOf(report, "addresses");
  const alone = addresses
    .filter(({ address }) => networkOf(address ?? "") === undefined)
    .map(({ address, ...one }) => ({ ...one, network: address ?? "(no address)", addresses: 0 }));
  const isSpoofed = ({ status }: SuspectRow): number => Number(status === "spoofed");
  return {
    ...{ id: "networks", title: "Networks behind spoofed and unverifiable names" },
    note: "Spoofed: the operator's lists or DNS exclude the address. Unverifiable: neither is proven.",
    rows: [...suspectsOf(report, "networks"), ...alone].sort(
      (one, other) => isSpoofed(other) - isSpoofed(one) || other.requests - one.requests,
    ),
    top: shownSuspects,
    columns: [
      name("network", ({ network }) => network),
      text("claims to be", ({ name }) => name, 1),
      {
        ...text("result", ({ status }) => status),
        levelOf: ({ status }) => (status === "spoofed" ? "alarm" : undefined),
      },
      count("addresses", ({ addresses }) => addresses, 2),
      count("requests", ({ requests }) => requests),
      ...seenIn(report.timezone),
    ],
    details: ({ name, status, network }) =>
      addresses
        .filter((one) => one.name === name && one.status === status && networkOf(one.address ?? "") === network)
        .map(({ address, requests }) => `${address}: ${toCount(requests)}`),
    detailsName: "addresses",
  };
}

interface SuspectRow {
  readonly name: string;
  readonly status: string;
  readonly network: string;
  readonly addresses: number;
  readonly requests: number;
  readonly first?: string;
  readonly last?: string;
}

/** Visits from operators' pages and apps, beside what their crawlers fetched. */
function referralSection({ referrals }: Report): Section<OperatorReferrals> {
  return {
    ...{ id: "referrals", title: "Referrals from operators", note: referrals && toReferralsNote(referrals) },
    ...{ rows: referrals?.operators ?? [], top: shownGroups },
    columns: [
      { ...name("operator", ({ operator }) => operator), below: toSources },
      count("visits", ({ visits }) => visits),
      count("fetches", ({ fetches }) => fetches, 1),
      count("fetches per visit", toRatio),
      { ...text("page or app", toSources, 3), in: ["text"] },
      codes("fetches by purpose", toPurposes, 2),
    ],
  };
}

/** The strings of browsers with the most requests. On a terminal, they would lose the end, which tells them apart. */
function browserSection({ browsers, timezone }: Report): Section<BrowserReport> {
  return {
    ...{ id: "browsers", title: "Browser strings", note: browsers && toBrowsersNote(browsers) },
    ...{ summary: browsers && toBrowsersSummary(browsers), rows: browsers?.strings ?? [] },
    ...{ top: shownSuspects, isShownEmpty: browsers !== undefined },
    columns: [
      { ...name("user agent", ({ useragent }) => useragent), short: ({ useragent }) => toShortString(useragent) },
      {
        ...text("", ({ isProgram }) => (isProgram ? "like a program" : undefined)),
        levelOf: ({ isProgram }) => (isProgram ? "alarm" : undefined),
      },
      count("requests", toBrowserRequests),
      count("addresses", toAddressCount, 1),
      share("assets", ({ assetShare }) => assetShare, 2),
      share("with referrer", ({ referrerShare }) => referrerShare, 3),
      { ...text(`hours (${timezone})`, ({ hours }) => hours, 9), kind: "bars", in: ["html"] },
      share("quietest 8 h", ({ quietShare }) => quietShare, 4),
      ...seenIn(timezone),
    ],
  };
}

/** People's strings from addresses that operators publish as those of crawlers. */
function crawlerAddressSection({ crawlerAddresses = [], hasSizes, timezone }: Report): Section<CrawlerAddressReport> {
  return {
    ...{ id: "crawler-addresses", title: "Browser strings from crawlers' addresses" },
    note: "Operators publish these addresses as those of certain crawlers and no others. The crawlers may look at pages as browsers do.",
    rows: crawlerAddresses,
    columns: [
      name("operator", ({ operator }) => operator),
      count("requests", ({ requests }) => requests),
      hasSizes && size("bytes", ({ bytes }) => bytes, 1),
      text("list", ({ source }) => source, 3),
      ...seenIn(timezone),
    ],
    details: ({ paths, useragents, incomplete }) => [
      ...paths.map(({ path, requests }) => `${path}: ${toCount(requests)}`),
      ...useragents.map(({ useragent, requests }) => `${useragent}: ${toCount(requests)}`),
      ...(incomplete ? ["More than 10,000 different paths or strings: the most frequent ones may be missing."] : []),
    ],
    detailsName: "paths and strings",
  };
}

function pathSection({ paths, pathsExact }: Report): Section<PathReport> {
  return {
    ...{ id: "paths", title: "Paths that crawlers fetched most", rows: paths, top: shownPaths },
    columns: [
      name("path", ({ path }) => path),
      bar(({ requests }) => requests),
      count("requests", ({ path, requests }) => toEstimate(requests, isExactPath(path, pathsExact))),
      text("top crawler", ({ most }) => most, 1),
    ],
  };
}

function byteSection({ pathsByBytes, pathsExact, crawlerBytes, hasSizes }: Report): Section<PathSums> {
  return {
    ...{ id: "bytes", title: "Paths with the most bytes to crawlers", note: pathsExact ? undefined : lowerBounds },
    ...{ rows: hasSizes ? pathsByBytes : [], top: shownPaths },
    columns: [
      name("path", ({ path }) => path),
      bar(({ bytes }) => bytes),
      size("bytes", ({ bytes }) => bytes),
      share("of crawlers' bytes", ({ bytes }) => bytes / crawlerBytes, 1),
      count("requests", ({ requests }) => requests),
    ],
  };
}

const lowerBounds = "There were more paths than fit into memory: the figures are lower bounds.";

function directorySection({ directories, pathsExact, crawlerRequests, hasSizes }: Report): Section<PathSums> {
  return {
    ...{ id: "directories", title: "Directories that crawlers fetched most" },
    ...{ note: pathsExact ? undefined : lowerBounds, rows: directories, top: shownPaths },
    columns: [
      name("directory", ({ path }) => path),
      bar(({ requests }) => requests),
      count("requests", ({ requests }) => requests),
      share("of crawlers' requests", ({ requests }) => requests / crawlerRequests, 1),
      hasSizes && size("bytes", ({ bytes }) => bytes),
    ],
  };
}

/** The paths of errors, the site's own errors first. */
function errorSection({ clientErrors, serverErrors, pathsExact }: Report): Section<PathReport & { status: string }> {
  return {
    ...{ id: "errors", title: "Paths where crawlers got errors" },
    rows: [
      ...serverErrors.map((row) => ({ ...row, status: "5xx" })),
      ...clientErrors.map((row) => ({ ...row, status: "4xx" })),
    ],
    top: 2 * shownPaths,
    columns: [
      name("path", ({ path }) => path),
      { ...text("status", ({ status }) => status), levelOf: levelOfError },
      count("requests", ({ requests }) => toEstimate(requests, pathsExact)),
      text("top crawler", ({ most }) => most, 1),
    ],
  };
}

/** As in the table of crawlers, but without a share: red from 10 requests. */
function levelOfError({ status, requests }: PathReport & { status: string }): Level | undefined {
  if (status !== "5xx") return undefined;
  return requests >= 10 ? "alarm" : "warning";
}

/** The page draws it. */
function chartSection({ times }: Report): Section<unknown> {
  return { id: "chart", title: "Requests over time", kind: "chart", rows: times, columns: [], in: ["html"] };
}

/** A month of days. */
const shownTimes = 40;

/** The chart as a table. */
function timeSection(report: Report): Section<Bar> {
  const { times, timezone } = report;
  const authorOf = authorsOf(report);
  const { seconds, bars } = joinIntervals(times, shownTimes);
  return {
    ...{ id: "times", title: "Requests over time", rows: bars, in: ["text"] },
    columns: [
      text(`from (${timezone})`, ({ from }) => toLabel(from, seconds)),
      bar(({ crawlers }) => crawlers),
      count("requests", ({ all }) => all),
      count("crawlers", ({ crawlers }) => crawlers),
      share("share", ({ crawlers, all }) => crawlers / all, 1),
      text("top crawler", ({ from }) => authorOf(from / 1000, seconds)?.name, 2),
    ],
  };
}
