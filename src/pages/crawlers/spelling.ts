/** Which page a path means that is spelled otherwise: in another case, or with a slash at its end. */

import { anchorOf } from "../slug.ts";
import { findBySlug, type KnownCrawler } from "./known-crawlers.ts";

const crawlers = "/crawlers/";

/**
 * Makes the function that finds the path of a page. It returns paths of `pages` and of known crawlers only, never text of the
 * path that it is given; undefined if none is meant.
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
