/** The rules of the site's robots.txt for /auth, parsed when the text changes. robots/ decides with them. */
import type { CompiledCatalogue } from "../../detect/compiled-catalogue.ts";
import type { IsDisallowed } from "../../detect/policy/policy.ts";
import { nextBodyTurn } from "../../http/event-loop-turns.ts";
import { createRobots, type Robots } from "../../robots/crawler-rules.ts";
import { createIsDisallowed, indexByName } from "../../robots/disallowed.ts";
import { parseRobots, readRobots } from "../../robots/robots-file.ts";

/**
 * Makes the function that returns the rules of the text that `read` returns. A new text is parsed in turns of the event loop, until
 * the end of which the old rules apply.
 */
export function createRobotsReader(read: () => string): () => Robots {
  let text = read();
  let robots = createRobots(parseRobots(text));
  async function readAgain(changed: string): Promise<void> {
    const parts = readRobots(changed);
    let part = parts.next();
    for (; part.done !== true; part = parts.next()) await nextBodyTurn();
    if (text === changed) robots = createRobots(part.value);
  }
  return () => {
    const now = read();
    if (now !== text) {
      text = now;
      void readAgain(now);
    }
    return robots;
  };
}

/** Makes what the word `disallowed` asks, for the crawlers of a catalogue. */
export function createDisallowedPaths(
  readRules: () => Robots,
  { items }: Pick<CompiledCatalogue, "items">,
): IsDisallowed {
  const crawlers = indexByName(items);
  let robots: Robots | undefined;
  let isDisallowed: IsDisallowed = () => false;
  return (path, verdict) => {
    const now = readRules();
    if (now !== robots) {
      robots = now;
      isDisallowed = createIsDisallowed(now, crawlers);
    }
    return isDisallowed(path, verdict);
  };
}
