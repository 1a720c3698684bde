/** Verdicts with only the facts that a test is about. */
import type { CrawlerVerdict } from "../../src/detect/verdict.ts";

export const crawler = (useragent: string, facts: Partial<CrawlerVerdict> = {}): CrawlerVerdict => ({
  useragent,
  crawler: true,
  category: "other",
  pattern: useragent,
  match: useragent,
  ...facts,
});
