/** A report as one page that needs nothing else: no scripts, no files, no network. */
import { networkKinds } from "../../detect/verification.ts";
import { Html, html, toVisible, toVisibleText } from "../../text/html.ts";
import type { CrawlerReport, Group, Report } from "./report.ts";
import { style } from "./report-style.ts";
import { toCount, toEstimate, toMinute, toShare, toSize } from "./report-text.ts";
import { suspectsOf } from "./suspects.ts";
import { timeCharts } from "./time-chart.ts";

export interface PageOptions {
  /** The logs, as they were named. */
  readonly paths: readonly string[];
  /** The SHA-256 of `style` in base64: the page allows no other style, and no script. */
  readonly styleHash: string;
}

const shownGroups = 7;
const shownCrawlers = 30;
const shownRuleCrawlers = 15;
const shownPaths = 15;
const shownSuspects = 100;

export function toHtml(report: Report, { paths, styleHash }: PageOptions): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>Crawlers in ${toVisibleText(nameOf(paths))}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main class="report">
${toReportHtml(report, paths)}</main>
</body>
</html>
`;
  return page.text;
}

/** The report without the page around it, for a place that has `style` and the class `report`. */
export function toReportHtml(report: Report, paths: readonly string[]): Html {
  return html`<header><h1>Crawlers in ${toVisible(nameOf(paths))}</h1><p>${spanOf(report)}</p></header>
${tiles(report)}
${overTime(report)}
<div class="pair">
<div>${groups("Crawlers by category", "Category", report.categories, report, report.categories.length)}</div>
<div>${groups("AI crawlers by purpose", "Purpose", aiPurposes(report), report, shownGroups)}
${groups("Crawlers by operator", "Operator", report.operators, report, shownGroups)}</div>
</div>
${crawlers("Crawlers", report.crawlers, report, shownCrawlers)}
${crawlers(
  "Crawlers that no catalogue lists, recognized by a rule",
  report.crawlers.filter(({ rule }) => rule),
  report,
  shownRuleCrawlers,
)}
${suspectTable(report)}
${pathTable(report)}
<footer>${toCount(report.lines)} lines read${report.broken > 0 ? html`, ${toCount(report.broken)} of them not readable` : ""}. Times are UTC. Shares are of all requests. Made by whocrawls.</footer>
`;
}

function nameOf(paths: readonly string[]): string {
  const [first = "-"] = paths;
  const name = first === "-" ? "the log" : (first.split("/").at(-1) as string);
  return paths.length > 1 ? `${name} and ${paths.length - 1} more` : name;
}

function spanOf({ times, crawlers }: Report): string {
  const last = times.at(-1);
  if (last === undefined) return "The log has no times.";
  const ends = [last.from, ...crawlers.flatMap(({ last }) => last ?? [])].sort();
  return `${toMinute(times[0]?.from)} to ${toMinute(ends.at(-1))} UTC`;
}

function tiles(report: Report): Html {
  const { requests, crawlerRequests, bytes, crawlerBytes } = report;
  const ai = report.categories.find(({ name }) => name === "ai");
  const tile = (value: string, what: string, more: string): Html =>
    html`<section><b>${value}</b>${what}<span>${more}</span></section>`;
  return html`<div class="tiles">
${tile(toShare(crawlerRequests, requests), "of requests by crawlers", `${toCount(crawlerRequests)} of ${toCount(requests)}`)}
${tile(toShare(crawlerBytes, bytes), "of bytes to crawlers", `${toSize(crawlerBytes)} of ${toSize(bytes)}`)}
${tile(toShare(ai?.requests ?? 0, requests), "of requests by AI crawlers", toCount(ai?.requests ?? 0))}
${tile(toCount(report.crawlers.length), "different crawlers", `of ${toCount(report.operators.filter(({ name }) => name !== null).length)} known operators`)}
</div>`;
}

function overTime({ times }: Report): Html {
  if (times.length === 0) return html``;
  return html`<section><h2>Requests over time</h2>
${timeCharts(times)}</section>`;
}

function aiPurposes({ purposes }: Report): readonly Group[] {
  return purposes
    .map(({ name, ai }) => ({ name, ...ai }))
    .filter(({ requests }) => requests > 0)
    .sort((a, b) => b.requests - a.requests);
}

/** A bar as long as its part of the longest one. */
function bar(value: number, longest: number): Html {
  const length = longest === 0 ? 0 : Math.max(0.5, (100 * value) / longest);
  return html`<td class="bar" aria-hidden="true"><svg viewBox="0 0 100 10" preserveAspectRatio="none"><rect class="crawlers" width="${length.toFixed(1)}" height="10" rx="1"/></svg></td>`;
}

function more(all: number, shown: number): Html {
  return all > shown ? html`<p class="note">… and ${toCount(all - shown)} more.</p>` : html``;
}

function groups(title: string, head: string, all: readonly Group[], report: Report, shown: number): Html {
  if (all.length === 0) return html``;
  const longest = Math.max(...all.map(({ requests }) => requests));
  const row = ({
    name,
    requests,
    bytes,
  }: Group): Html => html`<tr><td class="name">${toVisible(name ?? "not known")}</td>${bar(requests, longest)}
