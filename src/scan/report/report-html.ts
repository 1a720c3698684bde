/** A report as one page that needs nothing else: no scripts, no files, no network. */

import { networkKinds } from "../../detect/verification.ts";
import { capitalize } from "../../text/capitalize.ts";
import { Html, html, toVisible, toVisibleText } from "../../text/html.ts";
import { toFilterText } from "./filter-report.ts";
import { type FleetReport, fleetsTitle, toFleetAddresses, toFleetRequests, toFleetsNote } from "./fleets-report.ts";
import { barColumn, type Column, countColumn, more, table, tableSection } from "./html-table.ts";
import { type OperatorReferrals, toRatio, toReferralsNote, toSources } from "./referrals-report.ts";
import { aiPurposesOf, type CrawlerReport, type Group, purposesNoteOf, type Report } from "./report.ts";
import { style } from "./report-style.ts";
import {
  isExactPath,
  noSizes,
  toBasisText,
  toCount,
  toDnsWarning,
  toEstimate,
  toMinute,
  toRequests,
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
import { networkOf, suspectsOf } from "./suspects.ts";
import { timeCharts } from "./time-chart.ts";

export interface PageOptions {
  /** The logs, as they were named. */
  readonly paths: readonly string[];
  /** The SHA-256 of `style` in base64: the page allows no other style, and no script. */
  readonly styleHash: string;
  /** Rows of each list. Default: by list. */
  readonly top?: number | undefined;
}

const shownGroups = 7;
const shownCrawlers = 30;
const shownRuleCrawlers = 15;
const shownPaths = 15;
const shownSuspects = 20;

export function toHtml(report: Report, options: PageOptions): string {
  return toPage("Crawlers in", toReportHtml(report, options.paths, options.top), options);
}

/** The page around a report; `title` goes before the name of the log. */
export function toPage(title: string, report: Html, { paths, styleHash }: PageOptions): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>${title} ${toVisibleText(nameOf(paths))}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main class="report">
${report}</main>
</body>
</html>
`;
  return page.text;
}

/** The report without the page around it, for a place that has `style` and the class `report`; `top` as in PageOptions. */
export function toReportHtml(report: Report, paths: readonly string[], top?: number): Html {
  const { crawlers } = report;
  return html`<header><h1>Crawlers in ${toVisible(nameOf(paths))}</h1><p>${spanOf(report)}</p>${report.filter !== undefined && html`<p>${toVisible(toFilterText(report.filter))}</p>`}${robotsSentence(report)}${dnsWarning(report)}</header>
${tiles(report)}
${overTime(report)}
<div class="pair">
<div>${groups("Crawlers by category", "Category", report.categories, report, report.categories.length)}</div>
<div>${groups("AI crawlers by purpose", "Purpose", aiPurposesOf(report), report, top ?? shownGroups, purposesNoteOf(report))}
${groups("Crawlers by operator", "Operator", report.operators, report, top ?? shownGroups)}</div>
</div>
${crawlerTable("Crawlers", crawlers, report, top ?? shownCrawlers)}
${crawlerTable(
  "Crawlers that no catalogue lists, recognized by a rule",
  crawlers.filter(({ rule }) => rule),
  report,
  top ?? shownRuleCrawlers,
)}
${robotsTable(report, top ?? shownCrawlers)}
${delayTable(report, top ?? shownCrawlers)}
${verificationTable(report, top ?? shownCrawlers)}
${suspectTable(report, top ?? shownSuspects)}
${referralTable(report, top ?? shownGroups)}
${fleetTable(report, top ?? shownSuspects)}
${pathTable(report, top ?? shownPaths)}
${crawlerPaths(report, top ?? shownCrawlers)}
<footer>${toCount(report.lines)} lines read${report.broken > 0 ? html`, ${toCount(report.broken)} of them not readable` : ""}${!report.hasSizes && `; ${noSizes}`}. Times are ${report.timezone}. Shares are of all requests. Made by whocrawls.</footer>
`;
}

function nameOf(paths: readonly string[]): string {
  const [first = "-"] = paths;
  const name = first === "-" ? "the log" : (first.split("/").at(-1) as string);
  return paths.length > 1 ? `${name} and ${paths.length - 1} more` : name;
}

function spanOf({ times, crawlers, filter, requests, timezone }: Report): string {
  const last = times.at(-1);
  if (last === undefined) return filter !== undefined && requests === 0 ? "No requests." : "The log has no times.";
  const ends = [last.from, ...crawlers.flatMap(({ last }) => last ?? [])].sort();
  return `${toMinute(times[0]?.from, timezone)} to ${toMinute(ends.at(-1), timezone)} ${timezone}`;
}

function tiles(report: Report): Html {
  const { requests, crawlerRequests, bytes, crawlerBytes, hasSizes, crawlers } = report;
  const ai = report.categories.find(({ name }) => name === "ai");
  const imitated = crawlers.filter(({ verification }) => (verification?.spoofed ?? 0) > 0);
  const spoofed = imitated.reduce((sum, { verification }) => sum + (verification?.spoofed ?? 0), 0);
  const tile = (value: string, what: string, more: string): Html =>
    html`<section><b>${value}</b>${what}<span>${more}</span></section>`;
  return html`<div class="tiles">
${tile(toShare(crawlerRequests, requests), "of requests by crawlers", `${toCount(crawlerRequests)} of ${toCount(requests)}`)}
${hasSizes && tile(toShare(crawlerBytes, bytes), "of bytes to crawlers", `${toSize(crawlerBytes)} of ${toSize(bytes)}`)}
${tile(toShare(ai?.requests ?? 0, requests), "of requests by AI crawlers", toCount(ai?.requests ?? 0))}
${tile(toCount(crawlers.length), "different crawlers", `of ${toCount(report.operators.filter(({ name }) => name !== null).length)} known operators`)}
</div>
${
  spoofed > 0 &&
  html`<div class="tiles alarm"><section>Pretending to be someone else: <b>${toRequests(spoofed)}</b><span>in the name of ${imitated.slice(0, 3).map(({ name }, at) => html`${at > 0 && ", "}${toVisible(name)}`)}${imitated.length > 3 && ` and ${toCount(imitated.length - 3)} more`}</span></section></div>`
}`;
}

function overTime({ times, timezone }: Report): Html {
  if (times.length === 0) return html``;
  return html`<section><h2>Requests over time</h2>
${timeCharts(times, undefined, timezone)}</section>`;
}

function shareColumns<Item extends { readonly requests: number; readonly bytes: number }>(
  report: Report,
): readonly Column<Item>[] {
  return [
    countColumn("Requests", ({ requests }) => requests),
    { head: "Share", kind: "number", cell: ({ requests }) => toShare(requests, report.requests) },
    ...(report.hasSizes ? [{ head: "Bytes", kind: "number", cell: ({ bytes }: Item) => toSize(bytes) } as const] : []),
  ];
}

function groups(
  title: string,
  head: string,
  all: readonly Group[],
  report: Report,
  shown: number,
  note?: string,
): Html {
  const columns: readonly Column<Group>[] = [
    { head, kind: "name", cell: ({ name }) => toVisible(name ?? "not known") },
    barColumn(all),
    ...shareColumns<Group>(report),
  ];
  return tableSection(title, all, shown, columns, note);
}

function crawlerTable(title: string, all: readonly CrawlerReport[], report: Report, shown: number): Html {
  return tableSection(title, all, shown, [
    { head: "Crawler", kind: "name", cell: toNameAndFacts },
    barColumn(all),
    ...shareColumns<CrawlerReport>(report),
    countColumn("robots.txt", ({ robotsTxt }) => robotsTxt),
    { head: "Status codes", kind: "codes", cell: toStatuses },
    seenColumn(report),
  ]);
}

function toNameAndFacts({ name, url, operator, maker, category, purposes, networks }: CrawlerReport): Html {
  const linked =
    url !== undefined && /^https?:\/\//.test(url)
      ? html`<a href="${url}" rel="noreferrer">${toVisible(name)}</a>`
      : toVisible(name);
  const facts = [
    ...(operator === undefined ? [] : [operator]),
    ...(maker === undefined ? [] : [`made by ${maker}`]),
    [category, ...purposes].join(", "),
    ...networkKinds.flatMap((kind) => (networks?.[kind] ? `${kind} ${toCount(networks[kind])}` : [])),
  ].join(" · ");
  return html`${linked}<small>${toVisible(facts)}</small>`;
}

function toStatuses({ statuses, requests }: CrawlerReport): Html {
  const codes = Object.entries(statuses).sort(([, a], [, b]) => b - a);
  return html`${codes.slice(0, 2).map(([code, count]) => html`<span>${code}: ${toShare(count, requests)}</span>`)}`;
}

function seenColumn({ timezone }: Report): Column<{ readonly first?: string; readonly last?: string }> {
  return {
    head: `Seen (${timezone})`,
    kind: "time",
    cell: ({ first, last }) =>
      first === undefined
        ? html``
        : html`<span>${toMinute(first, timezone)}</span> <span>${toMinute(last, timezone)}</span>`,
  };
}

function robotsSentence({ crawlers }: Report): Html {
  const sentence = toRobotsSentence(crawlers);
  return sentence === undefined ? html`` : html`<p>${toVisible(sentence)}</p>`;
}

function dnsWarning({ verificationBasis }: Report): Html {
  const warning = toDnsWarning(verificationBasis);
  return warning === undefined ? html`` : html`<p><b>${warning}</b></p>`;
}

/** Who requested what robots.txt disallows, the paths of each folded away. */
function robotsTable({ crawlers }: Report, shown: number): Html {
  const disobeying = disobeyingCrawlers(crawlers);
  type Crawler = (typeof disobeying)[number];
  const isVerified = disobeying.some(({ robots }) => robots.verification !== undefined);
  const columns: readonly Column<Crawler>[] = [
    { head: "Crawler", kind: "name", cell: ({ name }) => toVisible(name) },
    countColumn("Disallowed", ({ robots }) => robots.disallowed),
    countColumn("Allowed", ({ robots }) => robots.allowed),
    ...(isVerified
      ? [
          {
            head: "Verification",
            kind: "codes",
            cell: ({ robots }: Crawler) => toResults(robots.verification),
          } as const,
        ]
      : []),
    { head: "robots.txt", kind: "codes", cell: ({ robots }) => toFetched(robots) },
    { head: "Disallowed paths", kind: "codes", cell: ({ robots }) => toPaths(robots) },
  ];
  return tableSection("Requests of paths that robots.txt disallows", disobeying, shown, columns);
}

/** Who made more requests than the Crawl-delay allows. */
function delayTable({ crawlers }: Report, shown: number): Html {
  const hurrying = hurryingCrawlers(crawlers);
  type Crawler = (typeof hurrying)[number];
  const isVerified = hurrying.some(({ robots }) => robots.verification !== undefined);
  const columns: readonly Column<Crawler>[] = [
    { head: "Crawler", kind: "name", cell: ({ name }) => toVisible(name) },
    { head: "Requests", kind: "number", cell: ({ robots }) => toExceeding(robots.crawlDelay!) },
    { head: "Delay", kind: "number", cell: ({ robots }) => `${robots.crawlDelay!.seconds} s` },
    ...(isVerified
      ? [
          {
            head: "Verification",
            kind: "codes",
            cell: ({ robots }: Crawler) => toResults(robots.crawlDelay?.verification),
          } as const,
        ]
      : []),
  ];
  return tableSection("Requests beyond the Crawl-delay", hurrying, shown, columns);
}

function toPaths({ paths, pathsExact }: RobotsReport): Html {
  const [first] = paths;
  if (first === undefined) return html``;
  return html`<details><summary>${toVisible(first.path)}${paths.length > 1 && ` and ${paths.length - 1} more`}</summary>${paths.map(({ path, requests }) => html`<div>${toVisible(path)}: ${toEstimate(requests, pathsExact)}</div>`)}</details>`;
}

/** Requests by what verification says, of each crawler that was checked. */
function verificationTable({ crawlers, verificationBasis }: Report, shown: number): Html {
  const basis = verificationBasis === undefined ? "" : ` Verified by ${toBasisText(verificationBasis)}.`;
  const note = `Requests: ${toVerificationText(crawlers)}.${basis}`;
  const checked = crawlers.filter(({ verification }) => verification !== undefined);
  const columns: readonly Column<CrawlerReport>[] = [
    { head: "Crawler", kind: "name", cell: ({ name }) => toVisible(name) },
    ...verificationResults.map((status): Column<CrawlerReport> => {
      const countOf = ({ verification }: CrawlerReport): number => verification?.[status] ?? 0;
      return {
        ...countColumn(capitalize(status), countOf),
        cell: (crawler) => {
          const count = toCount(countOf(crawler));
          return status === "spoofed" && countOf(crawler) > 0 ? html`<b class="spoofed">${count}</b>` : count;
        },
      };
    }),
  ];
  return tableSection("Verified by address", checked, shown, columns, note);
}

/** The networks of spoofed and unverifiable requests, the addresses of each folded away. */
function suspectTable(report: Report, shown: number): Html {
  const addresses = suspectsOf(report, "addresses");
  const alone = addresses
    .filter(({ address }) => networkOf(address ?? "") === undefined)
    .map(({ address, ...one }) => ({ ...one, network: address ?? "(no address)", addresses: 0 }));
  const isSpoofed = ({ status }: { readonly status: string }): number => Number(status === "spoofed");
  const networks = [...suspectsOf(report, "networks"), ...alone].sort(
    (a, b) => isSpoofed(b) - isSpoofed(a) || b.requests - a.requests,
  );
  type Network = (typeof networks)[number];
  const toAddresses = ({ name, status, network, addresses: count }: Network): Html => {
    const members = addresses.filter(
      (one) => one.name === name && one.status === status && networkOf(one.address ?? "") === network,
    );
    if (members.length === 0) return html`${toCount(count)}`;
    return html`<details><summary>${toCount(count)}</summary>${members.map(({ address, requests }) => html`<div>${toVisible(address ?? "")}: ${toCount(requests)}</div>`)}${count > members.length && html`<div>and ${toCount(count - members.length)} more</div>`}</details>`;
  };
  return tableSection(
    "Networks behind spoofed and unverifiable names",
    networks,
    shown,
    [
      { head: "Network", kind: "name", cell: ({ network }) => toVisible(network) },
      { head: "In the name of", kind: "codes", cell: ({ name }) => toVisible(name) },
      {
        head: "Result",
        kind: "codes",
        cell: ({ status }) => (status === "spoofed" ? html`<b class="spoofed">spoofed</b>` : status),
      },
      { head: "Addresses", kind: "number", cell: toAddresses },
      countColumn("Requests", ({ requests }) => requests),
      seenColumn(report),
    ],
    "Spoofed: the operator's lists or DNS exclude the address. Unverifiable: neither is proved.",
  );
}

/** Visits from operators' pages and apps, beside what their crawlers fetched. */
function referralTable({ referrals }: Report, shown: number): Html {
  if (referrals === undefined) return html``;
  const { operators } = referrals;
  const columns: readonly Column<OperatorReferrals>[] = [
    {
      head: "Operator",
      kind: "name",
      cell: (operator) => html`${toVisible(operator.operator)}<small>${toVisible(toSources(operator))}</small>`,
    },
    countColumn("Visits", ({ visits }) => visits),
    countColumn("Fetches", ({ fetches }) => fetches),
    { head: "Fetches per visit", kind: "number", cell: toRatio },
    { head: "Fetches by purpose", kind: "codes", cell: toFetchesByPurpose },
  ];
  return tableSection("What comes back", operators, shown, columns, toReferralsNote(referrals));
}

function toFetchesByPurpose({ purposes }: OperatorReferrals): Html {
  return html`${purposes.map((purpose) => html`<span>${purpose.name}: ${toCount(purpose.fetches)}${purpose.fetchesPerVisit !== undefined && ` (${toRatio(purpose)} per visit)`}</span>`)}`;
}

/** Strings of browsers that behave like programs. Their title and note are shown without a row, too. */
function fleetTable(report: Report, shown: number): Html {
  const { fleets, fleetsBasis } = report;
  if (fleets === undefined || fleetsBasis === undefined) return html``;
  const note = toFleetsNote({ fleets, fleetsBasis });
  if (fleets.length === 0) return html`<section><h2>${fleetsTitle}</h2><p class="note">${note}</p></section>`;
  const columns: readonly Column<FleetReport>[] = [
    { head: "User agent", kind: "name", cell: ({ useragent }) => toVisible(useragent) },
    { head: "Requests", kind: "number", cell: toFleetRequests },
    { head: "Addresses", kind: "number", cell: toFleetAddresses },
    { head: "Per address", kind: "number", cell: ({ requestsPerAddress }) => String(requestsPerAddress) },
    { head: "Assets", kind: "number", cell: ({ assets }) => (assets === undefined ? "" : toCount(assets)) },
    {
      head: "With referrer",
      kind: "number",
      cell: ({ withReferrer }) => (withReferrer === undefined ? "" : toCount(withReferrer)),
    },
    {
      head: "Quietest 8 h",
      kind: "number",
      cell: ({ quietShare }) => (quietShare === undefined ? "" : toShare(quietShare, 1)),
    },
    seenColumn(report),
  ];
  return tableSection(fleetsTitle, fleets, shown, columns, note);
}

function pathTable({ paths, pathsExact }: Report, shown: number): Html {
  return tableSection("Paths that crawlers fetched most", paths, shown, [
    { head: "Path", kind: "name", cell: ({ path }) => toVisible(path) },
    barColumn(paths),
    {
      head: "Requests",
      kind: "number",
      cell: ({ path, requests }) => toEstimate(requests, isExactPath(path, pathsExact)),
    },
    { head: "Most by", kind: "codes", cell: ({ most }) => toVisible(most) },
  ]);
}

/** The paths of each crawler, folded away. */
function crawlerPaths({ crawlers, hasSizes }: Report, shown: number): Html {
  const some = crawlers.filter(({ paths }) => paths.length > 0);
  if (some.length === 0) return html``;
  return html`<section class="long"><h2>Paths by crawler</h2>${some.slice(0, shown).map(
    ({ name, requests, bytes, robotsTxt, paths, pathsExact }) =>
      html`<details><summary>${toVisible(name)} <small>${toRequests(requests)} · ${hasSizes && `${toSize(bytes)} · `}robots.txt ${toCount(robotsTxt)}</small></summary>${table(
        [
          { head: "Path", kind: "name", cell: ({ path }) => toVisible(path) },
          barColumn(paths),
          {
            head: "Requests",
            kind: "number",
            cell: ({ path, requests }) => toEstimate(requests, isExactPath(path, pathsExact)),
          },
          { head: "Of its requests", kind: "number", cell: (path) => toShare(path.requests, requests) },
        ],
        paths,
      )}</details>\n`,
  )}${more(some.length, shown)}</section>`;
}
