/** A report as CSV for spreadsheets: one crawler a row, its members in JSON as columns. docs/scan-output.md lists the columns. */
import { statedFacts } from "../../detect/facts.ts";
import { networkKinds } from "../../detect/verification.ts";
import { capitalize } from "../../text/capitalize.ts";
import { type CsvCell, toSpreadsheetCsv } from "../../text/csv.ts";
import { toPlain } from "../../text/plain-text.ts";
import type { RequestedPath } from "../count/path-counts.ts";
import { type ComparedCrawler, changeFigures, ofStatus } from "./comparison.ts";
import { fetchesOf, toFetchesPerVisit } from "./referrals-report.ts";
import type { CrawlerReport } from "./report.ts";
import { isExactPath } from "./report-text.ts";
import type { ReportView } from "./report-view.ts";
import { type SuspectAddress, type SuspectNetwork, type Suspects, suspectStatuses } from "./suspects.ts";
import { verificationResults } from "./verification.ts";

/** Members of an object, as columns; absent if no crawler has the object. */
interface Group {
  readonly of: (row: CrawlerReport) => object | undefined;
  readonly members: readonly string[];
  /** The name of a column. Default: that of the member. */
  readonly nameOf?: (member: string) => string;
}

/** A crawler that only the earlier report of a comparison has is a row, too. */
export function toCsv(view: ReportView): string {
  const { report, comparison } = view;
  const rows = [...report.crawlers, ...ofStatus(comparison?.crawlers ?? [], "gone").map(toEmptyCrawler)];
  const columns = toGroups(view)
    .filter(({ of }) => [...rows, nobody].some((row) => of(row) !== undefined))
    .flatMap(({ of, members, nameOf = (member) => member }) => members.map((member) => ({ of, member, nameOf })));
  return toSpreadsheetCsv([
    columns.map(({ member, nameOf }) => nameOf(member)),
    ...rows.map((row) => columns.map(({ of, member }) => toCell(of(row) ?? {}, member))),
  ]);
}

function toGroups({ report, comparison }: ReportView): readonly Group[] {
  const { hasSizes, crawlerTimes: grid, referrals, verificationBasis } = report;
  const visits = new Map(referrals?.operators.map(({ operator, visits }) => [operator, visits]));
  const compared = new Map(comparison?.crawlers.map((row) => [row.name, row]));
  const after = (prefix: string) => (member: string) => prefix + capitalize(member);
  const { before, now } = comparison ?? {};
  const periods = comparison && {
    ...{ fromBefore: before?.period?.from, toBefore: before?.period?.to },
    ...{ fromNow: now?.period?.from, toNow: now?.period?.to },
  };
  return [
    {
      of: (row) => row,
      members: ["name", ...statedFacts(), "rule", "requests", ...(hasSizes ? ["bytes"] : []), "first", "last"],
    },
    // A row has all that its times need.
    {
      of: ({ times }) => grid && times && { timesFrom: grid.from, timesSeconds: grid.seconds, times },
      members: ["timesFrom", "timesSeconds", "times"],
    },
    {
      of: (row) => row,
      members: ["statuses", "robotsTxt", "robotsStatuses", "paths", "pathsExact", "clientErrors", "serverErrors"],
    },
    {
      of: ({ robots }) => robots,
      members: ["fetched", "lastStatus", "applies", "allowed", "disallowed", "excused", "paths"],
      nameOf: after("robots"),
    },
    { of: ({ robots }) => robots?.verification, members: verificationResults, nameOf: after("robotsDisallowed") },
    {
      of: ({ robots }) => robots?.crawlDelay,
      members: ["seconds", "exceeding", "exact"],
      nameOf: (member) => (member === "seconds" ? "crawlDelay" : after("crawlDelay")(member)),
    },
    {
      of: ({ robots }) => robots?.crawlDelay?.verification,
      members: verificationResults,
      nameOf: after("crawlDelayExceeding"),
    },
    { of: ({ verification }) => verification, members: verificationResults },
    {
      of: (row) => referrals && toVisits(row, visits.get(row.operator ?? "")),
      members: ["operatorVisits", "fetchesPerVisit"],
    },
    // The same in each row: a spreadsheet has no other place for it.
    { of: () => verificationBasis, members: ["listsFrom", "listsTo", "dnsAsked", "dnsFailed"] },
    { of: ({ networks }) => networks, members: networkKinds },
    {
      of: ({ verification, suspects }) => verification && toSuspectTexts(suspects),
      members: suspectStatuses.flatMap((status) => [`${status}Addresses`, `${status}Networks`]),
    },
    { of: ({ name }) => comparison && (compared.get(name) ?? {}), members: ["status"] },
    {
      of: ({ name }) => comparison && (compared.get(name)?.requests ?? {}),
      members: changeFigures,
      nameOf: after("requests"),
    },
    {
      of: ({ name }) => (comparison?.hasSizes ? (compared.get(name)?.bytes ?? {}) : undefined),
      members: changeFigures,
      nameOf: after("bytes"),
    },
    { of: () => periods, members: ["fromBefore", "toBefore", "fromNow", "toNow"] },
  ];
}

