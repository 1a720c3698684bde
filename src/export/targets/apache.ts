/** Apache: an environment variable that crawlers' requests have, set by mod_setenvif. */
import { chosenSteps, heading, type Matcher, type Target, toParts, withoutCharacters } from "../target.ts";

/** Apache reads lines and regular expressions of up to 8,192 characters, in some places fewer. */
const maxLength = 4_000;

export const apache: Target = {
  what: "SetEnvIf, which defines the environment variable is_crawler",
  limit: "8,192 characters a line",
  write(request) {
    const { crawlers, variable, isShort } = request;
    const steps = chosenSteps(request);
    const candidate = `${variable}_candidate`;
    const top = heading(request, [
      "Place: the server's configuration or a virtual host, for example /etc/apache2/conf-enabled/crawlers.conf.",
      `Use: the environment variable ${variable} is 1 for crawlers, and not set otherwise. For example:`,
      `  <If "reqenv('${variable}') == '1' && %{REQUEST_URI} != '/robots.txt'">`,
      "    Require all denied",
      "  </If>",
    ]);
    // The last line that matches decides.
    if (isShort) {
      const lines = steps!
        .toReversed()
        .flatMap((step) => setIf(step, step.value === "1" ? `${variable}=1` : `!${variable}`));
      return `${top}\n${lines.join("\n")}\n`;
    }
    const conditions = setIf({ expressions: crawlers }, `${steps ? candidate : variable}=1`);
    // Once a step has matched, the others only compare a short string.
    const choose = (steps ?? []).flatMap(({ value, ...matcher }) =>
      toParts(matcher, maxLength).map((part) => {
        const condition = `reqenv('${candidate}') == '1' && %{HTTP_USER_AGENT} =~ m#${withoutCharacters(part, `"#`)}#`;
        return `SetEnvIfExpr "${escaped(condition)}" !${candidate}${value === "1" ? ` ${variable}=1` : ""}`;
      }),
    );
    return `${top}\n${[...conditions, ...choose].join("\n")}\n`;
  },
};

function setIf(matcher: Matcher, change: string): string[] {
  const directive = matcher.ignoresCase ? "SetEnvIfNoCase" : "SetEnvIf";
  return toParts(matcher, maxLength, undefined, "").map(
    (part) => `${directive} User-Agent "${escaped(withoutCharacters(part, '"'))}" ${change}`,
  );
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\");
}