<td class="number">${toCount(requests)}</td><td class="number">${toShare(requests, report.requests)}</td><td class="number extra">${toSize(bytes)}</td></tr>
`;
  return html`<section><h2>${title}</h2><div class="scroll"><table>
<tr><th>${head}</th><th aria-hidden="true"></th><th class="number">Requests</th><th class="number">Share</th><th class="number extra">Bytes</th></tr>
${all.slice(0, shown).map(row)}</table></div>${more(all.length, shown)}</section>`;
}

function crawlers(title: string, all: readonly CrawlerReport[], report: Report, shown: number): Html {
  if (all.length === 0) return html``;
  return html`<section class="long"><h2>${title}</h2><div class="scroll"><table>
<tr><th>Crawler</th><th aria-hidden="true"></th><th class="number">Requests</th><th class="number">Share</th><th class="number extra">Bytes</th><th class="number extra">robots.txt</th><th class="extra">Status codes</th><th class="extra">First and last seen</th></tr>
${all.slice(0, shown).map((crawler) => crawlerRow(crawler, report, all[0]?.requests ?? 0))}</table></div>${more(all.length, shown)}</section>`;
}

function crawlerRow(crawler: CrawlerReport, report: Report, longest: number): Html {
  const {
    name,
    operator,
    category,
    purposes,
    url,
    requests,
    bytes,
    robotsTxt,
    statuses,
    first,
    last,
    verification,
    networks,
  } = crawler;
  const linked =
    url !== undefined && /^https?:\/\//.test(url)
      ? html`<a href="${url}" rel="noreferrer">${toVisible(name)}</a>`
      : html`${toVisible(name)}`;
  const codes = Object.entries(statuses).sort(([, a], [, b]) => b - a);
  const facts = [
    ...(operator === undefined ? [] : [operator]),
    [category, ...purposes].join(", "),
    ...(verification === undefined || verification.unverifiable === requests
      ? []
      : [
          `verified ${toCount(verification.verified)}, spoofed ${toCount(verification.spoofed)}`,
          ...(verification.unchecked > 0 ? [`not checked ${toCount(verification.unchecked)}`] : []),
        ]),
    ...(networks === undefined
      ? []
      : networkKinds.filter((kind) => networks[kind] > 0).map((kind) => `${kind} ${toCount(networks[kind])}`)),
  ].join(" · ");
  return html`<tr><td class="name">${linked}<small>${toVisible(facts)}</small></td>${bar(requests, longest)}
<td class="number">${toCount(requests)}</td><td class="number">${toShare(requests, report.requests)}</td><td class="number extra">${toSize(bytes)}</td><td class="number extra">${toCount(robotsTxt)}</td>
<td class="codes extra">${codes.slice(0, 2).map(([code, count]) => html`${code}: ${toShare(count, requests)}<br>`)}</td>
<td class="time extra">${toMinute(first)}<br>${toMinute(last)}</td></tr>
`;
}

function suspectTable(report: Report): Html {
  const addresses = suspectsOf(report, "addresses");
  if (addresses.length === 0) return html``;
  const networks = suspectsOf(report, "networks");
  const head = (what: string): Html =>
    html`<tr><th>Crawler</th><th>${what}</th><th class="number">Requests</th><th class="extra">First and last seen</th></tr>`;
  const row = (
    { name, status, requests, first, last }: (typeof addresses)[number] | (typeof networks)[number],
    what: string,
  ): Html => html`<tr><td class="name">${toVisible(name)}<small>${status}</small></td><td>${toVisible(what)}</td><td class="number">${toCount(requests)}</td>
<td class="time extra">${toMinute(first)}<br>${toMinute(last)}</td></tr>
`;
  return html`<section class="long"><h2>Addresses behind spoofed and unverifiable names</h2><div class="scroll"><table>
${head("Address")}
${addresses.slice(0, shownSuspects).map((one) => row(one, one.address ?? "(none)"))}</table></div>${more(addresses.length, shownSuspects)}</section>
<section class="long"><h2>Their networks</h2><div class="scroll"><table>
${head("Network")}
${networks.slice(0, shownSuspects).map((one) => row(one, `${one.network} (${toCount(one.addresses)})`))}</table></div>${more(networks.length, shownSuspects)}</section>`;
}

function pathTable(report: Report): Html {
  const { paths, pathsExact } = report;
  if (paths.length === 0) return html``;
  const longest = paths[0]?.requests ?? 0;
  return html`<section><h2>Paths that crawlers fetched most</h2><div class="scroll"><table>
<tr><th>Path</th><th aria-hidden="true"></th><th class="number">Requests</th><th>Most by</th></tr>
${paths.slice(0, shownPaths).map(
  ({
    path,
    requests,
    most,
  }) => html`<tr><td class="name">${toVisible(path)}</td>${bar(requests, longest)}<td class="number">${toEstimate(requests, pathsExact)}</td><td>${toVisible(most)}</td></tr>
`,
)}</table></div></section>`;
}
