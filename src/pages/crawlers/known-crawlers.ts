/** Every crawler that the catalogue has an entry for, with its examples, to be searched and shown. */

import { type Category, categories, type Purpose, purposes } from "../../detect/categories.ts";
import type { CompiledCatalogue } from "../../detect/compiled-catalogue.ts";
import { type CrawlerFacts, copyStatedFacts, type StatedFact } from "../../detect/facts.ts";
import { toFormsText } from "../../detect/forms.ts";
import { entryOf } from "../../detect/matched-entry.ts";
import { type RobotsToken, robotsTokens } from "../../detect/policy/robots-tokens.ts";
import type { Verdict } from "../../detect/verdict.ts";
import { oneWord, type Parameter, parseQuery } from "../../http/query.ts";
import { groupBy } from "../../text/group-by.ts";
import { type Html, html } from "../../text/html.ts";
import { nearestWord } from "../../text/nearest-word.ts";
import { toSlug } from "../slug.ts";

export interface KnownCrawler extends Omit<Pick<CrawlerFacts, StatedFact>, "purposes"> {
  readonly slug: string;
  readonly name: string;
  readonly purposes: readonly Purpose[];
  readonly pattern: string;
  /** In which forms it is found, in words; absent for a name that only robots.txt has. */
  readonly found?: string;
  /** What a search looks in, in small letters. */
  readonly searched: string;
  /** Strings of the catalogue that are attributed to it. */
  readonly examples: readonly string[];
  /** Present for a name that only robots.txt has. */
  readonly token?: RobotsToken;
}

export interface CrawlerQuery {
  readonly q: string;
  readonly category: Category | undefined;
  readonly purpose: Purpose | undefined;
  readonly operator: string;
}

/** Lists the catalogue's entries and the tokens of robots.txt by name, with the strings of the verdicts as examples. */
export function toKnownCrawlers(
  { items, alternatives }: Pick<CompiledCatalogue, "items" | "alternatives">,
  verdicts: readonly Verdict[],
): KnownCrawler[] {
  const deciding = new Set(alternatives);
  const examples = groupBy(verdicts, (verdict) => entryOf(verdict));
  const slugs = new Map<string, number>();
  return items
    .flatMap((item, index): Omit<KnownCrawler, "slug" | "searched">[] => {
      const { name, pattern } = item;
      if (name === undefined) return [];
      return [
        {
          purposes: [],
          ...copyStatedFacts(item),
          name,
          pattern,
          found: deciding.has(index) ? "wherever its pattern matches" : toFormsText(item.category),
          examples: (examples.get(name) ?? []).map(({ useragent }) => useragent),
        },
      ];
    })
    .concat(items.length === 0 ? [] : robotsTokens.map((token) => ({ ...token, pattern: "", examples: [], token })))
    .map((crawler) => ({ key: crawler.name.toLowerCase(), crawler }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ crawler }) => {
      // Names that differ only in punctuation have the same slug; the alphabetically first keeps it.
      const slug = toSlug(crawler.name);
      const count = (slugs.get(slug) ?? 0) + 1;
      slugs.set(slug, count);
      const { name, operator = "", maker = "", pattern } = crawler;
      const searched = `${name} ${operator} ${maker} ${pattern}`.toLowerCase();
      return { slug: count === 1 ? slug : `${slug}-${count}`, searched, ...crawler };
    });
}

/** The crawler at an address. */
export function findBySlug(all: readonly KnownCrawler[], slug: string): KnownCrawler | undefined {
  return all.find((crawler) => crawler.slug === slug);
}

/** The crawler whose name is most like a mistyped one; undefined if none is like it. */
export function findSimilar(all: readonly KnownCrawler[], name: string): KnownCrawler | undefined {
  // A short name is similar to too many others.
  if (name.length < 4) return undefined;
  const nearest = nearestWord(
    name,
    all.map((crawler) => crawler.name),
  );
  return all.find((crawler) => crawler.name === nearest);
}

/** Asks whether the reader meant a crawler of a similar name; nothing if there is none. */
export function toDidYouMean(similar: KnownCrawler | undefined): Html {
  return similar === undefined
    ? html``
    : html`<p>Did you mean <a href="/crawlers/${similar.slug}">${similar.name}</a>?</p>`;
}

/** The filter parameters; the form sends an empty value for "any". */
const filters = {
  category: orAny(oneWord(categories, "The category.")),
  purpose: orAny(oneWord(purposes, "A purpose.")),
};

function orAny<Word>(word: Parameter<Word>): Parameter<Word | undefined> {
  return { ...word, parse: (text) => (text === "" ? undefined : word.parse(text)) };
}

/** Reads the query of an address. Throws a Problem for unknown categories and purposes. */
export function parseCrawlerQuery(query: string): CrawlerQuery {
  const parameters = new URLSearchParams(query);
  const { category, purpose } = parseQuery(query, filters);
  return {
    q: (parameters.get("q") ?? "").slice(0, 200),
    category,
    purpose,
    operator: (parameters.get("operator") ?? "").slice(0, 200),
  };
}

/** The page of the list that an address names, counted from 1. */
export function parseCrawlerPage(query: string): number {
  const page = Number(new URLSearchParams(query).get("page") ?? 1);
  return Number.isSafeInteger(page) ? page : 1;
}

/** The crawlers that match: `q` is part of the name, operator, maker or pattern; case is ignored. */
export function findCrawlers(all: readonly KnownCrawler[], query: CrawlerQuery): KnownCrawler[] {
  const words = query.q.toLowerCase().split(/\s+/).filter(Boolean);
  const operator = query.operator.toLowerCase();
  return all.filter((crawler) => {
    if (query.category !== undefined && crawler.category !== query.category) return false;
    if (query.purpose !== undefined && !crawler.purposes.includes(query.purpose)) return false;
    if (operator !== "" && crawler.operator?.toLowerCase() !== operator) return false;
    return words.every((word) => crawler.searched.includes(word));
  });
}
