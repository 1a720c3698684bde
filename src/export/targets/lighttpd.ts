/** lighttpd: conditions on the user agent that set a request header for the backend. */
import { inParts } from "../parts.ts";
import { chosenSteps, heading, type Target, toHeaderName, withoutCharacters } from "../target.ts";

/** PCRE2 compiles an expression to at most 64 KB. The largest part of a selection is a class such as [Jj]: 33 bytes for 4 characters. */
const maxLength = 7_900;

export const lighttpd: Target = {
  what: "conditions that set the request's header X-Is-Crawler (0, 1)",
  write(request) {
    const { expression, variable } = request;
    const steps = chosenSteps(request);
    const header = toHeaderName(variable);
    const set = (value: string): string => `setenv.set-request-header = ( "${header}" => "${value}" )`;
    const top = heading(request, [
      'Place: a file that lighttpd.conf includes, after: server.modules += ( "mod_setenv" )',
      `Use: lighttpd sends the header ${header} with "1" or "0" to the backend and replaces the client's.`,
      'To block crawlers instead, write url.access-deny = ( "" ) (of mod_access) where the header is set to "1".',
    ]);
    // Nested, because conditions cannot be combined. The expression is therefore not split, but the steps are, because a large selection
    // would be too long.
    const inner = steps
      ? steps
          .flatMap(({ expressions, value }) => inParts(expressions, maxLength).map((part) => ({ part, value })))
          .map(({ part, value }) => `${condition([part])} {\n    ${set(value)}\n  }`)
          .join(" else ")
      : set("1");
    // In lighttpd, no expression matches a string that is not UTF-8, not even an empty one; such a string could hide a crawler.
    const notUtf8 = `else $HTTP["user-agent"] !~ "" {\n  ${set("1")}\n}`;
    return `${top}\n${set("0")}\n${condition([expression])} {\n  ${inner}\n} ${notUtf8}\n`;
  },
};

function condition(expressions: readonly string[]): string {
  return `$HTTP["user-agent"] =~ "${withoutCharacters(expressions.join("|"), '"')}"`;
}
