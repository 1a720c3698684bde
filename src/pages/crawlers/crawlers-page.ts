/**
 * `/crawlers`: well-known crawlers first, then every crawler of the catalogue, searched and filtered. web/crawlers.ts updates the results
 * as you type.
 */
import { categories, purposes } from "../../detect/categories.ts";
import { type Html, html } from "../../text/html.ts";
import type { Page } from "../layout.ts";
import { categoryWords, purposeWords } from "../try/words.ts";
import { type SectionFacts, toMark, toSections } from "./crawler-sections.ts";
import { type CrawlerQuery, findCrawlers, findSimilar, type KnownCrawler, toDidYouMean } from "./known-crawlers.ts";

const pageSize = 100;

/** The content of the page. */
export interface CrawlersFacts extends SectionFacts {
  readonly query: CrawlerQuery;
  /** Counts from 1. */
  readonly page: number;
}

/** Describes the page. */
export function toCrawlersPage(facts: CrawlersFacts): Page {
  const { all, query } = facts;
  const isFiltered = query.category !== undefined || query.purpose !== undefined || query.operator !== "";
  return {
    title: "Crawlers",
    section: "/crawlers",
    description: `${all.length} crawlers with operator, category, purposes, and how to allow or block each.`,
    modules: ["crawlers.js"],
    main: html`<div class="intro"><h1>Crawlers</h1>
<p>${all.length.toLocaleString("en")} crawlers are in the catalogue. <span id="crawlers-note">Each has a page with its strings and with configuration to allow or block it.</span></p></div>
<form id="search" action="/crawlers" method="get" role="search">
<div class="search"><label for="q">Search</label>
<input id="q" name="q" type="search" value="${query.q}" placeholder="GPTBot, OpenAI, feed…" autocomplete="off">
<button type="submit">Search</button></div>
<details class="filters"${isFiltered && html` open`}><summary>Filters</summary><div>
<p><label for="category">Category</label> <select id="category" name="category"><option value="">any</option>${categories.map(
      (name) =>
        html`<option value="${name}"${name === query.category && html` selected`}>${name}: ${categoryWords[name][0]}</option>`,
    )}</select></p>
<p><label for="purpose">Purpose</label> <select id="purpose" name="purpose"><option value="">any</option>${purposes.map(
      (name) =>
        html`<option value="${name}"${name === query.purpose && html` selected`}>${name}: ${purposeWords[name]}</option>`,
    )}</select></p>
<p><label for="operator">Operator</label> <input id="operator" name="operator" value="${query.operator}" list="operators" autocomplete="off"></p>
<datalist id="operators">${operatorsOf(all).map((name) => html`<option value="${name}">`)}</datalist>
</div></details>
</form>
<div id="results" aria-live="polite">${toCrawlerResults(facts)}</div>`,
  };
}

/** Shows the crawlers of the query; without one, sections come before all crawlers. */
export function toCrawlerResults(facts: CrawlersFacts): Html {
  const { q, category, purpose, operator } = facts.query;
  const isAll = q === "" && operator === "" && category === undefined && purpose === undefined && facts.page <= 1;
  return isAll ? html`${toSections(facts)}<h2>All by name</h2>${toResults(facts)}` : toResults(facts);
}

function toResults({ all, query, page, seen }: CrawlersFacts): Html {
  const found = findCrawlers(all, query);
  const pages = Math.max(1, Math.ceil(found.length / pageSize));
  const current = Math.min(Math.max(1, page), pages);
  const shown = found.slice((current - 1) * pageSize, current * pageSize);
  if (shown.length === 0) {
    return html`${toDidYouMean(findSimilar(all, query.q))}<p><b>No results.</b> Rules also find crawlers without an entry: <a href="/">check the string</a>.</p>`;
  }
  const link = (to: number, label: string) => html`<a href="${toAddress(query, to)}">${label}</a>`;
  return html`<p class="quiet">${found.length.toLocaleString("en")} found${pages > 1 && `, page ${current} of ${pages}`}</p>
<div class="table" tabindex="0" role="region" aria-label="Crawlers"><table class="crawlers">
<thead><tr><th scope="col">Name</th><th scope="col">Operator or maker</th><th scope="col">Category</th><th scope="col">Purposes</th></tr></thead>
<tbody>${shown.map(
    ({ slug, name, operator, maker = "", category, purposes, token }) =>
      html`<tr><th scope="row"><a href="/crawlers/${slug}">${name}</a>${toMark(seen?.get(name))}</th><td>${operator ?? maker}</td>
<td><span class="tag ${category}">${category}</span></td><td>${purposes.join(", ")}${token !== undefined && " (robots.txt only)"}</td></tr>`,
  )}</tbody></table></div>
${pages > 1 && html`<nav class="pages" aria-label="Pages of the list">${current > 1 && link(current - 1, "Previous")} ${current < pages && link(current + 1, "Next")}</nav>`}`;
}

function toAddress({ q, category, purpose, operator }: CrawlerQuery, page: number): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ q, category, purpose, operator, page: String(page) })) {
    if (value !== undefined && value !== "") parameters.set(name, value);
  }
  return `/crawlers?${parameters}`;
}

function operatorsOf(all: readonly KnownCrawler[]): string[] {
  const counts = new Map<string, number>();
  for (const { operator } of all) if (operator !== undefined) counts.set(operator, (counts.get(operator) ?? 0) + 1);
  // Only operators with several crawlers: the others are found by their only crawler.
  return [...counts].flatMap(([name, count]) => (count > 1 ? [name] : [])).sort();
}
