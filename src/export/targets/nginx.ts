/** nginx: maps from the user agent to `$is_crawler` and `$crawler_category`. A word of its configuration has 4,096 bytes. */

import { type ExportLimits, toLimitValue, zonesOf } from "../nginx-limits.ts";
import {
  type ExportRequest,
  heading,
  type Matcher,
  matchesEmpty,
  type Step,
  type Target,
  toDecisionList,
  toParts,
} from "../target.ts";

/** The longest word, less the quotes and the tilde. */
const maxLength = 4_096 - 8;

export const nginx: Target = {
  what: "maps that define $is_crawler (0, 1) and $crawler_category",
  limit: "4,096 bytes a word",
  write(request) {
    const { crawlers, items, selection, variable, limits, isShort } = request;
    const base = variable.replace(/^is_/, "");
    if (limits) return [heading(request, limitUse(limits, base)), ...limitMaps(request, limits, base)].join("\n");
    const category = `${base}_category`;
    const steps = toDecisionList(items, (item) => (selection && !selection(item) ? "" : item.category), "");
    const top = heading(request, where(request, category));
    const fromCategory = map(`$${category} $${variable}`, "1", ['"" 0;']);
    if (isShort)
      return [top, map(`$http_user_agent $${category}`, '""', steps.flatMap(lines)), fromCategory].join("\n");
    const categories = map(`$http_user_agent $${category}_of_crawler`, '""', steps.flatMap(lines));
    // nginx evaluates a map when its variable is read, so the long one is evaluated only for crawlers.
    const byCategory = map(`$${selection ? `${variable}_at_all` : variable} $${category}`, '""', [
      `1 $${category}_of_crawler;`,
    ]);
    const maps = selection
      ? [toMaps(crawlers, `${variable}_at_all`), categories, byCategory, fromCategory]
      : [toMaps(crawlers, variable), categories, byCategory];
    return [top, ...maps].join("\n");
  },
};

function toMaps(crawlers: readonly string[], name: string): string {
  return map(
    `$http_user_agent $${name}`,
    "0",
    crawlersIn({ expressions: crawlers }, (part) => `${part} 1;`),
  );
}

/**
 * A map from the user agent to zone and name, with the limited crawlers and those that take precedence, and a map that says whether it is a
 * crawler's at all, because names alone do not decide. From these, for each zone, a map to its key, and one to the time after which a
 * crawler may ask again.
 */
function limitMaps({ crawlers, items }: ExportRequest, limits: ExportLimits, base: string): string[] {
  const steps = toDecisionList(items, (item) => toLimitValue(limits, item), "");
  const zones = zonesOf(limits, base);
  return [
    toMaps(crawlers, `${base}_limit_applies`),
    map(`$http_user_agent $${base}_limit_of_name`, '""', steps.flatMap(lines)),
    map(`$${base}_limit_applies $${base}_limit`, '""', [`1 $${base}_limit_of_name;`]),
    ...zones.map(
      ({ name, rate }, index) =>
        `${map(`$${base}_limit $${name}`, '""', [`"~^${index + 1} " $${base}_limit;`])}limit_req_zone $${name} zone=${name}:1m rate=${rate};\n`,
    ),
    map(
      `$${base}_limit $${base}_retry_after`,
      '""',
      zones.map(({ seconds }, index) => `"~^${index + 1} " ${seconds};`),
    ),
  ];
}

const place = "Place: a file that the http block includes, such as /etc/nginx/conf.d/crawlers.conf.";
const faster = '"pcre_jit on;" at the top level of nginx.conf makes it several times faster.';

function limitUse(limits: ExportLimits, base: string): string[] {
  return [
    place,
    "Limits, in a location other than that of /robots.txt; people are not limited:",
    ...zonesOf(limits, base).map(
      ({ name, burst, rate, word }) => `  limit_req zone=${name} burst=${burst} nodelay; # ${word}=${rate}`,
    ),
    "  limit_req_status 429;",
    "  error_page 429 @limited;",
    "and beside that location, because limit_req sends no Retry-After:",
    `  location @limited { add_header Retry-After $${base}_retry_after always; return 429; }`,
    faster,
  ];
}

function where({ variable }: ExportRequest, category: string): string[] {
  return [
    place,
    `Use: $${variable} is 1 or 0, $${category} such as "ai" or empty. For example, in the server block, for all its locations:`,
    `  if ($uri = /robots.txt) { set $${variable} 0; }`,
    `  if ($${variable}) { return 403; }`,
    faster,
  ];
}

function map(variables: string, otherwise: string, entries: readonly string[]): string {
  const [forEmpty] = entries.filter((entry) => entry.startsWith('"" '));
  const unique = entries.filter((entry) => !entry.startsWith('"" ') || entry === forEmpty);
  return [`map ${variables} {`, `default ${otherwise};`, ...unique, "}\n"].join("\n  ").replace("\n  }", "\n}");
}

function lines(step: Step): string[] {
  return crawlersIn(step, (part) => `${part} ${step.value === "" ? '""' : step.value};`);
}

/** Expressions are not tried on an empty value, so a request without a user agent needs a line of its own. */
function crawlersIn(matcher: Matcher, toLine: (part: string) => string): string[] {
  const parts = toParts(matcher, maxLength, (part) => escaped(part).length, "");
  const matches = matcher.ignoresCase ? "~*" : "~";
  return [
    ...(matchesEmpty(matcher.expressions) ? ['""'] : []),
    ...parts.map((part) => `"${matches}${escaped(part)}"`),
  ].map(toLine);
}

function escaped(expression: string): string {
  return expression.replace(/[\\"]/g, "\\$&");
}
