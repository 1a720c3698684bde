/** Caddy: maps that define the placeholder {is_crawler}. */
import { inParts } from "../parts.ts";
import { chosenSteps, heading, type Target, withoutCharacters } from "../target.ts";

/** Caddy has no limit; shorter lines are easier to handle. */
const maxLength = 4_000;

export const caddy: Target = {
  what: "maps that define the placeholder {is_crawler} (0, 1)",
  write(request) {
    const { crawlers, variable } = request;
    const steps = chosenSteps(request);
    const top = heading(request, [
      "Place: a file that a site imports, such as: import /etc/caddy/crawlers.caddy",
      `Use: {${variable}} is 1 or 0. For example, in the site:`,
      `  @crawler vars {${variable}} 1`,
      "  respond @crawler 403",
    ]);
    const one = (expressions: readonly string[], value: string): string[] =>
      inParts(expressions, maxLength).map((part) => `\`~${withoutCharacters(part, "`")}\` ${value}`);
    if (!steps) return `${top}\n${map("header.User-Agent", variable, one(crawlers, "1"))}`;
    const chosen = steps.flatMap(({ expressions, value }) => one(expressions, value));
    // Placeholders are evaluated lazily, so the long map is evaluated only for crawlers.
    return [
      top,
      map("header.User-Agent", `${variable}_at_all`, one(crawlers, "1")),
      map("header.User-Agent", `${variable}_of_crawlers`, chosen),
      map(`${variable}_at_all`, variable, [`1 {${variable}_of_crawlers}`]),
    ].join("\n");
  },
};

function map(from: string, to: string, lines: readonly string[]): string {
  return [`map {${from}} {${to}} {`, ...lines.map((line) => `\t${line}`), "\tdefault 0", "}\n"].join("\n");
}
