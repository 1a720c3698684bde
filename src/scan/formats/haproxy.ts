/**
 * HAProxy's HTTP log, from its manual, "HTTP log format". User agents are in it only if a frontend captures them: the captured
 * headers are in braces, in the order of the configuration.
 */
import type { LogFormat } from "../lines/format.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { isUserAgent } from "../lines/value-kind.ts";
import type { FormatKind } from "./format-kind.ts";

const beginning =
  "$remote_addr [$time_local] $frontend $server $timers $status $bytes_sent $c1 $c2 $flags $connections $queues";
// linear: each repeat ends at a character that the repeat does not match; too large for recheck's automaton
const start = /^\S+ \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d\.\d{3}\] (?:\S+ ){10}/;

/** What `option httpslog` writes behind the request: errors of the connection, and its TLS. */
const ofTls = " $errors $tls";

function haproxyFormatsOf(lines: readonly string[]): readonly LogFormat[] {
  const captures = lines.flatMap((line) => {
    const found = /^\{([^}]*)\}/.exec(line.replace(start, ""))?.[1];
    return found === undefined || found === line ? [] : [found.split("|")];
  });
  const counts = (captures[0] ?? []).map((_, index) => captures.filter((all) => isUserAgent(all[index] ?? "")).length);
  const most = Math.max(0, ...counts);
  // HAProxy writes the captured headers of the response after those of the request. An empty user agent ends at the first brace.
  const hasResponses = matchesMostLines(lines, (line) => line.replace(start, "").includes("} {"));
  const between = counts.length === 0 ? "$response" : hasResponses ? " {$response} " : " ";
  const template = templateOf(counts.length, most > 0 ? counts.indexOf(most) : -1, between);
  return ["", ofTls].map((end) => ({ name: "haproxy", escapes: "hash", template: template + end }));
}

/** The template for this number of captured request headers, of which the one at `agent` is the user agent; `between` is before the request. */
function templateOf(count: number, agent: number, between: string): string {
  const headers = Array.from({ length: count }, (_, index) =>
    index === agent ? "$http_user_agent" : `$header${index}`,
  );
  return `${beginning} ${count > 0 ? `{${headers.join("|")}}` : ""}${between}"$request"`;
}

export const haproxy: FormatKind = {
  names: ["haproxy"],
  lines:
    "the HTTP log of HAProxy, with `option httplog` or `httpslog`; the user agent must be among its captured headers",
  formatsOf: haproxyFormatsOf,
  isLikely: (lines) => matchesMostLines(lines, (line) => start.test(line)),
  toLogUserAgents: "http-request capture req.hdr(User-Agent) len 512",
};
