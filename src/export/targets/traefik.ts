/** Traefik: a router of the dynamic configuration that takes crawlers' requests. */

import { UserError } from "../../text/errors.ts";
import { toTerms } from "../short-form.ts";
import { heading, type Matcher, matchesEmpty, type Target, toParts, withoutCharacters } from "../target.ts";

/** Traefik has no limit; shorter matchers are easier to read. */
const maxLength = 4_000;

export const traefik: Target = {
  what: "a router for Traefik 3 (YAML) that matches crawlers' requests",
  isAlwaysShort: true,
  write(request) {
    const matcher = (part: string): string => `HeaderRegexp(\`User-Agent\`, \`${withoutCharacters(part, "`")}\`)`;
    // A request without a user agent has no value that an expression could match.
    const any = (...matchers: readonly Matcher[]): string =>
      matchers
        .flatMap((each) => [
          ...toParts(each, maxLength).map(matcher),
          ...(matchesEmpty(each.expressions) ? [`!${matcher(".")}`] : []),
        ])
        .join(" || ");
    const chosen = toTerms(request)
      .map((term) =>
        term.none.length === 0 ? `(${any(term.any)})` : `((${any(term.any)}) && !(${any(...term.none)}))`,
      )
      .join(" || ");
    const rule = `!Path(\`/robots.txt\`) && (${chosen})`;
    // Traefik reads the file as a template.
    if (rule.includes("{{")) throw new UserError("Traefik would read {{ in an expression as a template");
    const name = request.variable.replaceAll("_", "-");
    // JSON's strings are YAML's, too.
    return `${heading(request, [
      "Place: a file of Traefik's file provider (providers.file.directory).",
      "Use: name a service and middlewares. For one host only, begin the rule with: Host(`example.com`) && (, and end it with )",
    ])}
http:
  routers:
    ${name}:
      priority: 1000000
      service: noop@internal
      middlewares: []
      rule: ${JSON.stringify(rule)}
`;
  },
};
