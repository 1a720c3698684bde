/** What was found in a log, as the page shows it. */

import { type Html, html, toVisible } from "../markup/html.ts";
import type { CrawlerTally, Tally } from "../scan/tally.ts";
import { categoryWords } from "./words.ts";

const maxRows = 100;

/** Shows shares and the crawlers with the most requests. */
export function toScanHtml(fileName: string, format: string, tally: Tally): Html {
  const { requests, crawlerRequests, bytes, crawlerBytes, broken, examples } = tally;
  const crawlers = [...tally.crawlers.values()].sort((a, b) => b.requests - a.requests);
  return html`<section class="summary">
<h2>${crawlerRequests.toLocaleString("en")} of ${requests.toLocaleString("en")} requests by crawlers (${toPercent(crawlerRequests, requests)})</h2>
<p>${fileName}, read as <code>${format}</code>.${bytes > 0 && ` ${toPercent(crawlerBytes, bytes)} of the bytes went to crawlers.`}</p>
${broken > 0 && html`<p>${broken.toLocaleString("en")} lines could not be read, such as <code>${toVisible(examples[0] ?? "")}</code>.</p>`}
<div class="table" tabindex="0" role="region" aria-label="Crawlers of the log"><table>
<thead><tr><th scope="col">Crawler</th><th scope="col">Operator</th><th scope="col">Category</th><th scope="col">Requests</th><th scope="col">Share</th></tr></thead>
<tbody>${crawlers.slice(0, maxRows).map((crawler) => toRow(crawler, requests))}</tbody></table></div>
${crawlers.length > maxRows && html`<p class="quiet">The ${maxRows} with the most requests are shown; <code>whocrawls scan</code> has all.</p>`}
</section>`;
}

function toRow({ facts, requests }: CrawlerTally, of: number): Html {
  return html`<tr><th scope="row">${toVisible(facts.name)}</th><td>${facts.operator !== undefined && toVisible(facts.operator)}</td>
<td>${categoryWords[facts.category][0]}</td><td class="number">${requests.toLocaleString("en")}</td><td class="number">${toPercent(requests, of)}</td></tr>`;
}

function toPercent(part: number, of: number): string {
  return of === 0 ? "0 %" : `${((100 * part) / of).toFixed(1)} %`;
}
