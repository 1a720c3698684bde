/** The categories of crawlers, and the purposes that they fetch pages for. pages/try/words.ts describes them in words. */

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
