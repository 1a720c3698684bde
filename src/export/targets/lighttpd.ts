/** lighttpd: conditions on the user agent that set a request header for the backend. */
import { chosenSteps, heading, type Target, toHeaderName, withoutCharacters } from "../target.ts";

export const lighttpd: Target = {
  what: "conditions that set the request's header X-Is-Crawler (0, 1)",
  write(request) {
    const { expression, variable } = request;
    const steps = chosenSteps(request);
    const header = toHeaderName(variable);
    const set = (value: string): string => `setenv.set-request-header = ( "${header}" => "${value}" )`;
    const top = heading(request, [
      'Place: a file that lighttpd.conf includes, behind: server.modules += ( "mod_setenv" )',
      `Use: lighttpd sends the header ${header} with "1" or "0" to the backend and replaces the client's.`,
      'To refuse crawlers instead, write url.access-deny = ( "" ) (of mod_access) where the header is set to "1".',
    ]);
    // Nested, because conditions cannot be joined. So the expression is not split, whatever its length.
    const inner = steps
      ? steps.map(({ expressions, value }) => `${condition(expressions)} {\n    ${set(value)}\n  }`).join(" else ")
      : set("1");
    return `${top}\n${set("0")}\n${condition([expression])} {\n  ${inner}\n}\n`;
  },
};

function condition(expressions: readonly string[]): string {
  return `$HTTP["user-agent"] =~ "${withoutCharacters(expressions.join("|"), '"')}"`;
}
