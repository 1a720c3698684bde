/** The last part of the address of a crawler's page. */

/** Makes an address's part of a name: `AI2Bot-DeepResearchEval` is at `/crawlers/ai2bot-deepresearcheval`. */
export function toSlug(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return slug === "" ? "unnamed" : slug;
}
