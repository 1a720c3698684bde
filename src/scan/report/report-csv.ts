/** A report as CSV for spreadsheets: one crawler a row. */

import { statedFacts } from "../../detect/facts.ts";
import { networkKinds } from "../../detect/verification.ts";
import { capitalize } from "../../text/capitalize.ts";
import { toSpreadsheetCsv } from "../../text/csv.ts";
import { toPlain } from "../../text/plain-text.ts";
import type { VerificationCounts } from "../count/tally.ts";
import type { FleetReport } from "./fleets-report.ts";
import { fetchesOf, toFetchesPerVisit } from "./referrals-report.ts";
import type { CrawlerReport, Report } from "./report.ts";
import { isExactPath, verificationResults } from "./report-text.ts";
import { type SuspectAddress, type SuspectNetwork, suspectStatuses } from "./suspects.ts";

type Cell = string | number;

const columns: Readonly<Record<string, (crawler: CrawlerReport) => Cell>> = {
  name: ({ name }) => name,
  ...Object.fromEntries(
    statedFacts().map((fact) => [fact, (crawler: CrawlerReport) => [crawler[fact] ?? ""].flat().join(" ")]),
  ),
  rule: ({ rule }) => String(rule),
  requests: ({ requests }) => requests,
  bytes: ({ bytes }) => bytes,
  first: ({ first }) => first ?? "",
  last: ({ last }) => last ?? "",
  statuses: ({ statuses }) =>
    Object.entries(statuses)
      .map(([code, count]) => `${code}:${count}`)
      .join(" "),
  robotsTxt: ({ robotsTxt }) => robotsTxt,
  paths: ({ paths, pathsExact }) =>
    paths.map(({ path, requests }) => `${path}:${isExactPath(path, pathsExact) ? "" : "about "}${requests}`).join(" "),
  pathsExact: ({ pathsExact }) => String(pathsExact),
};

const verificationColumns = Object.fromEntries(
  verificationResults.map((status) => [
    status,
    ({ verification }: CrawlerReport): Cell => verification?.[status] ?? "",
  ]),
);

const robotsColumns: Readonly<Record<string, (crawler: CrawlerReport) => Cell>> = {
  robotsFetched: ({ robots }) => String(robots?.fetched ?? ""),
  robotsLastStatus: ({ robots }) => robots?.lastStatus ?? "",
  robotsApplies: ({ robots }) => String(robots?.applies ?? ""),
  robotsAllowed: ({ robots }) => robots?.allowed ?? "",
  robotsDisallowed: ({ robots }) => robots?.disallowed ?? "",
  robotsExcused: ({ robots }) => robots?.excused ?? "",
  robotsPaths: ({ robots }) =>
    (robots?.paths ?? [])
      .map(({ path, requests }) => `${path}:${robots?.pathsExact ? "" : "about "}${requests}`)
      .join(" "),
};

/** The disallowed requests by the result of verification. */
const robotsVerificationColumns = toResultColumns("robotsDisallowed", ({ robots }) => robots?.verification);

const delayColumns: Readonly<Record<string, (crawler: CrawlerReport) => Cell>> = {
  crawlDelay: ({ robots }) => robots?.crawlDelay?.seconds ?? "",
  crawlDelayExceeding: ({ robots }) => robots?.crawlDelay?.exceeding ?? "",
  crawlDelayExact: ({ robots }) => String(robots?.crawlDelay?.exact ?? ""),
};

const delayVerificationColumns = toResultColumns(
  "crawlDelayExceeding",
  ({ robots }) => robots?.crawlDelay?.verification,
);

function toResultColumns(
  name: string,
  countsOf: (crawler: CrawlerReport) => VerificationCounts | undefined,
): Readonly<Record<string, (crawler: CrawlerReport) => Cell>> {
  return Object.fromEntries(
    verificationResults.map((result) => [name + capitalize(result), (crawler) => countsOf(crawler)?.[result] ?? ""]),
  );
}

const networkColumns = Object.fromEntries(
  networkKinds.map((kind) => [kind, ({ networks }: CrawlerReport): Cell => networks?.[kind] ?? ""]),
);

