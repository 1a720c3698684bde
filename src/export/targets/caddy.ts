/** Caddy: maps that define the placeholder {is_crawler}. */
import { chosenSteps, heading, type Matcher, type Target, toParts, withoutCharacters } from "../target.ts";

/** Caddy has no limit; shorter lines are easier to handle. */
const maxLength = 4_000;

export const caddy: Target = {
  what: "maps that define the placeholder {is_crawler} (0, 1)",
  write(request) {
    const { crawlers, variable, isShort } = request;
    const steps = chosenSteps(request);
    const top = heading(request, [
      "Place: a file that a site imports, such as: import /etc/caddy/crawlers.caddy",
      // Caddy runs handle before respond, and handle blocks in the order of the file unless both have a path.
      `Use: {${variable}} is 1 or 0. For example, in the site, above all its handle blocks:`,
      "  @crawler {",
      `    vars {${variable}} 1`,
      "    not path /robots.txt",
      "  }",
      "  handle @crawler {",
      "    respond 403",
      "  }",
    ]);
    const one = (matcher: Matcher, value: string): string[] =>
      toParts(matcher, maxLength).map((part) => `\`~${withoutCharacters(part, "`")}\` ${value}`);
    const whole = one({ expressions: crawlers }, "1");
    if (!steps) return `${top}\n${map("header.User-Agent", variable, whole)}`;
    const chosen = steps.flatMap((step) => one(step, step.value));
    if (isShort) return `${top}\n${map("header.User-Agent", variable, chosen)}`;
    // Placeholders are evaluated lazily, so the long map is evaluated only for crawlers.
    return [
      top,
      map("header.User-Agent", `${variable}_at_all`, whole),
      map("header.User-Agent", `${variable}_of_crawlers`, chosen),
      map(`${variable}_at_all`, variable, [`1 {${variable}_of_crawlers}`]),
    ].join("\n");
  },
};

function map(from: string, to: string, lines: readonly string[]): string {
  return [`map {${from}} {${to}} {`, ...lines.map((line) => `\t${line}`), "\tdefault 0", "}\n"].join("\n");
}
