/** lighttpd: conditions on the user agent that set a request header for the backend. */
import { inParts } from "../parts.ts";
import { chosenSteps, heading, type Target, toHeaderName, toParts, withoutCharacters } from "../target.ts";

/** PCRE2 compiles an expression to at most 64 KB, of which a selection takes about 2.3 bytes for each character. */
const maxLength = 16_000;

export const lighttpd: Target = {
  what: "conditions that set the request's header X-Is-Crawler (0, 1)",
  write(request) {
    const { expression, variable, isShort } = request;
    const steps = chosenSteps(request);
    const header = toHeaderName(variable);
    const set = (value: string): string => `setenv.set-request-header = ( "${header}" => "${value}" )`;
    const top = heading(request, [
      'Place: a file that lighttpd.conf includes, after: server.modules += ( "mod_setenv" )',
      `Use: lighttpd sends the header ${header} with "1" or "0" to the backend and replaces the client's.`,
      'To block crawlers instead, write this (it needs mod_access) where the header is set to "1":',
      '  $HTTP["url"] != "/robots.txt" { url.access-deny = ( "" ) }',
    ]);
    // Nested, because conditions cannot be combined. The expression of all crawlers is not split, because the build keeps it short enough.
    const chosen = steps?.flatMap((step) => toParts(step, maxLength).map((part) => ({ part, value: step.value })));
    // In lighttpd, no expression matches a string that is not UTF-8, not even an empty one; such a string could hide a crawler.
    const notUtf8 = `$HTTP["user-agent"] !~ "" {\n  ${set("1")}\n}`;
    if (isShort) {
      const short = chosen!.map(({ part, value }) => `${condition(part)} {\n  ${set(value)}\n}`);
      return `${top}\n${set("0")}\n${[...short, notUtf8].join(" else ")}\n`;
    }
    const inner =
      chosen?.map(({ part, value }) => `${condition(part)} {\n    ${set(value)}\n  }`).join(" else ") ?? set("1");
    const outer = (steps ? inParts([expression], maxLength) : [expression]).map(
      (part) => `${condition(part)} {\n  ${inner}\n}`,
    );
    return `${top}\n${set("0")}\n${[...outer, notUtf8].join(" else ")}\n`;
  },
};

function condition(expression: string): string {
  return `$HTTP["user-agent"] =~ "${withoutCharacters(expression, '"')}"`;
}
