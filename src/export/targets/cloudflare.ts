/** Cloudflare: custom rules of the WAF. Because their length is limited, the verdict is split into several rules. */
import { type Term, toTerms } from "../short-form.ts";
import { origin, type Target, toParts, withoutCharacters } from "../target.ts";

/** The longest expression that the dashboard accepts; the API accepts 96 characters more. */
const maxLength = 4_000;

export const cloudflare: Target = {
  what: "custom rules (JSON) of at most 4,000 characters; they need a plan with regular expressions",
  limit: "4,000 characters a rule in the dashboard",
  isAlwaysShort: true,
  write(request) {
    const expressions = toTerms(request).flatMap(toExpressions);
    const rules = expressions.map((expression, index) => ({
      description: `whocrawls ${request.variable}, ${index + 1} of ${expressions.length}`,
      action: "managed_challenge",
      expression,
    }));
    return `${JSON.stringify({ description: `${origin(request)}. ${place}`, rules }, null, 2)}\n`;
  },
};

/** JSON has no comments; Cloudflare keeps the description of a set of rules. */
const place =
  "Place: PUT /zones/ZONE/rulesets/phases/http_request_firewall_custom/entrypoint, together with your other custom rules, " +
  "which this call replaces. You can also paste the expressions into the dashboard (Security, Custom rules).";

function toExpressions({ any, none }: Term): string[] {
  const excluded = none
    .flatMap((each) => toParts(each, maxLength / 2, lengthOf))
    .map((part) => ` and not ${matches(part)}`)
    .join("");
  const rest = `${excluded} and ${notRobotsTxt}`;
  const room = maxLength - matches("").length - rest.length;
  return toParts(any, room, lengthOf).map((part) => matches(part) + rest);
}

const notRobotsTxt = 'http.request.uri.path ne "/robots.txt"';

function matches(expression: string): string {
  return `http.user_agent matches r"${spelled(expression)}"`;
}

const lengthOf = (expression: string): number => spelled(expression).length;

/** Its engine is Rust's, which rejects escaped slashes; a raw string ends at a quotation mark. */
function spelled(expression: string): string {
  return withoutCharacters(expression, '"').replace(/\\(.)/g, (escaped, char: string) =>
    char === "/" ? char : escaped,
  );
}
