/** Tokens that only robots.txt has: no request carries them, so that no string is attributed to them. */
import type { Category, Purpose } from "../categories.ts";

export interface RobotsToken {
  readonly name: string;
  readonly operator: string;
  readonly category: Category;
  readonly purposes: readonly Purpose[];
  /** The operator's page that documents it. */
  readonly url: string;
  /** What a group with `Disallow: /` asks for. */
  readonly controls: string;
  /** The crawler whose pages it is about. */
  readonly crawler: string;
}

export const robotsTokens: readonly RobotsToken[] = [
  {
    name: "Google-Extended",
    operator: "Google",
    category: "ai",
    purposes: ["training"],
    url: "https://developers.google.com/search/docs/crawling-indexing/google-common-crawlers",
    controls: "Google not to use the site's pages to train Gemini models and to ground their answers",
    crawler: "Googlebot",
  },
  {
    name: "Applebot-Extended",
    operator: "Apple",
    category: "ai",
    purposes: ["training"],
    url: "https://support.apple.com/en-us/119829",
    controls: "Apple not to use the site's pages to train its foundation models",
    crawler: "Applebot",
  },
];
