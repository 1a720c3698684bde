/** `/traffic`: the counts of the record. The server draws all of it; web/traffic.ts keeps it current. Times are UTC. */

import { verificationStatuses } from "../../detect/verification.ts";
import { newCrawlersLimit, type RecordedString } from "../../record/store.ts";
import type { TrafficHour } from "../../record/traffic.ts";
import { spikeDays, spikeFactor, spikeRequests, type TrafficNews } from "../../record/traffic-news.ts";
import { toBurst, toNews } from "../../scan/report/findings.ts";
import { type Interval, joinIntervals, toLabel } from "../../scan/report/join-intervals.ts";
import { toCount, toHour, toMinute, toRequests } from "../../scan/report/report-text.ts";
import { timeChart } from "../../scan/report/time-chart.ts";
import { type Html, html, toQueryPart, toVisible } from "../../text/html.ts";
import type { Page } from "../layout.ts";
import { toCrawlerAddress } from "../slug.ts";
import { toConnectHtml } from "./connect-view.ts";
import { type Period, periods, type Ranking, type TrafficFigures, toIntervals } from "./traffic-figures.ts";

export interface TrafficFacts {
  readonly period: Period;
  /** The end of the period, in ms since 1970. */
  readonly now: number;
  readonly hours: readonly TrafficHour[];
  readonly figures: TrafficFigures;
  readonly frequent: readonly RecordedString[];
  /** Crawlers' strings first seen today, the newest first. */
  readonly fresh: readonly RecordedString[];
  readonly news: TrafficNews;
  /** Requests whose strings were not recorded. */
  readonly dropped: number;
  /** The service's own address. */
  readonly origin: string;
  /** Whether the service has tokens. */
  readonly needsToken: boolean;
}

/** The maximum number of rows in the table of the chart. */
const tableRows = 40;

const periodWords: Readonly<Record<Period, string>> = { day: "24 hours", week: "7 days", month: "5 weeks" };

/** Describes the page. */
export function toTrafficPage(facts: TrafficFacts): Page {
  const { period, figures } = facts;
  const intervals = toIntervals(period, facts.now, facts.hours);
  return {
    title: "Traffic: who crawls",
    section: "/traffic",
    description: "Requests by crawlers and people, over time and by category.",
    modules: ["traffic.js"],
    main: html`<div class="intro"><h1>Who crawls</h1>
<p>Each user agent that Check, CheckMany and <code>/auth</code> evaluate counts as one request. <span id="live" class="quiet" role="status"></span></p></div>
<nav class="periods" aria-label="Period">${(Object.keys(periods) as Period[]).map(
      (name) =>
        html`<a href="/traffic?period=${name}"${name === period && html` aria-current="true"`}>${periodWords[name]}</a> `,
    )}</nav>
<div id="totals">${toTotals(figures)}${figures.crawlers > 0 && toFindingList(facts.news)}</div>
<div id="chart" class="chart"${figures.crawlers + figures.people === 0 && html` hidden`}>
<div id="drawing">${timeChart(intervals)}</div>
<details><summary>Requests over time as a table</summary><div id="intervals">${toIntervalTable(intervals)}</div></details></div>
<div id="figures">${toFiguresHtml(facts)}</div>`,
  };
}

function toTotals({ crawlers, people }: TrafficFigures): Html {
  const total = crawlers + people;
  if (total === 0) return html``;
  return html`<p class="totals"><b>${total.toLocaleString("en")}</b> ${total === 1 ? "request" : "requests"} · <b>${crawlers.toLocaleString("en")}</b> by crawlers
(${((100 * crawlers) / total).toFixed(1)}%) · <b>${people.toLocaleString("en")}</b> by people</p>`;
}

function toIntervalTable(intervals: readonly Interval[]): Html {
  const { seconds, bars } = joinIntervals(intervals, tableRows);
  return html`<table><thead><tr><th scope="col">From (UTC)</th><th scope="col" class="number">Crawlers</th><th scope="col" class="number">People</th></tr></thead>
<tbody>${bars
    .filter(({ all }) => all > 0)
    .map(
      ({ from, crawlers, all }) =>
        html`<tr><th scope="row">${toLabel(from, seconds)}</th><td class="number">${crawlers.toLocaleString("en")}</td><td class="number">${(all - crawlers).toLocaleString("en")}</td></tr>`,
    )}</tbody></table>`;
}