/** A member as a cell. Names and paths are untrusted, and CSV may be printed on a terminal. */
function toCell(row: object, member: string): CsvCell {
  const value = (row as Readonly<Record<string, unknown>>)[member];
  if (value === undefined || typeof value === "number") return value;
  if (typeof value !== "object") return toPlain(String(value));
  if (!Array.isArray(value)) {
    // Requests by status code: `200:12 404:3`.
    const codes = Object.entries(value as Readonly<Record<string, number>>);
    return codes.map(([code, requests]) => `${code}:${requests}`).join(" ");
  }
  const { pathsExact = true } = row as Partial<CrawlerReport>;
  return toPlain(value.map((one) => (typeof one === "object" ? toPathText(one, pathsExact) : String(one))).join(" "));
}

/** `/a:12`, `/b:about 1200`. */
function toPathText({ path, requests }: RequestedPath, pathsExact: boolean): string {
  return `${path}:${isExactPath(path, pathsExact) ? "" : "about "}${requests}`;
}

/** The visits from the pages of the crawler's operator, and the crawler's requests for each of them. */
function toVisits(row: CrawlerReport, operatorVisits: number | undefined): object {
  return { operatorVisits, fetchesPerVisit: toFetchesPerVisit(fetchesOf(row), operatorVisits ?? 0) };
}

/** Addresses and networks, each with its requests and times: `192.0.2.1 12 2026-03-02T10:15:00Z 2026-03-02T10:20:00Z`. */
function toSuspectTexts({ addresses, networks }: Suspects = { addresses: [], networks: [] }): object {
  const toText = <One extends SuspectAddress | SuspectNetwork>(
    all: readonly One[],
    wanted: One["status"],
    nameOf: (one: One) => string,
  ): string =>
    all
      .filter(({ status }) => status === wanted)
      .map((one) => [nameOf(one), one.requests, one.first, one.last].join(" ").trim())
      .join("; ");
  return Object.fromEntries(
    suspectStatuses.flatMap((status) => [
      [`${status}Addresses`, toText(addresses, status, ({ address }) => address ?? "-")],
      [`${status}Networks`, toText(networks, status, ({ network }) => network)],
    ]),
  );
}

/** A crawler without requests, which has the members that every crawler has. */
function toEmptyCrawler({ name, category, rule }: Pick<ComparedCrawler, "name" | "category" | "rule">): CrawlerReport {
  return {
    ...{ name, category, rule, purposes: [], requests: 0, bytes: 0, statuses: {}, robotsTxt: 0, robotsStatuses: {} },
    ...{ paths: [], pathsExact: true, clientErrors: [], serverErrors: [] },
  };
}

const nobody = toEmptyCrawler({ name: "", category: "other", rule: false });
