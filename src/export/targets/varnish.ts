/** Varnish: a subroutine in VCL that sets a header of the request. */
import { inParts } from "../parts.ts";
import { chosenSteps, heading, type Target, toHeaderName, withoutCharacters } from "../target.ts";

/** Short enough for Varnish's limit of steps per match (pcre2_match_limit) with any user agent. */
const maxLength = 4_000;

export const varnish: Target = {
  what: "a VCL subroutine that sets the request's header X-Is-Crawler (0, 1)",
  limit: "steps of a match",
  write(request) {
    const { crawlers, variable } = request;
    const steps = chosenSteps(request);
    const header = `req.http.${toHeaderName(variable)}`;
    const top = heading(request, [
      'Place: a file that your VCL includes, such as: include "/etc/varnish/crawlers.vcl";',
      `Use: call ${variable}; in vcl_recv, at the top. ${header} is then "1" or "0"; the client's header is replaced. For example:`,
      `  if (${header} == "1") { return (synth(403)); }`,
    ]);
    const matches = (expressions: readonly string[]): string =>
      inParts(expressions, maxLength)
        .map((part) => `req.http.User-Agent ~ "${withoutCharacters(part, '"')}"`)
        .join(" ||\n      ");
    const set = (value: string): string => `{\n      set ${header} = "${value}";\n    }`;
    const inner = steps
      ? `${steps.map(({ expressions, value }) => `if (${matches(expressions)}) ${set(value)}`).join(" else ")}`
      : `set ${header} = "1";`;
    return `${top}
sub ${variable} {
  set ${header} = "0";
  if (${matches(crawlers)}) {
    ${inner}
  }
}
`;
  },
};