function toFiguresHtml(facts: TrafficFacts): Html {
  const { period, figures, frequent, fresh, news, dropped } = facts;
  const total = figures.crawlers + figures.people;
  if (total === 0) {
    // Once something has been recorded, an empty period is no reason to explain how to connect a site.
    if (frequent.length === 0) return toConnectHtml(facts.origin, facts.needsToken);
    return html`<p class="empty"><b>No requests in the last ${periodWords[period]}.</b></p>`;
  }
  return html`<p class="quiet">Shares are relative to all requests in this period.</p>
<div class="cards">
${toCard("Categories", figures.categories, total, (name) => `/crawlers?category=${name}`)}
${toCard("Purposes", figures.purposes, total, (name) => `/crawlers?purpose=${name}`)}
${toCard("Operators", figures.operators, total, (name) => `/crawlers?operator=${toQueryPart(name)}`)}
${toCard("Crawlers", figures.names, total, toCrawlerAddress)}
${toCard("Verification", figures.verifications, total, () => undefined)}
</div>
${toNewsHtml(news)}
${toVerifiedTable(figures.verified)}
${dropped > 0 && toWarning(dropped)}
${toStringsTable("Most frequent strings of the whole record", frequent)}
${fresh.length > 0 ? toStringsTable("New strings of crawlers today (UTC)", fresh) : html`<h2>New strings of crawlers today (UTC)</h2><p>None so far.</p>`}`;
}

/** Hourly counts include all requests; only strings may lack room. */
function toWarning(dropped: number): Html {
  return html`<p class="warning"><b>Strings are incomplete.</b> ${toRequests(dropped)} with new user agents arrived faster than
they could be recorded since this process started: strings may be missing here and in List, and their counts may be too low. The
totals, shares and charts are complete.</p>`;
}

/** A ranking with bars, relative to the largest one with a name; nothing if it is empty, as the operators of crawlers are that no entry knows. */
function toCard(title: string, ranking: Ranking, of: number, toAddress: (name: string) => string | undefined): Html {
  if (ranking.length === 0) return html``;
  const largest = Math.max(1, ...ranking.map(([name, count]) => (name === "" ? 0 : count)));
  return html`<section class="card"><h2>${title}</h2>
<table><tbody>${ranking.map(([name, count]) => {
    const address = name === "" ? undefined : toAddress(name);
    const bar = html`<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${((100 * count) / largest).toFixed(1)}" height="10" rx="1"/></svg>`;
    const label = name === "" ? html`<i>all others</i>` : toVisible(name);
    return html`<tr><th scope="row">${address === undefined ? label : html`<a href="${address}">${label}</a>`}</th>
<td class="bar">${name !== "" && bar}</td>
<td class="number">${count.toLocaleString("en")}</td><td class="number quiet">${((100 * count) / Math.max(1, of)).toFixed(1)}%</td></tr>`;
  })}</tbody></table></section>`;
}

/** How many new crawlers and spikes are shown as rows, and how many spikes as findings. */
const shownNews = 20;
const shownSpikes = 3;

/** What is new within 24 hours, whatever period the page shows, in the words of reports, and what can be done. */
function toFindingList({ isKnown, newCrawlers, spikes }: TrafficNews): Html {
  const findings = [
    ...(newCrawlers.length === 0
      ? []
      : [
          html`${toVisible(
            `${toNews(
              countNew(newCrawlers),
              newCrawlers.map(({ name, count }) => `${name} (${toRequests(count)})`),
            )}, in the last 24 hours.`,
          )}
<a href="#new-crawlers">Decide who may fetch</a>: the page of each crawler has its strings, and how to allow or block it.`,
        ]),
    ...spikes.slice(0, shownSpikes).map(({ name, hour, requests, before }) => {
      const what = `${toRequests(requests)}, ${toHour(new Date(hour).toISOString(), "UTC")}`;
      return html`${toVisible(`${toBurst(name, what, `its largest hour of the ${spikeDays} days before`, before)}.`)}
If it harms the site, <a href="${toCrawlerAddress(name)}">block it or slow it down</a>.`;
    }),
  ];
  return html`<section class="findings${findings.length === 0 && " none"}"><h2>What needs action</h2>${
    findings.length > 0
      ? html`<ol>${findings.map((finding) => html`<li>${finding}</li>`)}</ol>`
      : html`<p>${isKnown ? "Nothing: no crawler is new, and none has a spike, in the last 24 hours." : "Unknown until the record has requests that are more than 24 hours old."}</p>`
  }</section>`;
}

/** The record returns only a limited number of names. */
function countNew({ length }: TrafficNews["newCrawlers"]): string {
  return toCount(length) + (length === newCrawlersLimit ? " or more" : "");
}

/** New crawlers and spikes with their figures; nothing if there are none. */
function toNewsHtml({ newCrawlers, spikes }: TrafficNews): Html {
  const timeOf = (ms: number): string => toMinute(new Date(ms).toISOString());
  const fresh = newCrawlers
    .slice(0, shownNews)
    .map(({ name, category, count, firstSeen }) => [toCrawlerLink(name), category, toCount(count), timeOf(firstSeen)]);
  const highest = spikes
    .slice(0, shownNews)
    .map(({ name, hour, requests, before }) => [toCrawlerLink(name), timeOf(hour), toCount(requests), toCount(before)]);
  return html`${
    fresh.length > 0 &&
    html`<section id="new-crawlers">${toRowsTable("New crawlers of the last 24 hours", ["Crawler", "Category", "Requests", "First seen (UTC)"], fresh)}
${newCrawlers.length > shownNews && html`<p class="quiet">${countNew(newCrawlers)} in all; the newest ${shownNews} are shown.</p>`}</section>`
  }
