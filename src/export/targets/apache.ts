/** Apache: an environment variable that crawlers' requests have, set by mod_setenvif. */
import { inParts } from "../parts.ts";
import { chosenSteps, heading, type Target, withoutCharacters } from "../target.ts";

/** Apache reads lines and regular expressions of up to 8,192 characters, in some places fewer. */
const maxLength = 4_000;

export const apache: Target = {
  what: "SetEnvIf, which defines the environment variable is_crawler",
  limit: "8,192 characters a line",
  write(request) {
    const { crawlers, variable } = request;
    const steps = chosenSteps(request);
    const candidate = `${variable}_candidate`;
    const top = heading(request, [
      "Place: the server's configuration or a virtual host, for example /etc/apache2/conf-enabled/crawlers.conf.",
      `Use: the environment variable ${variable} is 1 for crawlers, and not set otherwise. For example:`,
      `  <If "reqenv('${variable}') == '1'">`,
      "    Require all denied",
      "  </If>",
    ]);
    const conditions = inParts(crawlers, maxLength).map(
      (part) => `SetEnvIf User-Agent "${escaped(withoutCharacters(part, '"'))}" ${steps ? candidate : variable}=1`,
    );
    // Once a step has matched, the others only compare a short string.
    const choose = (steps ?? []).flatMap(({ expressions, value }) =>
      inParts(expressions, maxLength).map((part) => {
        const condition = `reqenv('${candidate}') == '1' && %{HTTP_USER_AGENT} =~ m#${withoutCharacters(part, `"#`)}#`;
        return `SetEnvIfExpr "${escaped(condition)}" !${candidate}${value === "1" ? ` ${variable}=1` : ""}`;
      }),
    );
    return `${top}\n${[...conditions, ...choose].join("\n")}\n`;
  },
};

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\");
}
