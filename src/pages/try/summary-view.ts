/** Many verdicts as HTML: totals, and a table of crawlers with their strings. Renders on the server and in the page. */
import { statedFacts } from "../../detect/facts.ts";
import { entryOf } from "../../detect/matched-entry.ts";
import type { Verdict } from "../../detect/verdict.ts";
import { type CsvCell, toSpreadsheetCsv } from "../../text/csv.ts";
import { type Html, html, toVisible } from "../../text/html.ts";
import { toCrawlerAddress } from "../slug.ts";
import { categoryWords } from "./words.ts";

/** The strings of one crawler, or of all people. */
interface Group {
  /** A verdict on one of them. */
  readonly verdict: Verdict;
  count: number;
  /** Each string with its count. */
  readonly strings: Map<string, number>;
}

const maxGroups = 50;
const maxStrings = 20;

/** Shows totals, and the groups in an element that can be filled again with `toGroupsHtml`. */
export function toSummaryHtml(verdicts: readonly Verdict[]): Html {
  const crawlers = verdicts.filter((verdict) => verdict.crawler);
  const share = verdicts.length === 0 ? 0 : (100 * crawlers.length) / verdicts.length;
  const counts = new Map<string, number>();
  for (const { category } of crawlers) {
    const [noun] = categoryWords[category];
    counts.set(noun, (counts.get(noun) ?? 0) + 1);
  }
  const totals = [...counts].sort(([, a], [, b]) => b - a);
  return html`<section class="summary">
<h2>${verdicts.length.toLocaleString("en")} strings, ${crawlers.length.toLocaleString("en")} by crawlers (${share.toFixed(0)}%)</h2>
<p>${totals.map(([noun, count], index) => html`${index > 0 && " · "}${noun} <b>${count.toLocaleString("en")}</b>`)}</p>
<div id="groups">${toGroupsHtml(verdicts)}</div>
</section>`;
}

/** Shows the crawlers with the most strings. */
export function toGroupsHtml(verdicts: readonly Verdict[]): Html {
  const groups = toGroups(verdicts);
  return html`<div class="table" tabindex="0" role="region" aria-label="Crawlers and their strings"><table class="groups">
<thead><tr><th scope="col">Crawler</th><th scope="col">Operator</th><th scope="col">Category</th><th scope="col" class="number">Strings</th><th scope="col">User agent</th></tr></thead>
<tbody>${groups.slice(0, maxGroups).map(toGroupRow)}</tbody></table></div>
${groups.length > maxGroups && html`<p class="quiet">The ${maxGroups} with the most strings of ${groups.length.toLocaleString("en")} are shown.</p>`}`;
}

function toGroups(verdicts: readonly Verdict[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const verdict of verdicts) {
    const { useragent, crawler, name, operator } = verdict;
    const key = crawler ? `${name}\n${operator}` : "";
    const group = groups.get(key) ?? { verdict, count: 0, strings: new Map<string, number>() };
    groups.set(key, group);
    group.count++;
    group.strings.set(useragent, (group.strings.get(useragent) ?? 0) + 1);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

function toGroupRow({ verdict, count, strings }: Group): Html {
  const { crawler, name, operator, category } = verdict;
  const [first, ...others] = [...strings].sort(([, a], [, b]) => b - a);
  const named =
    name === undefined
      ? html`a crawler`
      : html`<a href="${toCrawlerAddress(entryOf(verdict)!)}">${toVisible(name)}</a>`;
  return html`<tr class="${crawler ? "is-crawler" : "is-person"}"><td>${crawler ? named : "not a crawler"}</td>
<td>${operator !== undefined && toVisible(operator)}</td><td>${category !== undefined && categoryWords[category][0]}</td>
<td class="number">${count.toLocaleString("en")}</td><td class="string">${first !== undefined && toStringHtml(first)}${others.length > 0 && toOthers(others)}</td></tr>`;
}

function toOthers(others: readonly (readonly [useragent: string, count: number])[]): Html {
  const rest = others.length - maxStrings;
  return html`<details><summary>${others.length === 1 ? "another" : `${others.length.toLocaleString("en")} others`}</summary><ul>
${others.slice(0, maxStrings).map((string) => html`<li>${toStringHtml(string)}</li>`)}${rest > 0 && html`<li>and ${rest.toLocaleString("en")} more</li>`}</ul></details>`;
}

function toStringHtml([useragent, count]: readonly [useragent: string, count: number]): Html {
  return html`${toVisible(useragent)}${count > 1 && html` <span class="quiet">${count.toLocaleString("en")}×</span>`}`;
}

/** The verdicts as CSV for spreadsheets, with a head. */
export function toVerdictsCsv(verdicts: readonly Verdict[]): string {
  const columns = ["useragent", "crawler", "name", ...statedFacts()] as const;
  const toCell = (value: CsvCell | readonly string[]): CsvCell => (typeof value === "object" ? value.join(" ") : value);
  const rows = verdicts.map((verdict) => columns.map((column) => toCell(verdict[column])));
  return toSpreadsheetCsv([columns, ...rows]);
}
