/** nginx: maps from the user agent to `$is_crawler` and `$crawler_category`. A word of its configuration has 4,096 bytes. */

import { inParts } from "../parts.ts";
import { type ExportRequest, heading, matchesEmpty, type Target, toDecisionList } from "../target.ts";

/** The longest word, less the quotes and the tilde. */
const maxLength = 4_096 - 8;

export const nginx: Target = {
  what: "maps that define $is_crawler (0, 1) and $crawler_category",
  limit: "4,096 bytes a word",
  write(request) {
    const { crawlers, items, selection, variable } = request;
    const category = `${variable.replace(/^is_/, "")}_category`;
    const steps = toDecisionList(items, (item) => (selection && !selection(item) ? "" : item.category), "");
    const categories = map(`$http_user_agent $${category}_of_crawler`, '""', steps.flatMap(lines));
    // nginx evaluates a map when its variable is read: the long one only for crawlers.
    const byCategory = map(`$${selection ? `${variable}_at_all` : variable} $${category}`, '""', [
      `1 $${category}_of_crawler;`,
    ]);
    const decide = (name: string): string =>
      map(
        `$http_user_agent $${name}`,
        "0",
        crawlersIn(crawlers, (part) => `${part} 1;`),
      );
    const maps = selection
      ? [decide(`${variable}_at_all`), categories, byCategory, map(`$${category} $${variable}`, "1", ['"" 0;'])]
      : [decide(variable), categories, byCategory];
    return [heading(request, where(request, category)), ...maps].join("\n");
  },
};

function where({ variable }: ExportRequest, category: string): string[] {
  return [
    "Place: a file that the http block includes, such as /etc/nginx/conf.d/crawlers.conf.",
    `Use: $${variable} is 1 or 0, $${category} such as "ai" or empty. For example, in a location:`,
    `  if ($${variable}) { return 403; }`,
    '"pcre_jit on;" outside of all blocks makes it several times as fast.',
  ];
}

function map(variables: string, otherwise: string, entries: readonly string[]): string {
  const [forEmpty] = entries.filter((entry) => entry.startsWith('"" '));
  const unique = entries.filter((entry) => !entry.startsWith('"" ') || entry === forEmpty);
  return [`map ${variables} {`, `default ${otherwise};`, ...unique, "}\n"].join("\n  ").replace("\n  }", "\n}");
}

function lines({ expressions, value }: { readonly expressions: readonly string[]; readonly value: string }): string[] {
  return crawlersIn(expressions, (part) => `${part} ${value === "" ? '""' : value};`);
}

/** Expressions are not tried on an empty value: that a request without a user agent is meant has a line of its own. */
function crawlersIn(expressions: readonly string[], toLine: (part: string) => string): string[] {
  const parts = inParts(expressions, maxLength, (expression) => escaped(expression).length).map(
    (part) => `"~${escaped(part)}"`,
  );
  return [...(matchesEmpty(expressions) ? ['""'] : []), ...parts].map(toLine);
}

function escaped(expression: string): string {
  return expression.replace(/[\\"]/g, "\\$&");
}
