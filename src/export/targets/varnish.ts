/** Varnish: a subroutine in VCL that sets a header of the request. */
import {
  chosenSteps,
  heading,
  type Matcher,
  type Target,
  toHeaderName,
  toParts,
  withoutCharacters,
} from "../target.ts";

/** Short enough for Varnish's limit of steps per match (pcre2_match_limit) with any user agent. */
const maxLength = 4_000;

export const varnish: Target = {
  what: "a VCL subroutine that sets the request's header X-Is-Crawler (0, 1)",
  limit: "steps of a match",
  write(request) {
    const { crawlers, variable, isShort } = request;
    const steps = chosenSteps(request);
    const header = `req.http.${toHeaderName(variable)}`;
    const top = heading(request, [
      'Place: a file that your VCL includes, such as: include "/etc/varnish/crawlers.vcl";',
      `Use: call ${variable}; in vcl_recv, at the top. ${header} is then "1" or "0"; the client's header is replaced. For example:`,
      `  if (${header} == "1" && req.url !~ "^/robots[.]txt([?]|$)") { return (synth(403)); }`,
    ]);
    const matches = (matcher: Matcher): string =>
      toParts(matcher, maxLength)
        .map((part) => `req.http.User-Agent ~ "${withoutCharacters(part, '"')}"`)
        .join(" ||\n      ");
    const indent = isShort ? "  " : "    ";
    const set = (value: string): string => `{\n${indent}  set ${header} = "${value}";\n${indent}}`;
    const inner = steps
      ? `${steps.map((step) => `if (${matches(step)}) ${set(step.value)}`).join(" else ")}`
      : `set ${header} = "1";`;
    const whole = isShort ? inner : `if (${matches({ expressions: crawlers })}) {\n    ${inner}\n  }`;
    return `${top}\nsub ${variable} {\n  set ${header} = "0";\n  ${whole}\n}\n`;
  },
};
