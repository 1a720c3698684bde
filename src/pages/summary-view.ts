/** Many verdicts as HTML: totals, and a table with a row for each string. Renders on the server and in the page. */
import type { Verdict } from "../detect/verdict.ts";
import { toSpreadsheetCsv } from "../markup/csv.ts";
import { type Html, html, toQueryPart, toVisible } from "../markup/html.ts";
import { categoryWords } from "./words.ts";

/** Shows totals of all verdicts, and rows of the first `maxRows`. */
export function toSummaryHtml(verdicts: readonly Verdict[], maxRows = verdicts.length): Html {
  const crawlers = verdicts.filter(({ crawler }) => crawler);
  const share = verdicts.length === 0 ? 0 : (100 * crawlers.length) / verdicts.length;
  const counts = new Map<string, number>();
  for (const { category = "other" } of crawlers) {
    const [noun] = categoryWords[category];
    counts.set(noun, (counts.get(noun) ?? 0) + 1);
  }
  const totals = [...counts].sort(([, a], [, b]) => b - a);
  return html`<section class="summary">
<h2>${verdicts.length.toLocaleString("en")} strings, ${crawlers.length.toLocaleString("en")} by crawlers (${share.toFixed(0)} %)</h2>
<p>${totals.map(([noun, count], index) => html`${index > 0 && " · "}${noun} <b>${count.toLocaleString("en")}</b>`)}</p>
<div class="table" tabindex="0" role="region" aria-label="Verdicts"><table>
<thead><tr><th scope="col">Verdict</th><th scope="col">Crawler</th><th scope="col">Operator</th><th scope="col">Category</th><th scope="col">User agent</th></tr></thead>
<tbody>${verdicts.slice(0, maxRows).map(toRow)}</tbody></table></div>
${verdicts.length > maxRows && html`<p class="quiet">The first ${maxRows} are shown; the CSV has all.</p>`}
</section>`;
}

function toRow({ useragent, crawler, name, operator, category }: Verdict): Html {
  return html`<tr class="${crawler ? "is-crawler" : "is-person"}"><td>${crawler ? "crawler" : "not a crawler"}</td>
<td>${name !== undefined && html`<a href="/crawlers?q=${toQueryPart(name)}">${toVisible(name)}</a>`}</td>
<td>${operator !== undefined && toVisible(operator)}</td><td>${category !== undefined && categoryWords[category][0]}</td>
<td class="string">${toVisible(useragent)}</td></tr>`;
}

/** The verdicts as CSV for spreadsheets, with a head. */
export function toVerdictsCsv(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ useragent, crawler, name, operator, category, purposes, url }) => {
    return [useragent, crawler, name, operator, category, purposes?.join(" "), url];
  });
  return toSpreadsheetCsv([["useragent", "crawler", "name", "operator", "category", "purposes", "url"], ...rows]);
}
