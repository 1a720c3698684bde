/** `/crawlers/NAME` of a crawler without an entry: the match of a rule in its strings, and how to add an entry. */
import type { ExplainedCrawler, ExplainedMatch, ExplainedVerdict } from "../../detect/verdict.ts";
import { type Html, html, toVisible, toVisibleText } from "../../text/html.ts";
import { crawlerSearch } from "../error-page.ts";
import type { Page } from "../layout.ts";
import { toSlug } from "../slug.ts";
import { toSnippetHtml } from "../snippet.ts";
import { toHighlighted } from "../try/verdict-view.ts";
import { type SeenHere, toSightings, toStrings, toVisits } from "./crawler-page.ts";
import { type KnownCrawler, toDidYouMean } from "./known-crawlers.ts";

/** Describes the page. `verdict` is that of the crawler's most frequent string, or else of its name; `similar` has a similar name. */
export function toUnknownCrawlerPage(
  name: string,
  verdict: ExplainedVerdict,
  seen: SeenHere | undefined,
  similar: KnownCrawler | undefined,
): Page {
  const match = verdict.explanation.find(({ heldBackBy }) => heldBackBy === undefined);
  const useragent = seen?.strings[0];
  const { category = "other" } = verdict;
  return {
    title: `${name}: no entry in the catalogue`,
    section: "/crawlers",
    description: "The catalogue has no entry with this name.",
    main: html`<nav aria-label="Breadcrumb" class="crumbs"><a href="/crawlers">Crawlers</a></nav>
<h1>${toVisible(name)}</h1>
<p class="lead">The catalogue has no entry for this crawler. Its operator and purpose are unknown.</p>
${toDidYouMean(similar)}
<dl class="facts">
${verdict.crawler ? toReason(verdict, match, useragent !== undefined) : html`<dt>Found by</dt><dd>no rule: a user agent with only this name is not a crawler</dd>`}
${seen !== undefined && html`<dt>Seen here</dt><dd>${toSightings(seen.sightings)}</dd>`}
</dl>
${toVisits(seen)}
${seen !== undefined && toStrings("Strings seen by this service", seen.strings)}
<h2>Add an entry</h2>
<p>Find the page on which the operator documents the crawler, often the address in the string. Put the entry into the file of its
category in <code>data/crawlers/</code>, run <code>npm run check:data</code>, and send a pull request. CONTRIBUTING.md has the steps.</p>
${toSnippetHtml({ title: `data/crawlers/${category}.yaml`, code: toEntryYaml(name, category, useragent) }, true)}
<h2>Search for another name</h2>
${crawlerSearch("")}`,
  };
}

function toReason(verdict: ExplainedCrawler, match: ExplainedMatch | undefined, isString: boolean): Html {
  if (match?.kind === "entry") {
    return html`<dt>Found by</dt><dd>the entry <a href="/crawlers/${toSlug(match.name)}">${match.name}</a>, which occurs in the name</dd>`;
  }
  return html`${match !== undefined && html`<dt>Found by</dt><dd>the rule <i>${match.name}</i>, pattern <code>${match.pattern}</code></dd>`}
<dt>Match</dt><dd class="string">${toHighlighted(verdict)}${!isString && html` <span class="quiet">in the name; check a complete string for a better result</span>`}</dd>
<dt>Category</dt><dd>${toVisibleText(verdict.category)}, the rule's</dd>`;
}

/** Writes the entry of a crawler; `useragent` is a string that it sent, if one is known. */
function toEntryYaml(name: string, category: string, useragent: string | undefined): string {
  const url = /https?:\/\/[^\s()<>"',;]+/.exec(useragent ?? "")?.[0];
  const lines = [
    `- name: ${isPlainText(name) ? name : toYamlString(name)}`,
    "  # operator: the company or person that the page names",
    `  category: ${category}`,
    url === undefined ? "  # url: the page that documents it" : `  url: ${toYamlString(url)}`,
    "  examples:",
    `    - ${toYamlString(useragent ?? name)}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Words that YAML 1.1 or 1.2 reads as a boolean or null (https://yaml.org/type/bool.html). */
const yamlWords = /^(?:true|false|yes|no|on|off|y|n|null)$/i;

/** Whether YAML 1.1 and 1.2 read a word as text without quotes: no number begins with a letter. */
function isPlainText(word: string): boolean {
  return /^[A-Za-z][\w.-]*$/.test(word) && !yamlWords.test(word);
}

/** A double-quoted scalar: JSON's, with escapes for characters outside printable ASCII (YAML 1.2.2 §5.7). */
function toYamlString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(/[^ -~]/gu, (character) => {
    const code = character.codePointAt(0) as number;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
