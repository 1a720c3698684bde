/** What crawlers are sorted by: the category of each, and what it fetches pages for. pages/words.ts has the words that people read. */

export const categories = [
  "search-engine",
  "ai",
  "seo",
  "advertising",
  "preview",
  "feed",
  "monitor",
  "archive",
  "security",
  "research",
  "automation",
  "library",
  "other",
] as const;
export type Category = (typeof categories)[number];

export const purposes = ["search", "training", "agent"] as const;
export type Purpose = (typeof purposes)[number];
