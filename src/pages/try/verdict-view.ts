/** A verdict with its explanation as HTML: the same function renders on the server and in the page. */
import type { ExplainedCrawler, ExplainedMatch, ExplainedVerdict, Verdict } from "../../detect/verdict.ts";
import type { CrawlerAddress, Network, VerificationStatus } from "../../detect/verification.ts";
import { type Html, html, toVisible, toVisibleText } from "../../text/html.ts";
import { toCrawlerAddress } from "../slug.ts";
import { toFactRows } from "./fact-rows.ts";
import { categoryWords, networkWords, toMeaning, toWords } from "./words.ts";

/** How many entries and rules were checked, to say so if nothing matched. */
export interface CatalogueSize {
  readonly entries: number;
  readonly rules: number;
}

/**
 * Shows the verdict, the matching part of the string, and facts about the crawler. Long strings have no explanation. `status` is
 * what the client's address says, if one was given.
 */
export function toVerdictHtml(
  given: Verdict | ExplainedVerdict,
  size: CatalogueSize,
  status?: VerificationStatus,
): Html {
  const isExplained = "explanation" in given;
  const verdict: ExplainedVerdict = isExplained ? given : { ...given, explanation: [] };
  const headline = verdict.crawler ? toHeadline(verdict, status) : "A person's browser or app";
  return html`<article class="verdict ${verdict.crawler ? "is-crawler" : "is-person"}">
<p class="badge">${verdict.crawler ? "Crawler" : "Not a crawler"}</p>
<h2>${toVisibleText(headline)}</h2>
<p class="string">${toHighlighted(verdict)}</p>
${!isExplained && html`<p class="quiet">A string this long is not explained here; use <code>whocrawls check --explain</code>.</p>`}
${verdict.crawler ? toFacts(verdict) : isExplained && toReasons(verdict, size)}
</article>`;
}

/** Anyone can send a crawler's name, so it is only a claim unless the address proves it. Libraries and tools claim nothing. */
function toHeadline(verdict: ExplainedCrawler, status: VerificationStatus | undefined): string {
  const { name, category } = verdict;
  const isClaim = name !== undefined && category !== "library" && category !== "automation";
  if (!isClaim || status === undefined || status === "verified") return toWords(verdict);
  return `Claims to be ${name}: ${status === "spoofed" ? "spoofed" : "not proven"}`;
}

export function toHighlighted(verdict: ExplainedVerdict): Html {
  const { useragent, crawler, explanation } = verdict;
  if (useragent === "") return html`<i>The empty string</i>`;
  if (!crawler) return toVisible(useragent);
  const { match } = verdict;
  // A pattern may need a character before it that is not part of the match.
  const found = explanation.find(({ heldBackBy }) => heldBackBy === undefined);
  const start = useragent.indexOf(match, found?.start ?? 0);
  if (start === -1) return toVisible(useragent);
  const end = start + match.length;
  return html`<bdi>${toVisibleText(useragent.slice(0, start))}<mark>${toVisibleText(useragent.slice(start, end))}</mark>${toVisibleText(
    useragent.slice(end),
  )}</bdi>`;
}

function toFacts(verdict: ExplainedCrawler): Html {
  const { category, purposes = [], explanation } = verdict;
  const deciding = explanation.find(({ heldBackBy }) => heldBackBy === undefined);
  const [noun] = categoryWords[category];
  return html`<dl class="facts">
${toFactRows(verdict, html`<a href="/crawlers?category=${category}">${noun}</a> <span class="quiet">${toMeaning(category, purposes)}</span>`)}<dt>Decided by</dt><dd>${deciding === undefined ? "the expression" : toItem(deciding, verdict.name)}</dd>
</dl>`;
}

function toItem({ kind, name, pattern }: ExplainedMatch, crawler: string | undefined): Html {
  if (kind === "entry")
    return html`the entry <a href="${toCrawlerAddress(name)}">${name}</a>, pattern <code>${pattern}</code>`;
  const entry = crawler === undefined ? "entry" : html`<a href="${toCrawlerAddress(crawler)}">entry</a>`;
  return html`the rule <i>${name}</i>, pattern <code>${pattern}</code>; the catalogue has no ${entry} for it`;
}

function toReasons({ explanation }: ExplainedVerdict, { entries, rules }: CatalogueSize): Html {
  const held = explanation.filter(({ heldBackBy }) => heldBackBy !== undefined);
  const looked = `${entries.toLocaleString("en")} entries and ${rules} rules were checked`;
  if (held.length === 0) return html`<p>${looked}. None of them matches.</p>`;
  return html`<p>${looked}. These matches are excluded by exceptions:</p>
<ul class="reasons">${held.map(
    ({ kind, name, text, heldBackBy = [] }) =>
      html`<li>The ${kind} <i>${name}</i> occurs as <code>${toVisible(text)}</code>, but in <code>${toVisible(
        heldBackBy[0]?.text ?? "",
      )}</code>: ${heldBackBy[0]?.why}.</li>`,
  )}</ul>`;
}

const statusWords = {
  verified: "Verified: the request is from this crawler",
  spoofed: "Spoofed: the request is not from this crawler",
  unverifiable: "Unverifiable: neither is proven",
} as const;

/** Shows it; `verdict` is undefined for text that is not an address. */
export function toAddressHtml(ip: string, verdict: Verdict | undefined): Html {
  if (verdict === undefined)
    return html`<p class="error" role="alert">${toVisible(ip)} is not an IPv4 or IPv6 address without a port.</p>`;
  const { verification, network, crawlerAddress } = verdict;
  return html`<dl class="facts">
<dt>Address</dt><dd>${toVisible(ip)}</dd>
${verification !== undefined && html`<dt>Verification</dt><dd><b>${statusWords[verification.status]}</b> <span class="quiet">${toVisible(verification.reason)}</span></dd>`}
${crawlerAddress !== undefined && toCrawlersHtml(crawlerAddress)}
${network !== undefined && toNetwork(network)}
${verification === undefined && network === undefined && crawlerAddress === undefined && html`<dt>Result</dt><dd>Nothing is known about this address, and people are not verified.</dd>`}
</dl>`;
}

function toCrawlersHtml({ operator, crawlers, source, asOf }: CrawlerAddress): Html {
  return html`<dt>Crawlers' address</dt><dd>${operator} <span class="quiet">publishes it as an address of ${crawlers.join(", ")}, in <a href="${source}" rel="noreferrer nofollow">its list</a> of ${asOf.slice(0, 10)}</span></dd>`;
}

function toNetwork({ kind, provider, source, asOf }: Network): Html {
  return html`<dt>Network</dt><dd>${provider} <span class="quiet">${networkWords[kind]}, by <a href="${source}" rel="noreferrer nofollow">its list</a> of ${asOf.slice(0, 10)}; says nothing about whether this is a crawler</span></dd>`;
}
