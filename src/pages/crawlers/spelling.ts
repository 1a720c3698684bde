/** Finds the page for a misspelled path: one in a different case, or with a trailing slash. */

import { anchorOf } from "../slug.ts";
import { findBySlug, type KnownCrawler } from "./known-crawlers.ts";

const crawlers = "/crawlers/";

/**
 * Makes the function that finds the path of a page. It returns only paths of `pages` and of known crawlers, never text from the
 * path that it is given; undefined if there is none.
 */
export function createSpelling(
  pages: readonly string[],
  known: () => readonly KnownCrawler[],
): (path: string) => string | undefined {
  return (path) => {
    const plain = path.toLowerCase().replace(/\/$/, "");
    const page = pages.find((page) => page === plain);
    if (page !== undefined || !plain.startsWith(crawlers)) return page;
    const name = decode(plain.slice(crawlers.length));
    const slug = name.includes("/") ? "" : anchorOf(name);
    return slug === "" || findBySlug(known(), slug) === undefined ? undefined : crawlers + slug;
  };
}

/** A part of a path as text; "" if it cannot be decoded. */
export function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
