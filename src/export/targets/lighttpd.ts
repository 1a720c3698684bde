/** lighttpd: conditions on the user agent that set a request header for the backend. */
import { inParts } from "../parts.ts";
import { chosenSteps, heading, type Target, toHeaderName, withoutCharacters } from "../target.ts";

/** PCRE2 compiles an expression to at most 64 KB, of which a selection takes about 2.3 bytes for each character. */
const maxLength = 16_000;

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
    // Nested, because conditions cannot be combined. The expression of all crawlers is not split, because the build keeps it short enough.
    const inner = steps
      ? steps
          .flatMap(({ expressions, value }) => inParts(expressions, maxLength).map((part) => ({ part, value })))
          .map(({ part, value }) => `${condition([part])} {\n    ${set(value)}\n  }`)
          .join(" else ")
      : set("1");
    // In lighttpd, no expression matches a string that is not UTF-8, not even an empty one; such a string could hide a crawler.
    const notUtf8 = `$HTTP["user-agent"] !~ "" {\n  ${set("1")}\n}`;
    const outer = (steps ? inParts([expression], maxLength) : [expression]).map(
      (part) => `${condition([part])} {\n  ${inner}\n}`,
    );
    return `${top}\n${set("0")}\n${[...outer, notUtf8].join(" else ")}\n`;
  },
};

function condition(expressions: readonly string[]): string {
  return `$HTTP["user-agent"] =~ "${withoutCharacters(expressions.join("|"), '"')}"`;
}
