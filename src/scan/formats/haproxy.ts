/**
 * HAProxy's HTTP log, from its manual, "HTTP log format". User agents are in it only if a frontend captures them: the captured
 * headers are in braces, in the order of the configuration.
 */
import type { LogFormat } from "../lines/format.ts";
import { type FormatKind, isUserAgent, readsMost } from "./format-kind.ts";

const beginning =
  "$remote_addr [$time_local] $frontend $server $timers $status $bytes_sent $c1 $c2 $flags $connections $queues";
// linear: each repeat ends at a character that the repeat does not match; too large for recheck's automaton
const start = /^\S+ \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d\.\d{3}\] (?:\S+ ){10}/;

function haproxyFormatOf(lines: readonly string[]): LogFormat {
  const captures = lines.flatMap((line) => {
    const found = /^\{([^}]*)\}/.exec(line.replace(start, ""))?.[1];
    return found === undefined || found === line ? [] : [found.split("|")];
  });
  const counts = (captures[0] ?? []).map((_, index) => captures.filter((all) => isUserAgent(all[index] ?? "")).length);
  const most = Math.max(0, ...counts);
  return {
    name: "haproxy",
    escapes: "hash",
    template: templateOf(counts.length, most > 0 ? counts.indexOf(most) : -1),
  };
}

/** The template for this number of captured request headers, of which the one at `agent` is the user agent. */
function templateOf(count: number, agent: number): string {
  const headers = Array.from({ length: count }, (_, index) =>
    index === agent ? "$http_user_agent" : `$header${index}`,
  );
  return `${beginning} ${count > 0 ? `{${headers.join("|")}}` : ""}$response"$request"`;
}

export const haproxy: FormatKind = {
  names: ["haproxy"],
  lines: "the HTTP log of HAProxy; the user agent must be among its captured headers",
  formatOf: haproxyFormatOf,
  guess: (lines) => {
    const format = haproxyFormatOf(lines);
    return readsMost(format, lines, (line) => start.test(line)) ? format : undefined;
  },
  toLogUserAgents: "http-request capture req.hdr(User-Agent) len 512",
};

/** `option httplog clf`: the common log, two empty fields, HAProxy's own, and at the end each captured header in quotation marks. */
const clfStart =
  '$remote_addr - $user [$time_local] "$request" $status $bytes_sent "" "" $client_port $ms "$frontend" "$backend" "$server"';
// linear: each repeat ends at a character that the repeat does not match
const clfMark = /"" "" \d+ \d{3} "/;

export const haproxyClf: FormatKind = {
  names: ["haproxy-clf"],
  lines: "the HTTP log of HAProxy with `option httplog clf`; the user agent must be among its captured headers",
  formatOf: clfFormatOf,
  guess: (lines) => {
    if (!lines.some((line) => clfMark.test(line))) return undefined;
    const format = clfFormatOf(lines);
    return readsMost(format, lines, (line) => clfMark.test(line)) ? format : undefined;
  },
  toLogUserAgents: "http-request capture req.hdr(User-Agent) len 512",
};

/** The format with the user agent at its place among the quoted fields of the lines. */
function clfFormatOf(lines: readonly string[]): LogFormat {
  const agents = lines.flatMap((line) => {
    const quoted = [...line.matchAll(/"([^"]*)"/g)].map(([, text]) => text!);
    const place = quoted.findIndex((text, index) => index > 5 && isUserAgent(text));
    return place === -1 ? [] : [place];
  });
  const place = agents[0];
  // Between the fields of the beginning and the user agent: numbers, and other quoted fields.
  const others = place === undefined ? 0 : place - 6;
  const template =
    place === undefined ? clfStart : `${clfStart}$timers"${'$other"$between"'.repeat(others)}$http_user_agent"`;
  return { name: "haproxy-clf", escapes: "backslash", template };
}
