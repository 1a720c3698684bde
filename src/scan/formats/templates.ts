/** Formats whose lines a format string describes, as rows: the logs of web servers, proxies and load balancers, and bare user agents. */
import type { LogFormat } from "../lines/format.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { isUserAgent } from "../lines/value-kind.ts";
import { common } from "./combined.ts";
import type { FormatKind } from "./format-kind.ts";

interface TemplateRow {
  readonly name: string;
  readonly lines: string;
  readonly template: string;
  /** What a complete line contains besides its fields. */
  readonly mark?: RegExp;
  readonly more?: Pick<FormatKind, "toLogUserAgents" | "omitsUserAgents">;
}

/** In the order of the guess. The sources are the programs' manuals. */
const rows: readonly TemplateRow[] = [
  {
    name: "common",
    lines: "the common log, which has no user agents: every request counts as a person's",
    template: common,
  },
  {
    name: "alb",
    lines: "access logs of AWS Application Load Balancers",
    template:
      '$type $time_iso8601 $elb $remote_addr $target $t1 $t2 $t3 $status $target_status $received $bytes_sent "$request" "$http_user_agent"',
  },
  {
    name: "elb",
    lines: "access logs of AWS Classic Load Balancers",
    template:
      '$time_iso8601 $elb $remote_addr $backend $t1 $t2 $t3 $status $backend_status $received $bytes_sent "$request" "$http_user_agent"',
  },
  {
    name: "s3",
    lines: "server access logs of Amazon S3",
    template:
      '$owner $bucket [$time_local] $remote_addr $requester $id $operation $key "$request" $status $error $bytes_sent $size $total $turnaround "$http_referer" "$http_user_agent"',
  },
  {
    name: "istio",
    lines: "the access log of Istio's proxy, format `TEXT`",
    template:
      '[$time_iso8601] "$request" $status $flags $details $end "$failure" $received $bytes_sent $duration $upstream_time "$forwarded_for" "$http_user_agent" "$id" "$authority" "$upstream" $cluster $upstream_local $local $remote_addr $server $route',
  },
  {
    name: "envoy",
    lines: "Envoy's default access log, which has no client address",
    template:
      '[$time_iso8601] "$request" $status $flags $received $bytes_sent $duration $upstream_time "$forwarded_for" "$http_user_agent" "$id" "$authority" "$upstream"',
  },
  {
    name: "nginx-proxy-manager",
    lines: "the log of a proxy host of Nginx Proxy Manager",
    template:
      '[$time_local] $cache $upstream_status $status - $method $scheme $server_name "$request_uri" [Client $remote_addr] [Length $body_bytes_sent] [Gzip $ratio] [Sent-to $server] "$http_user_agent" "$http_referer"',
  },
  {
    name: "nginx-proxy-manager-standard",
    lines: "the log of another host of Nginx Proxy Manager",
    template:
      '[$time_local] $status - $method $scheme $server_name "$request_uri" [Client $remote_addr] [Length $body_bytes_sent] [Gzip $ratio] "$http_user_agent" "$http_referer"',
  },
];

export const templateKinds: readonly FormatKind[] = rows.map(toKind);

/** Its lines begin as those of the combined log. */
export const traefik: FormatKind = toKind({
  name: "traefik",
  lines: "Traefik's access log, format `common`",
  template:
    '$remote_addr - $user [$time_local] "$request" $status $bytes_sent "$http_referer" "$http_user_agent" $count "$router" "$server" $duration',
  mark: /ms$/,
  more: { toLogUserAgents: "--accesslog.fields.headers.names.User-Agent=keep", omitsUserAgents: true },
});

function toKind({ name, lines, template, mark, more }: TemplateRow): FormatKind {
  const format: LogFormat = { name, escapes: "backslash", template };
  return {
    names: [name],
    lines,
    formatsOf: () => [format],
    isLikely: (lines) => mark === undefined || matchesMostLines(lines, (line) => mark.test(line)),
    ...more,
  };
}

const plainFormat: LogFormat = { name: "plain", escapes: "none", template: "$http_user_agent" };

export const plain: FormatKind = {
  names: ["plain"],
  lines: "only a user agent; detected if the lines begin with a product and its version, such as `Mozilla/5.0`",
  formatsOf: () => [plainFormat],
  // A user agent contains no tabs; they separate the columns of a table.
  isLikely: (lines) =>
    lines.some(isUserAgent) &&
    matchesMostLines(lines, (line) => line === "-" || (isUserAgent(line) && !line.includes("\t"))),
};
