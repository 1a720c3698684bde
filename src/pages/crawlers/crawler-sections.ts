/** The crawlers that `/crawlers` shows first: those seen by this service, and well-known ones by category and purpose. */
import { type Category, categories, type Purpose } from "../../detect/categories.ts";
import type { Sighting } from "../../record/store.ts";
import { type Html, html, toVisible } from "../../text/html.ts";
import { toCrawlerAddress } from "../slug.ts";
import type { KnownCrawler } from "./known-crawlers.ts";

/** The input of the sections. */
export interface SectionFacts {
  readonly all: readonly KnownCrawler[];
  /** Names that are shown first, in sections. */
  readonly wellKnown: readonly string[];
  /** Crawlers seen by this service, by name; absent for visitors who may not see them. */
  readonly seen: ReadonlyMap<string, Sighting> | undefined;
}

/** Sections in their order; a crawler is in the first that takes it. */
const sections: readonly {
  readonly title: string;
  readonly categories: readonly Category[];
  readonly purpose?: Purpose;
}[] = [
  { title: "AI training", categories: ["ai"], purpose: "training" },
  { title: "AI search", categories: ["ai"], purpose: "search" },
  { title: "AI agents", categories: ["ai"], purpose: "agent" },
  { title: "Search engines", categories: ["search-engine"] },
  { title: "Link previews", categories: ["preview"] },
  { title: "SEO", categories: ["seo"] },
  { title: "Advertising", categories: ["advertising"] },
  { title: "Monitoring", categories: ["monitor"] },
  { title: "Archives", categories: ["archive"] },
  { title: "Feeds", categories: ["feed"] },
  { title: "Libraries and automation", categories: ["library", "automation"] },
  { title: "Others", categories },
];

/** The maximum number of crawlers in the section of those seen here. */
const maxSeen = 12;

/** Shows the sections; those without crawlers are left out. */
export function toSections({ all, wellKnown, seen }: SectionFacts): Html {
  const byName = new Map(all.map((crawler) => [crawler.name, crawler]));
  const shown = [...wellKnown.flatMap((name) => byName.get(name) ?? []), ...all.filter(({ token }) => token)];
  const rest = new Set(shown);
  return html`<div class="sections">${seen !== undefined && seen.size > 0 && toSeenSection(seen, byName)}
${sections.map(({ title, categories, purpose }) => {
  const members = [...rest].filter(
    (crawler) => categories.includes(crawler.category) && (purpose === undefined || crawler.purposes.includes(purpose)),
  );
  for (const member of members) rest.delete(member);
  if (members.length === 0) return undefined;
  const [category = ""] = categories;
  const address = `/crawlers?category=${category}${purpose === undefined ? "" : `&purpose=${purpose}`}`;
  return html`<section><h2>${categories.length === 1 ? html`<a href="${address}">${title}</a>` : title}</h2>
<ul>${members.map(
    ({ slug, name, operator, token }) =>
      html`<li><a href="/crawlers/${slug}">${name}</a> <span class="quiet">${operator}${token && ", robots.txt only"}</span>${toMark(seen?.get(name))}</li>`,
  )}</ul></section>`;
})}</div>`;
}

/** The most frequent, crawlers without an entry included. */
function toSeenSection(seen: ReadonlyMap<string, Sighting>, byName: ReadonlyMap<string, KnownCrawler>): Html {
  const most = [...seen].sort(([, a], [, b]) => b.count - a.count).slice(0, maxSeen);
  return html`<section class="seen-here"><h2><a href="/traffic?period=month">Seen here</a></h2>
<ul>${most.map(
    ([name, { count }]) =>
      html`<li><a href="${toCrawlerAddress(name)}">${toVisible(name)}</a> <span class="quiet">${byName.get(name)?.operator ?? (byName.has(name) ? undefined : "no entry")}
${count.toLocaleString("en")}×</span></li>`,
  )}</ul></section>`;
}

/** Says that a crawler was seen here; nothing if it was not. */
export function toMark(sightings: Sighting | undefined): Html {
  return sightings === undefined ? html`` : html` <span class="seen">seen here</span>`;
}