/** Addresses and networks, each with its requests and times: `192.0.2.1 12 2026-03-02T10:15:00Z 2026-03-02T10:20:00Z`. */
const suspectColumns = Object.fromEntries(
  suspectStatuses.flatMap((status): [string, (crawler: CrawlerReport) => Cell][] => [
    [
      `${status}Addresses`,
      ({ suspects }) => toCell(suspects?.addresses, status, ({ address }: SuspectAddress) => address ?? "-"),
    ],
    [
      `${status}Networks`,
      ({ suspects }) => toCell(suspects?.networks, status, ({ network }: SuspectNetwork) => network),
    ],
  ]),
);

function toCell<One extends SuspectAddress | SuspectNetwork>(
  all: readonly One[] = [],
  wanted: One["status"],
  nameOf: (one: One) => string,
): Cell {
  return all
    .filter(({ status }) => status === wanted)
    .map((one) => [nameOf(one), one.requests, one.first, one.last].join(" ").trim())
    .join("; ");
}

/** The basis of the verification is the same in each row: a spreadsheet has no other place for it. */
function toBasisColumns({ verificationBasis: basis }: Report): Record<string, () => Cell> {
  if (basis === undefined) return {};
  const { listsFrom = "", listsTo = "", dnsAsked, dnsFailed } = basis;
  return { listsFrom: () => listsFrom, listsTo: () => listsTo, dnsAsked: () => dnsAsked, dnsFailed: () => dnsFailed };
}

/** The visits from the pages of the crawler's operator, and the crawler's requests for each of them. */
function toReferralColumns({ referrals }: Report): Record<string, (crawler: CrawlerReport) => Cell> {
  if (referrals === undefined) return {};
  const visits = new Map(referrals.operators.map(({ operator, visits }) => [operator, visits]));
  const visitsOf = ({ operator = "" }: CrawlerReport): number | undefined => visits.get(operator);
  return {
    operatorVisits: (crawler) => visitsOf(crawler) ?? "",
    fetchesPerVisit: (crawler) => toFetchesPerVisit(fetchesOf(crawler), visitsOf(crawler) ?? 0) ?? "",
  };
}

/** Rows of their own below the crawlers: no column of crawlers has a value in them. */
const fleetColumns: Readonly<Record<string, (fleet: FleetReport) => Cell>> = {
  fleetUseragent: ({ useragent }) => useragent,
  fleetRequests: ({ requests }) => requests,
  fleetMissed: ({ missed }) => missed,
  fleetAddresses: ({ addresses }) => addresses,
  fleetAddressesMargin: ({ addressesMargin }) => addressesMargin,
  fleetRequestsPerAddress: ({ requestsPerAddress }) => requestsPerAddress,
  fleetAssets: ({ assets }) => assets ?? "",
  fleetWithReferrer: ({ withReferrer }) => withReferrer ?? "",
  fleetQuietShare: ({ quietShare }) => quietShare ?? "",
  fleetFirst: ({ first }) => first ?? "",
  fleetLast: ({ last }) => last ?? "",
};

export function toCsv(report: Report): string {
  const { crawlers, hasSizes } = report;
  const isVerified = crawlers.some(({ verification }) => verification !== undefined);
  const hasNetworks = crawlers.some(({ networks }) => networks !== undefined);
  const hasRobots = crawlers.some(({ robots }) => robots !== undefined);
  const hasDelay = crawlers.some(({ robots }) => robots?.crawlDelay !== undefined);
  const { bytes, ...others } = columns;
  const all = {
    ...(hasSizes ? columns : others),
    ...(hasRobots && robotsColumns),
    ...(hasRobots && isVerified && robotsVerificationColumns),
    ...(hasDelay && delayColumns),
    ...(hasDelay && isVerified && delayVerificationColumns),
    ...(isVerified && verificationColumns),
    ...toReferralColumns(report),
    ...toBasisColumns(report),
    ...(hasNetworks && networkColumns),
    ...(isVerified && suspectColumns),
  };
  const ofFleets = report.fleets === undefined ? {} : fleetColumns;
  const noFleet = Object.keys(ofFleets).map(() => "");
  const noCrawler = Object.keys(all).map(() => "");
  const rows = [
    [...Object.keys(all), ...Object.keys(ofFleets)],
    ...crawlers.map((crawler) => [...Object.values(all).map((cell) => cell(crawler)), ...noFleet]),
    ...(report.fleets ?? []).map((fleet) => [...noCrawler, ...Object.values(ofFleets).map((cell) => cell(fleet))]),
  ];
  // Names and paths come from anyone, and CSV may be printed on a terminal.
  return toSpreadsheetCsv(rows.map((row) => row.map((cell) => (typeof cell === "string" ? toPlain(cell) : cell))));
}
