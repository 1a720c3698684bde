/** The crawlers of a catalogue that a robots.txt can name, with their tokens; and the tokens that only robots.txt has. */
import type { Category, Purpose } from "../detect/categories.ts";
import type { CompiledCatalogue, ItemFacts } from "../detect/compiled-catalogue.ts";
import { robotsTokens } from "../detect/policy/robots-tokens.ts";
import type { RobotsCrawler } from "./crawler-rules.ts";

/** A crawler with a token. */
export interface NamedCrawler extends RobotsCrawler {
  readonly name: string;
  /** The token that groups name it by. */
  readonly robots: string;
  readonly operator?: string;
  readonly category: Category;
  readonly purposes?: readonly Purpose[];
}

/** Categories whose programs do not read robots.txt: programs that people run, and scanners. */
const unaware: ReadonlySet<Category> = new Set(["automation", "library", "security"]);

/** The crawlers that have a token. */
export function toNamedCrawlers(items: readonly ItemFacts[]): readonly NamedCrawler[] {
  const crawlers = items.flatMap((item): NamedCrawler[] => {
    const { name, operator, category, purposes, robotsRules } = item;
    if (name === undefined) return [];
    // Without a documented token, the name serves as one if it can: RFC 9309, section 2.2.1, plus dots and digits, which occur in practice.
    const robots = item.robots ?? (/^[A-Za-z][\w.-]*$/.test(name) && !unaware.has(category) ? name : undefined);
    if (robots === undefined) return [];
    const facts = { ...(operator && { operator }), ...(purposes && { purposes }), ...(robotsRules && { robotsRules }) };
    return [{ name, robots, category, ...facts }];
  });
  return [...crawlers, ...robotsTokens.map((token) => ({ ...token, robots: token.name }))];
}

/** The well-known crawlers of a catalogue that have a token, and the tokens that only robots.txt has. */
export function toWellKnownCrawlers({ items, wellKnown }: Pick<CompiledCatalogue, "items" | "wellKnown">) {
  const places = new Map([...wellKnown, ...robotsTokens.map(({ name }) => name)].map((name, place) => [name, place]));
  const placeOf = ({ name }: NamedCrawler) => places.get(name)!;
  return toNamedCrawlers(items)
    .filter(({ name }) => places.has(name))
    .sort((one, other) => placeOf(one) - placeOf(other));
}

/** The tokens of the groups for these crawlers, with the tokens of crawlers that they fall back to. */
export function tokensOf(crawlers: readonly NamedCrawler[]): readonly string[] {
  return [...new Set(crawlers.flatMap(({ robots, robotsRules }) => [robots, ...(robotsRules?.fallback ?? [])]))];
}
