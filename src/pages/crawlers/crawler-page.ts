/** `/crawlers/NAME`: one crawler, its strings, and what allows or blocks it. */

import type { Sighting } from "../../record/store.ts";
import { toRequests } from "../../scan/report/report-text.ts";
import { type Html, html, toQueryPart, toVisible } from "../../text/html.ts";
import type { Page } from "../layout.ts";
import { type Snippet, toSnippetHtml } from "../snippet.ts";
import { toFactRows } from "../try/fact-rows.ts";
import { categoryWords, toMeaning, toWords } from "../try/words.ts";
import type { KnownCrawler } from "./known-crawlers.ts";

/** What the record has about a crawler, for visitors who may see it. */
export interface SeenHere {
  /** Absent if it was not seen in the last five weeks. */
  readonly sightings: Sighting | undefined;
  readonly strings: readonly string[];
  /** Its requests over the last five weeks, if there were any. */
  readonly chart: Html | undefined;
}

/** Describes the page; `seen` is absent for visitors who may not see the record. `verification` is how it can be verified. */
export function toCrawlerPage(
  crawler: KnownCrawler,
  snippets: readonly Snippet[],
  seen: SeenHere | undefined,
  verification: Html,
): Page {
  const { name, operator, category, purposes, pattern, found, examples } = crawler;
  const [noun] = categoryWords[category];
  return {
    title: `${name}: ${noun}${operator === undefined ? "" : ` of ${operator}`}`,
    section: "/crawlers",
    description: `${toWords(crawler)}: user agent strings, and how to allow or block it.`,
    main: html`<nav aria-label="Breadcrumb" class="crumbs"><a href="/crawlers">Crawlers</a></nav>
<h1>${name}</h1>
<p class="lead">${toWords(crawler)}. ${toMeaning(category, purposes)}</p>
<dl class="facts">
${toFactRows(crawler, html`<a href="/crawlers?category=${category}">${category}</a>`)}<dt>Pattern</dt><dd><code>${pattern}</code></dd>
${found !== undefined && html`<dt>Found</dt><dd>${found}</dd>`}
${seen !== undefined && html`<dt>Seen here</dt><dd>${toSightings(seen.sightings)}</dd>`}
</dl>
${toVisits(seen)}
${toStrings("Its user agent strings", examples)}
${seen !== undefined && toStrings("Strings seen by this service", seen.strings)}
${verification}
<h2>Allow or block it</h2>
<p>Each of these blocks it. Comments say where to put the configuration. To allow it, use the same condition as an exception.</p>
${snippets.map(({ title, code }, index) => toSnippetHtml({ title, code }, index === 0))}`,
  };
}

/** The chart of a crawler's requests; nothing for visitors who may not see the record, and without requests. */
export function toVisits(seen: SeenHere | undefined): Html {
  return seen?.chart === undefined
    ? html``
    : html`<h2>Requests to this service</h2><div class="chart">${seen.chart}</div>`;
}

/** How often and when a crawler was seen, in words. */
export function toSightings(sightings: Sighting | undefined): Html {
  if (sightings === undefined) return html`not in the last five weeks`;
  const { count, lastHour } = sightings;
  if (lastHour === undefined) return html`${toRequests(count)} with the recorded strings`;
  const hour = new Date(lastHour).toISOString().slice(0, 16);
  return html`${toRequests(count)} in the last five
weeks, last in the hour of <time datetime="${hour}Z">${hour.replace("T", " ")} UTC</time>`;
}

/** User agents, each with a link to its verdict; nothing if there are none. */
export function toStrings(title: string, useragents: readonly string[]): Html {
  if (useragents.length === 0) return html``;
  return html`<h2>${title}</h2><ul class="strings">${useragents.map(
    (useragent) => html`<li><a href="/?useragent=${toQueryPart(useragent)}">${toVisible(useragent)}</a></li>`,
  )}</ul>`;
}
