/** Makes parts of addresses from names: paths of crawlers' pages, and fragments. */

/** A name in small letters and digits, with hyphens for everything else: `GET /auth` becomes `get-auth`. */
export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** Makes an address's part of a name: `AI2Bot-DeepResearchEval` is at `/crawlers/ai2bot-deepresearcheval`. */
export function toSlug(name: string): string {
  return anchorOf(name) || "unnamed";
}

/** The address of a crawler's page; for a name without Latin letters and digits, it contains the name itself. */
export function toCrawlerAddress(name: string): string {
  return `/crawlers/${anchorOf(name) || encodeURIComponent(name.toWellFormed())}`;
}
