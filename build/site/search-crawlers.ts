/** The list of `/crawlers`, made in the browser; patch.ts loads it for the first search. */
import { items, wellKnown } from "../../src/detect/built-in/items.ts";
import { toCrawlerResults } from "../../src/pages/crawlers/crawlers-page.ts";
import { parseCrawlerPage, parseCrawlerQuery, toKnownCrawlers } from "../../src/pages/crawlers/known-crawlers.ts";
import type { Html } from "../../src/text/html.ts";

/** The crawlers of a query such as `?q=gptbot`. Throws for unknown categories and purposes. */
export function searchCrawlers(query: string): Html {
  const all = toKnownCrawlers({ items: items(), alternatives: [] }, []);
  return toCrawlerResults({
    all,
    wellKnown,
    query: parseCrawlerQuery(query),
    page: parseCrawlerPage(query),
    seen: undefined,
  });
}
