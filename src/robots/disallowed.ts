/** Decides whether a site's robots.txt disallows a request of a crawler, for policies. */
import type { ItemFacts } from "../detect/compiled-catalogue.ts";
import type { IsDisallowed } from "../detect/policy/policy.ts";
import type { CrawlerRules, Robots } from "./crawler-rules.ts";
import { hasOwnGroup } from "./merge-robots.ts";
import { finish } from "./robots-file.ts";

/** The facts of a catalogue's crawlers about robots.txt, by their names. */
export type CrawlersByName = ReadonlyMap<string, ItemFacts>;

export function indexByName(items: readonly ItemFacts[]): CrawlersByName {
  return new Map(items.flatMap((item) => (item.name === undefined ? [] : [[item.name, item] as const])));
}

/**
 * Makes the function. A crawler to which robots.txt does not apply, by its operator, is only disallowed what a group with its own token
 * disallows. Paths are also read as servers resolve them: `/a/../b`, `//b`, `/%2Fb`, `/b;c` and `b` as `/b`.
 */
export function createIsDisallowed(robots: Robots, crawlers: CrawlersByName): IsDisallowed {
  // Else the first request would wait for it.
  finish(robots.prepare(crawlers.values()));
  const known = new Map<string, CrawlerRules | undefined>();
  const findRules = (name: string | undefined): CrawlerRules | undefined => {
    const crawler = name === undefined ? undefined : crawlers.get(name);
    if (crawler === undefined) return robots.rulesFor(name === undefined ? {} : { name });
    // Only names of the catalogue are remembered: clients invent others.
    if (!known.has(name!)) {
      const applies = crawler.robotsRules?.obeys !== false || hasOwnGroup(robots, crawler);
      known.set(name!, applies ? robots.rulesFor(crawler) : undefined);
    }
    return known.get(name!);
  };
  return (path, { crawler, name }) => {
    const rules = crawler ? findRules(name) : undefined;
    return (
      rules !== undefined && rules.rules.length > 0 && spellingsOf(path).some((path) => !rules.decide(path).isAllowed)
    );
  };
}

/** A longer path is decided by its beginning. */
const mostResolved = 8_192;

/** The path of a request target, and as a server may resolve it. */
function spellingsOf(target: string): readonly string[] {
  const path = target.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
  const query = path.search(/[?#]/);
  const before = query < 0 ? path : path.slice(0, query);
  if (!/^[^/]|[/\\](?:[./\\]|%2e)|[\\;]|%2f/i.test(before)) return [path];
  // nginx decodes %2F before it finds a file.
  const withSlashes = before.slice(0, mostResolved).replace(/(?:[/\\]|%2f)+/gi, "/");
  // Servers of Java ignore parameters of segments.
  const withoutParameters = withSlashes.replace(/;[^/]*/g, "").replace(/\/{2,}/g, "/");
  const resolved = new URL(withoutParameters, "http://localhost").pathname;
  return [path, resolved + (query < 0 ? "" : path.slice(query))];
}