${
  highest.length > 0 &&
  html`${toRowsTable("Spikes of the last 24 hours", ["Crawler", "Hour (UTC)", "Requests", "Previous hourly maximum"], highest)}
<p class="quiet">A spike is an hour with at least ${spikeRequests} requests by a crawler, and at least ${spikeFactor} times as many as in any hour of the previous ${spikeDays} days.</p>`
}`;
}

/** Crawlers by verification status; empty if no request had an address. */
function toVerifiedTable(verified: TrafficFigures["verified"]): Html {
  if (verified.length === 0) return html``;
  const rows = verified.map(([name, counts]) => [
    name === "" ? html`<i>all others</i>` : toCrawlerLink(name),
    ...verificationStatuses.map((status) => toCount(counts.get(status) ?? 0)),
  ]);
  return toRowsTable("Verification by crawler", ["Crawler", ...verificationStatuses], rows);
}

function toCrawlerLink(name: string): Html {
  return html`<a href="${toCrawlerAddress(name)}">${toVisible(name)}</a>`;
}

/** Rows below a heading; the first cell of each is its head. Columns of counts are aligned to the right. */
function toRowsTable(label: string, heads: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  const classOf = (column: number): Html =>
    html`${/^[\d,]+$/.test(String(rows[0]?.[column])) && html` class="number"`}`;
  return html`<h2>${label}</h2>
<div class="table" tabindex="0" role="region" aria-label="${label}"><table class="rows"><thead><tr>${heads.map((head, at) => html`<th scope="col"${classOf(at)}>${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first = "", ...cells]) =>
      html`<tr><th scope="row">${first}</th>${cells.map((cell, at) => html`<td${classOf(at + 1)} data-label="${heads[at + 1] ?? ""}">${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

function toStringsTable(title: string, strings: readonly RecordedString[]): Html {
  return html`<h2>${title}</h2>
<div class="table" tabindex="0" role="region" aria-label="${title}"><table class="rows"><thead><tr><th scope="col" class="number">Requests</th><th scope="col">Verdict</th><th scope="col">User agent</th></tr></thead>
<tbody>${strings.map(
    ({ useragent, crawler, name, count, firstSeen }) =>
      html`<tr class="${crawler ? "is-crawler" : "is-person"}"><td class="number" data-label="Requests">${count.toLocaleString("en")}<br> <span class="quiet">since ${new Date(firstSeen).toISOString().slice(0, 10)}</span></td><td>${crawler ? (name ?? "crawler") : "not a crawler"}</td>
<td class="string"><a href="/?useragent=${toQueryPart(useragent)}">${toVisible(useragent)}</a></td></tr>`,
  )}</tbody></table></div>`;
}

/** Describes the page for visitors who need a token; `isRefused` after a wrong one. */
export function toSignInPage(isRefused: boolean): Page {
  return {
    title: "Sign in",
    section: "/traffic",
    description: "This service shows its record only to visitors with a token.",
    main: html`<div class="intro"><h1>Sign in</h1>
<p>This service shows its record only to visitors with a token from its operator.</p></div>
<form action="/sign-in" method="post" class="sign-in">
<p><label for="token">Token</label> <input id="token" name="token" type="password" autocomplete="current-password" required${isRefused && html` aria-invalid="true" aria-describedby="refused"`}></p>
${isRefused && html`<p id="refused" class="error" role="alert">This token is not valid here. Ask the operator for another one.</p>`}
<p><button type="submit">Sign in</button></p></form>`,
  };
}

/** Describes the page for a record that is off or hidden. */
export function toNoTrafficPage(): Page {
  return {
    title: "Traffic: not recorded",
    section: "/traffic",
    description: "This service does not show its record.",
    main: html`<div class="intro"><h1>No record</h1>
<p>The record is off or hidden. The settings <code>record</code> and <code>list-evaluated</code> change that.</p></div>`,
  };
}
