/** nginx: maps from the user agent to `$is_crawler` and `$crawler_category`. A word of its configuration has 4,096 bytes. */

import { type ExportLimits, toLimitValue, zonesOf } from "../nginx-limits.ts";
import { inParts } from "../parts.ts";
import { type ExportRequest, heading, matchesEmpty, type Target, toDecisionList } from "../target.ts";

/** The longest word, less the quotes and the tilde. */
const maxLength = 4_096 - 8;

export const nginx: Target = {
  what: "maps that define $is_crawler (0, 1) and $crawler_category",
  limit: "4,096 bytes a word",
  write(request) {
    const { crawlers, items, selection, variable, limits } = request;
    const base = variable.replace(/^is_/, "");
    const category = `${base}_category`;
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
    const limiting = limits ? limitMaps(request, limits, base) : [];
    return [heading(request, where(request, category, base)), ...maps, ...limiting].join("\n");
  },
};

/** A map from the user agent to zone and name, read for crawlers only; from it, for each zone, a map to its key. */
function limitMaps({ items, selection, variable }: ExportRequest, limits: ExportLimits, base: string): string[] {
  const steps = toDecisionList(items, (item) => toLimitValue(limits, item), "");
  return [
    map(`$http_user_agent $${base}_limit_of_crawler`, '""', steps.flatMap(lines)),
    map(`$${selection ? `${variable}_at_all` : variable} $${base}_limit`, '""', [`1 $${base}_limit_of_crawler;`]),
    ...zonesOf(limits, base).map(
      ({ name, rate }, index) =>
        `${map(`$${base}_limit $${name}`, '""', [`"~^${index + 1} " $${base}_limit;`])}limit_req_zone $${name} zone=${name}:1m rate=${rate};\n`,
    ),
  ];
}

function limitUse(limits: ExportLimits, base: string): string[] {
  const zones = zonesOf(limits, base);
  return [
    "Limits, in a location, except the location of /robots.txt; people have no limit:",
    ...zones.map(({ name, burst, rate, word }) => `  limit_req zone=${name} burst=${burst} nodelay; # ${word}=${rate}`),
    "  limit_req_status 429;",
    "  error_page 429 @limited;",
    "and beside that location, because limit_req sends no Retry-After:",
    "  location @limited { add_header Retry-After 60 always; return 429; }",
  ];
}

function where({ variable, limits }: ExportRequest, category: string, base: string): string[] {
  return [
    "Place: a file that the http block includes, such as /etc/nginx/conf.d/crawlers.conf.",
    `Use: $${variable} is 1 or 0, $${category} such as "ai" or empty. For example, in a location:`,
    `  if ($${variable}) { return 403; }`,
    ...(limits ? limitUse(limits, base) : []),
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
