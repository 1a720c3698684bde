/** The page's view of a log: its totals and its crawlers, or why it cannot be scanned. */

import { findFormatKind, formatNames } from "../../scan/formats/all-formats.ts";
import { detectFormat, sampleOf } from "../../scan/formats/detect-format.ts";
import type { Compression } from "../../scan/lines/first-bytes.ts";
import type { LogFormat } from "../../scan/lines/format.ts";
import type { CrawlerReport, Report } from "../../scan/report/report.ts";
import { toCount, toShare } from "../../scan/report/report-text.ts";
import { type Html, html, toVisible } from "../../text/html.ts";
import { toCrawlerAddress } from "../slug.ts";
import { categoryWords } from "./words.ts";

/** The format of lines that are a log's; undefined if they are user agents, or anything else. The first 30 show it in milliseconds. */
export function logFormatOf(lines: readonly string[]): LogFormat | undefined {
  const format = detectFormat(lines.slice(0, 30));
  return format?.name === "plain" ? undefined : format;
}

const maxRows = 100;
const shownLines = 3;
const shownLength = 200;

/** Shows shares. */
export function toScanHeadHtml(name: string, format: string, report: Report): Html {
  const { requests, crawlerRequests, bytes, crawlerBytes, hasSizes } = report;
  return html`<h2>${toCount(crawlerRequests)} of ${toCount(requests)} requests by crawlers (${toShare(crawlerRequests, requests)})</h2>
<p>Read from ${toVisible(name)} in the format <code>${format}</code>.${hasSizes && ` ${toShare(crawlerBytes, bytes)} of the bytes went to crawlers.`}</p>`;
}

/** Shows shares and the crawlers with the most requests, for pages without scripts. */
export function toScanHtml(name: string, format: string, report: Report): Html {
  const { crawlers, requests } = report;
  return html`<section class="summary">${toScanHeadHtml(name, format, report)}
<div class="table" tabindex="0" role="region" aria-label="Crawlers of the log"><table>
<thead><tr><th scope="col">Crawler</th><th scope="col">Operator</th><th scope="col">Category</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Share</th></tr></thead>
<tbody>${crawlers.slice(0, maxRows).map((crawler) => toCrawlerRow(crawler, requests))}</tbody></table></div></section>`;
}

function toCrawlerRow({ name, operator, category, requests }: CrawlerReport, of: number): Html {
  return html`<tr><th scope="row"><a href="${toCrawlerAddress(name)}">${toVisible(name)}</a></th><td>${operator !== undefined && toVisible(operator)}</td>
<td>${categoryWords[category][0]}</td><td class="number">${toCount(requests)}</td><td class="number">${toShare(requests, of)}</td></tr>`;
}

/** Says that a log has no user agents. */
export function toNoUserAgentsHtml(name: string, format: string): Html {
  const setting = findFormatKind(format)?.toLogUserAgents;
  return html`<section class="summary"><h2>This log has no user agents</h2>
<p>The format of ${toVisible(name)} is <code>${format}</code>. The first lines have no user agents, and these are
needed to detect crawlers. ${setting === undefined ? html`The format <code>combined</code> of nginx and Apache includes them.` : html`The server logs them with this setting: <code>${setting}</code>.`}</p></section>`;
}

/** Says that a log is compressed with something that browsers do not read. */
export function toCompressedHtml(name: string, compression: Exclude<Compression, "gzip">): Html {
  return html`<section class="summary"><h2>${toVisible(name)} is compressed with ${compression}</h2>
<p>This page reads plain text and gzip. Decompress the file, and select it again.</p></section>`;
}

/** Says that lines are of no known format, and shows the first. */
export function toNoFormatHtml(name: string, lines: readonly string[]): Html {
  const shown = sampleOf(lines).slice(0, shownLines);
  if (shown.length === 0) return html`<section class="summary"><h2>${toVisible(name)} is empty</h2></section>`;
  return html`<section class="summary"><h2>The format of this log is unknown</h2>
<p>${toVisible(name)} begins with:</p><ul class="strings">${shown.map((line) => html`<li>${toVisible(line.slice(0, shownLength))}</li>`)}</ul>
<p>Known formats: ${formatNames.map((known, index) => html`${index > 0 && ", "}<code>${known}</code>`)}. If each line is a user agent, paste
them into the field above.</p></section>`;
}
