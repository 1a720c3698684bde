/** HAProxy: a file of patterns for an ACL; for selected crawlers, a map. It reads lines of such files up to its buffer's size. */

import {
  chosenSteps,
  type ExportRequest,
  heading,
  type Matcher,
  matchesEmpty,
  type Step,
  type Target,
  toParts,
  withoutCharacters,
} from "../target.ts";

/** Half of `tune.bufsize`, the longest line of a file of patterns. */
const maxLength = 8_000;

export const haproxy: Target = {
  what: "a file of patterns for an ACL; for selected crawlers, a map",
  limit: "16 kB a line (`tune.bufsize`)",
  write(request) {
    const steps = chosenSteps(request);
    // A space ends the key of a map, and is stripped from the ends of patterns in a list.
    const lines = steps
      ? steps.flatMap((step) => inLines(step).map((line) => `${line} ${step.value}`))
      : inLines({ expressions: request.crawlers });
    return [heading(request, steps ? mapUse(request, steps) : listUse(request)), ...lines, ""].join("\n");
  },
};

function inLines(matcher: Matcher): string[] {
  const inFile = (expression: string): string => withoutCharacters(expression, " #");
  return toParts(matcher, maxLength, (expression) => inFile(expression).length).map(inFile);
}

/**
 * Requests for robots.txt. Not by `path`: in a URL such as http://a?x=/robots.txt, which HAProxy passes on as it is, the site finds another
 * path.
 */
const robotsTxt = "  acl is_robots_txt url -m reg '^(https?://[][0-9A-Za-z_.~:-]+)?/robots[.]txt([?]|$)'";

/** A request without a user agent has no value that a pattern could match. */
function withoutHeader(variable: string, expressions: readonly string[]): string[] {
  return matchesEmpty(expressions) ? [`  acl ${variable} req.fhdr_cnt(user-agent) eq 0`] : [];
}

function listUse({ variable, crawlers }: ExportRequest): string[] {
  return [
    "Place: /etc/haproxy/crawlers.lst",
    "Use, in a frontend:",
    `  acl ${variable} req.fhdr(user-agent) -m reg -f /etc/haproxy/crawlers.lst`,
    ...withoutHeader(variable, crawlers),
    robotsTxt,
    `  http-request deny deny_status 403 if ${variable} !is_robots_txt`,
  ];
}

function mapUse({ variable, crawlers, isShort }: ExportRequest, steps: readonly Step[]): string[] {
  const empty = steps.find(({ expressions }) => matchesEmpty(expressions));
  const acl = `  acl ${variable} req.fhdr(user-agent),map_reg(/etc/haproxy/${variable}.map,0) -m str 1`;
  const deny = "  http-request deny deny_status 403 if";
  if (isShort)
    return [
      `Place: /etc/haproxy/${variable}.map`,
      "Use, in a frontend:",
      acl,
      robotsTxt,
      `${deny} ${variable} !is_robots_txt`,
    ];
  return [
    `Place: /etc/haproxy/${variable}.map, beside crawlers.lst (whocrawls export haproxy), which detects all crawlers.`,
    "Use in a frontend. A rule needs both ACLs; in this order, people's requests do not read the map:",
    "  acl crawler_at_all req.fhdr(user-agent) -m reg -f /etc/haproxy/crawlers.lst",
    ...withoutHeader("crawler_at_all", crawlers),
    acl,
    ...(empty?.value === "1" ? withoutHeader(variable, empty.expressions) : []),
    robotsTxt,
    `${deny} crawler_at_all ${variable} !is_robots_txt`,
  ];
}
