/** Traefik: a router of the dynamic configuration that takes crawlers' requests. */

import { UserError } from "../../text/errors.ts";
import { inParts } from "../parts.ts";
import { toTerms } from "../short-form.ts";
import { heading, matchesEmpty, type Target, withoutCharacters } from "../target.ts";

/** Traefik has no limit; shorter matchers are easier to read. */
const maxLength = 4_000;

export const traefik: Target = {
  what: "a router for Traefik 3 (YAML) that matches crawlers' requests",
  write(request) {
    const matcher = (part: string): string => `HeaderRegexp(\`User-Agent\`, \`${withoutCharacters(part, "`")}\`)`;
    // A request without a user agent has no value that an expression could match.
    const any = (expressions: readonly string[]): string =>
      [
        ...inParts(expressions, maxLength).map(matcher),
        ...(matchesEmpty(expressions) ? [`!${matcher(".")}`] : []),
      ].join(" || ");
    const rule = toTerms(request)
      .map((term) => (term.none.length === 0 ? `(${any(term.any)})` : `((${any(term.any)}) && !(${any(term.none)}))`))
      .join(" || ");
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
