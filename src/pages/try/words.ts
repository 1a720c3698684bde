/** A verdict in words that a person who has never read the documentation understands. Text only; no HTML. */

import type { Category, Purpose } from "../../detect/categories.ts";
import type { CrawlerFacts } from "../../detect/facts.ts";
import type { NetworkKind } from "../../detect/verification.ts";
import { capitalize } from "../../text/capitalize.ts";

type Described = CrawlerFacts & { readonly name?: string };

/** The noun of each category, and its meaning in a sentence. */
export const categoryWords: Readonly<Record<Category, readonly [noun: string, meaning: string]>> = {
  "search-engine": ["search crawler", "Collects pages for a search engine."],
  ai: ["AI crawler", "Collects pages for AI models or their users."],
  seo: ["SEO crawler", "Collects links and rankings for search engine optimization."],
  advertising: ["advertising crawler", "Reads pages to choose, place or check advertisements."],
  preview: ["link preview fetcher", "Fetches a page once to show a preview of a shared link."],
  feed: ["feed fetcher", "Fetches feeds on a server, for many readers at once."],
  monitor: ["monitor", "Checks whether a site and its links work, how fast it is, or what has changed."],
  archive: ["archiving crawler", "Keeps copies of pages."],
  security: ["security scanner", "Searches for open services and vulnerabilities."],
  research: ["research crawler", "Collects pages for research."],
  automation: ["automated browser", "A browser that a program controls."],
  library: ["HTTP library", "A program that uses an HTTP library and sends the library's name."],
  other: ["crawler", "A crawler that fits no other category."],
};

/** What AI crawlers of each purpose do. */
const aiMeanings: Readonly<Record<Purpose, string>> = {
  training: "to train AI models",
  search: "to answer searches with an AI model",
  agent: "when a person asks an AI model",
};

/** A sentence on what crawlers of a category do; AI crawlers by their purposes. */
export function toMeaning(category: Category, purposes: readonly Purpose[]): string {
  const [, meaning] = categoryWords[category];
  if (category !== "ai" || purposes.length === 0) return meaning;
  const aims = purposes.map((purpose) => aiMeanings[purpose]);
  return `Fetches pages ${aims.slice(0, -1).join(", ")}${aims.length > 1 ? ", and " : ""}${aims.at(-1)}.`;
}

/** What each purpose means. */
export const purposeWords: Readonly<Record<Purpose, string>> = {
  search: "finds pages for a search",
  training: "trains AI models",
  agent: "acts for a person who is waiting",
};

/** A sentence's subject and predicate, such as `Googlebot, Google's search crawler` or `curl, an HTTP library`. */
export function toWords({ name, operator, maker, category, purposes = [] }: Described): string {
  const noun = nounOf(category, purposes);
  const owner = operator ?? maker;
  const whose = owner === undefined || owner === name ? withArticle(noun) : `${possessive(owner)} ${noun}`;
  return name === undefined ? capitalize(whose) : `${name}, ${whose}`;
}

function nounOf(category: Category, purposes: readonly Purpose[]): string {
  if (category !== "ai" || purposes.length !== 1) return categoryWords[category][0];
  const [purpose] = purposes;
  return purpose === "training" ? "AI training crawler" : purpose === "search" ? "AI search crawler" : "AI agent";
}

function withArticle(noun: string): string {
  // Abbreviations are read letter by letter, and these begin with the sound of a vowel.
  return `${/^(?:[aeiou]|AI|HTTP|SEO)/.test(noun) ? "an" : "a"} ${noun}`;
}

function possessive(owner: string): string {
  return owner.endsWith("s") ? `${owner}'` : `${owner}'s`;
}

/** The kinds of networks, in words. */
export const networkWords: Readonly<Record<NetworkKind, string>> = {
  hosting: "servers, and people's VPNs and proxies",
  cdn: "a CDN, which forwards anyone's requests to sites behind it",
  relay: "forwards people's requests",
  vpn: "forwards people's requests",
  tor: "a Tor exit node",
};
