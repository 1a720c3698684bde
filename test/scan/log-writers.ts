/** The same requests, written as each format writes them: what the tests of scanning read. */

/** A request; the time is in seconds since 1970. */
export interface LoggedRequest {
  readonly useragent: string;
  readonly time: number;
  readonly status: number;
  readonly bytes: number;
  readonly path: string;
  readonly address: string;
}

export interface LogWriter {
  /** The format as it is guessed. */
  readonly name: string;
  readonly write: (requests: readonly LoggedRequest[]) => string;
  /** What is put around each line. */
  readonly envelope?: "syslog" | "json" | "kubernetes";
  /** What the format loses. */
  readonly without?: readonly ("useragent" | "time" | "status" | "bytes" | "path")[];
  /** What has to be said of the format: it cannot be guessed. */
  readonly options?: readonly string[];
}

const iso = (time: number): string => new Date(time * 1000).toISOString();
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** In a zone of its own, for what is in UTC needs no care. */
export function toClf(time: number, zone = "+0530", zoneSeconds = 19_800): string {
  const [date = "", clock = ""] = iso(time + zoneSeconds).split("T");
  const [year, month, day] = date.split("-");
  return `${day}/${months[Number(month) - 1]}/${year}:${clock.slice(0, 8)} ${zone}`;
}

