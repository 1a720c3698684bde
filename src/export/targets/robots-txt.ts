/** robots.txt: asks crawlers by the tokens that their operators document to stay away. */

import type { Category, Purpose } from "../../detect/categories.ts";
import { robotsTokens } from "../../detect/policy/robots-tokens.ts";
import { toPlain } from "../../text/plain-text.ts";
import type { Item } from "../export-items.ts";
import { comment, ExportError, heading, type Target } from "../target.ts";

interface Token {
  readonly token: string;
  readonly operator?: string;
  readonly category: Category;
  readonly purposes?: readonly Purpose[];
}

const controls = robotsTokens.map((facts) => ({ ...facts, token: facts.name }));

export const robotsTxt: Target = {
  what: "a group of the crawlers' documented tokens, with Disallow: /",
  isList: true,
  write(request) {
    const { items, selection = () => true } = request;
    const tokens = [...items.flatMap((item) => tokenOf(item, selection)), ...controls.filter(selection)];
    const unique = [...new Map(tokens.map((token) => [token.token.toLowerCase(), token])).values()];
    if (unique.length === 0) throw new ExportError("these crawlers have no token for robots.txt");
    // Not Map.groupBy: Node 20 has none.
    const byOperator = new Map<string, string[]>();
    for (const { token, operator = "" } of unique) {
      byOperator.set(operator, [...(byOperator.get(operator) ?? []), `User-agent: ${toPlain(token)}`]);
    }
    const lines = [...byOperator]
      .toSorted(([a], [b]) => (a === "" ? 1 : b === "" ? -1 : a < b ? -1 : 1))
      .flatMap(([operator, ofOperator]) => [comment(operator || "Operator unknown"), ...ofOperator.sort()]);
    return `${heading(request, [
      "Place: robots.txt at the root of your site, beside your other groups.",
      "Crawlers may ignore it; the other exports block them.",
    ])}\n${lines.join("\n")}\nDisallow: /\n`;
  },
};

/** Categories whose programs do not read robots.txt: programs that people run, and scanners. */
const unaware: ReadonlySet<Category> = new Set(["automation", "library", "security"]);

function tokenOf(item: Item, selection: (item: Item) => boolean): Token[] {
  if (item.name === undefined || !selection(item)) return [];
  const { operator, category, purposes = [] } = item;
  // Without a documented token the name is one, where it can be: RFC 9309, section 2.2.1, and dots and digits in the world.
  const token = item.robots ?? (/^[A-Za-z][\w.-]*$/.test(item.name) && !unaware.has(category) ? item.name : undefined);
  return token === undefined ? [] : [{ token, ...(operator ? { operator } : {}), category, purposes }];
}