const backslashes = (text: string): string =>
  text === ""
    ? "-"
    : text
        .replace(/["\\]/g, "\\$&")
        .replace(/[\x00-\x1f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
const nginxEscapes = (text: string): string =>
  text === ""
    ? "-"
    : text.replace(/["\\\x00-\x1f\x7f-\uffff]/gu, (c) =>
        [...Buffer.from(c)].map((b) => `\\x${b.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
      );
const hashes = (text: string): string =>
  text.replace(/[#{|}"\x00-\x1f\x7f-\uffff]/gu, (c) =>
    [...Buffer.from(c)].map((b) => `#${b.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
const csv = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const plus = (text: string): string => (text === "" ? "-" : text.replaceAll(" ", "+"));

const combined = ({ address, time, path, status, bytes, useragent }: LoggedRequest): string =>
  `${address} - - [${toClf(time)}] "GET ${path}?q=1 HTTP/1.1" ${status} ${bytes || "-"} "https://example.com/" "${backslashes(useragent)}"`;

const rows =
  (line: (request: LoggedRequest) => string, head = "", end = "\n") =>
  (requests: readonly LoggedRequest[]): string =>
    head + requests.map((request) => line(request) + end).join("");

const cloudFrontFields =
  "date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query";

export const logWriters: readonly LogWriter[] = [
  { name: "combined", write: rows(combined) },
  { name: "combined", write: rows((request) => `${combined(request)} "203.0.113.9, 10.0.0.1" 0.004`) },
  { name: "combined", write: rows((request) => `${combined(request)} "203.0.113.9"`) },
  { name: "combined", write: rows(combined, "", "\r\n") },
  { name: "vhost_combined", write: rows((request) => `www.example.com:443 ${combined(request)}`) },
  { name: "common", without: ["useragent"], write: rows((request) => combined(request).replace(/ "[^"]*" ".*"$/, "")) },
  {
    name: "given",
    options: ["--log-format", '$msec|$status|$body_bytes_sent|"$request"|"$http_user_agent"|$request_time'],
    write: rows(
      ({ time, status, bytes, path, useragent }) =>
        `${time}.123|${status}|${bytes}|"GET ${path} HTTP/2.0"|"${nginxEscapes(useragent)}"|0.1`,
    ),
  },
  {
    name: "given",
    options: ["--log-format", '%{X-Forwarded-For}i %t %>s %B %U \\"%{User-agent}i\\"'],
    write: rows(
      ({ time, status, bytes, path, useragent }) =>
        `- [${toClf(time)}] ${status} ${bytes} ${path} "${backslashes(useragent)}"`,
    ),
  },
  {
    name: "json",
    write: rows(({ time, status, bytes, path, useragent, address }) =>
      JSON.stringify({
        "@timestamp": iso(time),
        http: { status, size: bytes, user_agent: useragent },
        url: path,
        ip: address,
      }),
    ),
  },
  {
    name: "json",
    options: ["--field", "who.asked", "--field", "time=at"],
    write: rows(({ time, status, bytes, path, useragent }) =>
      JSON.stringify({ at: time * 1000, status, bytes, path, who: { asked: useragent } }),
    ),
  },
  {
    name: "caddy",
    write: rows(({ time, status, bytes, path, useragent, address }) =>
      JSON.stringify({
        level: "info",
        ts: time + 0.25,
        logger: "http.log.access.log0",
        msg: "handled request",
        request: {
          remote_ip: address,
          method: "GET",
          host: "example.com",
          uri: `${path}?a`,
          headers: { "User-Agent": [useragent] },
        },
        bytes_read: 7,
        duration: 0.01,
        size: bytes,
        status,
        resp_headers: { Server: ["Caddy"] },
      }),
    ),
  },
  {
    name: "csv",
    write: rows(
      ({ time, status, bytes, path, useragent }) => `${iso(time)},${path},${status},${bytes},${csv(useragent)}`,
      "timestamp,path,status,bytes,user_agent\n",
    ),
  },
  {
    name: "csv",
    write: rows(
      ({ time, status, bytes, path, useragent }) =>
        `${iso(time)};${path};"${useragent.replaceAll('"', '""')}";${bytes};${status}`,
      "timestamp;path;user_agent;bytes;status\n",
    ),
  },
  {
    name: "csv",
    write: rows(
      ({ time, status, bytes, path, useragent }) =>
        `"${useragent.replaceAll('"', '""')}"|${iso(time)}|${path}|${bytes}|${status}`,
      "useragent|timestamp|path|bytes|status\n",
    ),
  },
  {
    name: "csv",
    options: ["--field", "2"],
    without: ["time", "status", "bytes", "path"],
    write: rows(({ useragent, bytes }) => `${bytes},${csv(useragent)},x`),
  },
  {
    name: "tsv",
    write: rows(
      ({ time, status, path, useragent }) => `${useragent}\t${status}\t${path}\t${time}`,
      "Agent\tStatus\tURL\tTime\n",
    ),
    without: ["bytes"],
  },
  {
    name: "w3c",
    write: rows(
      ({ time, status, bytes, path, useragent }) =>
        `${iso(time).slice(0, 10)} ${iso(time).slice(11, 19)} ${path} - 443 ${plus(useragent)} ${status} 0 ${bytes}`,
      "#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n" +
        "#Fields: date time cs-uri-stem cs-username s-port cs(User-Agent) sc-status sc-substatus sc-bytes\n",
    ),
  },
  {
    name: "cloudfront",
    write: rows(
      ({ time, status, bytes, path, useragent, address }) =>
        [
          iso(time).slice(0, 10),
          iso(time).slice(11, 19),
          "LHR3-C1",
          bytes,
          address,
          "GET",
          "d1.cloudfront.net",
          path,
          status,
          "-",
        ]
          .concat(useragent === "" ? "-" : encodeURIComponent(useragent), "-")
          .join("\t"),
      `#Version: 1.0\n#Fields: ${cloudFrontFields}\n`,
    ),
  },
  {
    name: "alb",
    write: rows(
      ({ time, status, bytes, path, useragent, address }) =>
        `https ${iso(time).replace("Z", "000Z")} app/lb/50dc6c495c0c9188 ${address}:4711 10.0.0.1:80 0.000 0.001 0.000 ${status} 200 34 ${bytes} ` +
        `"GET https://www.example.com:443${path}?x=y HTTP/1.1" "${backslashes(useragent)}" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 "arn"`,
    ),
  },
  {
    name: "plain",
    options: ["--log-format", "plain"],
    without: ["time", "status", "bytes", "path"],
    write: rows(({ useragent }) => useragent),
  },
  {
    name: "traefik",
    write: rows((request) => `${combined(request)} 17 "web@docker" "http://172.18.0.3:80" 4ms`),
  },
  {
    name: "elb",
    write: rows(
      ({ time, status, bytes, path, useragent, address }) =>
        `${iso(time).replace("Z", "000Z")} my-elb ${address}:2817 10.0.0.1:80 0.000073 0.001048 0.000057 ${status} 200 0 ${bytes} ` +
        `"GET https://www.example.com:443${path}?x=y HTTP/1.1" "${backslashes(useragent)}" DHE-RSA-AES128-SHA TLSv1.2`,
    ),
  },
  {
    name: "s3",
    write: rows(
      ({ time, status, bytes, path, useragent, address }) =>
        `${"79a59df900b949e5".repeat(4)} my-bucket [${toClf(time, "+0000", 0)}] ${address} - 3E57427F3EXAMPLE REST.GET.OBJECT ` +
        `${encodeURIComponent(path)} "GET ${path}?versionId=1 HTTP/1.1" ${status} - ${bytes || "-"} 4406583 41 28 "-" ` +
        `"${backslashes(useragent)}" - s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5mKR3/eTPFvsiP/XV/VLi31234= SigV4 - - my-bucket.s3.amazonaws.com TLSV1.2 - -`,
    ),
  },
  {
    name: "haproxy",
    envelope: "syslog",
    write: rows(
      ({ time, status, bytes, path, useragent, address }) =>
        `<142>Mar  2 10:00:00 lb haproxy[14389]: ${address}:33317 [${toClf(time, "+0000", 0).slice(0, 20)}.655] http-in~ static/srv1 ` +
        `10/0/30/69/109 ${status} ${bytes} - - ---- 1/1/1/1/0 0/0 {www.example.com|${hashes(useragent)}|} {} "GET ${path} HTTP/1.1"`,
    ),
  },
  {
    name: "haproxy",
    without: ["useragent"],
    write: rows(
      ({ time, status, bytes, path, address }) =>
        `${address}:33317 [${toClf(time, "+0000", 0).slice(0, 20)}.655] http-in static/srv1 10/0/30/69/109 ${status} ${bytes} - - ---- 1/1/1/1/0 0/0 "GET ${path} HTTP/1.1"`,
    ),
  },
  {
    name: "combined",
    envelope: "syslog",
    write: rows((request) => `Mar 12 10:00:00 web-1 nginx: ${combined(request)}`),
  },
  {
    name: "combined",
    envelope: "syslog",
    write: rows(
      (request) =>
        `<190>1 2026-03-02T10:00:00.003Z web.example.com nginx 812 - [id@32473 a="b\\"]" c="d"][x y="z"] \ufeff${combined(request)}`,
    ),
  },
  {
    name: "caddy",
    envelope: "json",
    write: rows(({ time, status, bytes, path, useragent }) => {
      const request = { uri: path, headers: { "User-Agent": [useragent] } };
      const log = JSON.stringify({ logger: "http.log.access", ts: time, size: bytes, status, request });
      return JSON.stringify({ log: `${log}\n`, stream: "stderr", time: iso(time) });
    }),
  },
  {
    name: "combined",
    envelope: "json",
    write: rows((request) =>
      JSON.stringify({ log: `${combined(request)}\r\n`, stream: "stdout", time: iso(request.time) }),
    ),
  },
  {
    name: "vhost_combined",
    envelope: "kubernetes",
    write: rows((request) => `2026-03-02T10:00:00.669794202Z stdout F www.example.com:443 ${combined(request)}`),
  },
  {
    name: "haproxy-clf",
    write: rows(
      ({ time, status, bytes, path, useragent, address }) =>
        `${address} - - [${toClf(time)}] "GET ${path} HTTP/1.1" ${status} ${bytes || "-"} "" "" 51000 123 "http-in" "static" "srv1" ` +
        `10 0 30 69 109 "----" 1 1 1 1 0 0 0 "" "" "www.example.com" "${backslashes(useragent)}"`,
    ),
  },
  {
    name: "istio",
    write: rows(
      ({ time, status, bytes, path, useragent, address }) =>
        `[${iso(time)}] "GET ${path} HTTP/1.1" ${status} - via_upstream - "-" 0 ${bytes} 3 2 "203.0.113.9, 10.0.0.1" "${backslashes(useragent)}" ` +
        `"5ecd87f7" "www.example.com" "10.0.0.1:80" outbound|80||web.svc 10.1.1.1:1 10.1.1.1:2 ${address}:5500 - default`,
    ),
  },
  {
    name: "envoy",
    write: rows(
      ({ time, status, bytes, path, useragent }) =>
        `[${iso(time)}] "GET ${path} HTTP/1.1" ${status} - 0 ${bytes} 3 2 "-" "${backslashes(useragent)}" "5ecd87f7" "www.example.com" "10.0.0.1:80"`,
    ),
  },
  {
    name: "nginx-proxy-manager",
    write: rows(
      ({ time, status, bytes, path, useragent, address }) =>
        `[${toClf(time)}] - 200 ${status} - GET https www.example.com "${path}?q=1" [Client ${address}] [Length ${bytes}] [Gzip 2.1] ` +
        `[Sent-to 10.0.0.2] "${nginxEscapes(useragent)}" "https://example.com/"`,
    ),
  },
  {
    name: "nginx-proxy-manager-standard",
    write: rows(
      ({ time, status, bytes, path, useragent, address }) =>
        `[${toClf(time)}] ${status} - GET https www.example.com "${path}" [Client ${address}] [Length ${bytes}] [Gzip -] "${nginxEscapes(useragent)}" "-"`,
    ),
  },
  // Without quotation marks, the fields behind a text are read from the right.
  ...[
    [
      '$remote_addr [$time_local] "$request" $status $body_bytes_sent $http_user_agent $request_time',
      ({ address, time, path, status, bytes, useragent }: LoggedRequest) =>
        `${address} [${toClf(time)}] "GET ${path} HTTP/1.1" ${status} ${bytes} ${nginxEscapes(useragent)} 0.003`,
    ],
    [
      "%T %D %h %l %u %t %r %s %b %{Referer}i %{User-Agent}i",
      ({ address, time, path, status, bytes, useragent }: LoggedRequest) =>
        `0 123 ${address} - - [${toClf(time)}] GET ${path} HTTP/1.1 ${status} ${bytes || "-"} https://example.com/ ${backslashes(useragent)}`,
    ],
    [
      "$http_user_agent $time_local $request $status $body_bytes_sent",
      ({ time, path, status, bytes, useragent }: LoggedRequest) =>
        `${nginxEscapes(useragent)} ${toClf(time)} GET ${path} HTTP/2.0 ${status} ${bytes}`,
    ],
    [
      "$time_iso8601 $uri$is_args$args $http_user_agent $upstream_response_time $upstream_status $status $bytes_sent",
      ({ time, path, status, bytes, useragent }: LoggedRequest) =>
        `${iso(time)} ${path}?a=b ${nginxEscapes(useragent)} 0.001, 0.002 502, 200 : 200 ${status} ${bytes}`,
    ],
    [
      "%{%d.%m.%Y %H:%M:%S %z}t %m %U%q %H %>s %O [%{User-Agent}i]",
      ({ time, path, status, bytes, useragent }: LoggedRequest) =>
        `${iso(time).replace(/^(\d+)-(\d+)-(\d+)T([\d:]+).*/, "$3.$2.$1 $4")} +0000 GET ${path}?q HTTP/1.1 ${status} ${bytes} [${backslashes(useragent)}]`,
    ],
    [
      'LogFormat "%{%Y-%m-%d}t %h %{%H:%M:%S}t \\"%r\\" %>s %b \\"%{User-Agent}i\\"" mine',
      ({ address, time, path, status, bytes, useragent }: LoggedRequest) =>
        `${iso(time).slice(0, 10)} ${address} ${iso(time).slice(11, 19)} "GET ${path} HTTP/1.1" ${status} ${bytes || "-"} "${backslashes(useragent)}"`,
    ],
    [
      "log_format main '$msec\\t$scheme://$host$request_uri\\t'\n  '$status\\t$bytes_sent\\t$http_user_agent';",
      ({ time, path, status, bytes, useragent }: LoggedRequest) =>
        `${time}.250\thttps://example.com${path}\t${status}\t${bytes}\t${nginxEscapes(useragent)}`,
    ],
  ].map(
    ([format, line]): LogWriter => ({
      name: "given",
      options: ["--log-format", format as string],
      write: rows(line as (request: LoggedRequest) => string),
    }),
  ),
  {
    name: "json",
    write: rows(({ time, status, bytes, path, useragent, address }) =>
      JSON.stringify({
        ...{ date: iso(time).slice(0, 10), time: iso(time).slice(11, 19), "c-ip": address, "cs-uri-stem": path },
        ...{ "sc-status": String(status), "sc-bytes": String(bytes), "cs(User-Agent)": useragent },
      }),
    ),
  },
  {
    name: "csv",
    write: rows(
      ({ time, status, bytes, path, useragent }) =>
        `"${iso(time).slice(11, 19)}",${csv(path)},${status},${bytes},${csv(useragent)},"${iso(time).slice(0, 10)}"`,
      "time,path,status,bytes,user_agent,date\n",
    ),
  },
  {
    name: "combined",
    envelope: "json",
    write: rows((request) => JSON.stringify({ PRIORITY: "6", MESSAGE: combined(request), _HOSTNAME: "web" })),
  },
];
