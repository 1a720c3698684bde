/** Each field is found by what it holds: which column, label or member has it, and what is in front of the lines. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspectLog } from "../../src/scan/formats/inspect-log.ts";
import { cutAtDirectives } from "../../src/scan/formats/w3c.ts";
import { findClient } from "../../src/scan/lines/client-address.ts";
import { createLogReader } from "../../src/scan/lines/envelope.ts";
import { createLogLine, field, outcome } from "../../src/scan/lines/line.ts";
import { addressAt, pathAt } from "../../src/scan/lines/read-fields.ts";
import { decodeField } from "../../src/scan/lines/unescape.ts";

const agents = [
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0",
  "curl/8.5.0",
];
const agent = (index: number): string => agents[index % agents.length]!;
const client = (index: number): string => `45.33.7.${index + 1}`;
const proxy = "10.0.0.1";
const time = "2025-10-10T13:00:36Z";

const combined = (index: number, address = client(index), path = `/p${index}`): string =>
  `${address} - - [10/Oct/2025:13:00:36 +0000] "GET ${path} HTTP/1.1" 200 512 "-" "${agent(index)}"`;
const istio = (index: number): string =>
  `[2025-10-10T13:00:36.123Z] "GET /p${index} HTTP/1.1" 200 - via_upstream - "-" 0 12 3 2 "${client(index)},10.0.0.1" "${agent(index)}" "id" "a.example" "10.1.1.1:80" in 127.0.0.6:1 10.1.1.1:80 10.0.0.9:0 - default`;
const object = (members: (index: number) => object) => (index: number) =>
  JSON.stringify({ time, status: 200, user_agent: agent(index), ...members(index) });
const table = (header: string, row: (index: number) => string) => (index: number) =>
  index === 0 ? header : row(index);

/** The first line of each log is the header, where it has one. */
const logs: Readonly<Record<string, (index: number) => string>> = {
  // Text in front.
  "docker compose logs": (index) => `web-${index % 2}  | ${combined(index)}`,
  "docker compose logs -t": (index) => `web-1  | 2025-10-10T13:00:36.123456789Z ${combined(index)}`,
  "docker logs -t": (index) => `2025-10-10T13:00:36.123456789Z ${combined(index)}`,
  "docker logs -t of objects with blanks": (index) =>
    `2025-10-10T13:00:36.123456789Z { "ip": "${client(index)}", "path": "/p${index}", "useragent": "${agent(index)}" }`,
  "docker service logs": (index) => `web.1.x7f@node1    | ${combined(index)}`,
  pm2: (index) => `0|app  | ${combined(index)}`,
  "pm2 with times": (index) => `2025-10-10 13:00:36: ${combined(index)}`,
  stern: (index) => `web-7c5-x nginx ${combined(index)}`,
  "kubectl logs --prefix": (index) => `[pod/web-6f-abc/nginx] ${combined(index)}`,
  "kubectl logs --prefix of objects": (index) =>
    `[pod/web/app] ${object((index) => ({ ip: client(index), path: `/p${index}` }))(index)}`,
  "aws logs tail": (index) => `2025-10-10T13:00:36.123000+00:00 web/nginx/4f ${combined(index)}`,
  logcli: (index) => `${time} {app="nginx", pod="web-7c5"} ${combined(index)}`,
  "logcli of a container that starts": (index) =>
    `${time} {app="nginx"} ${index < 5 ? `[2025-10-10T13:00:36Z] worker {${index}} starts` : combined(index)}`,
  "journalctl -o short-iso": (index) => `2025-10-10T13:00:36+0000 web1 nginx[123]: ${combined(index)}`,
  "a date, a time and a host": (index) => `2025-10-10 13:00:36 web1 ${combined(index)}`,
  "Istio behind a container's name": (index) => `web-${index % 2}  | ${istio(index)}`,
  "grep of Istio": (index) => `a.log:${index + 1}:${istio(index)}`,
  "Nginx Proxy Manager behind a container's name": (index) =>
    `npm-1  | [10/Oct/2025:13:00:36 +0000] - 200 200 - GET https a.example "/p${index}" [Client ${client(index)}] [Length 12] [Gzip -] [Sent-to 10.0.0.2] "${agent(index)}" "-"`,
  "grep of a load balancer's logs": (index) =>
    `a.gz:h2 2025-10-10T13:00:36.1Z app/lb/5 ${client(index)}:4711 10.0.0.1:80 0.0 0.1 0.0 200 200 34 12 "GET https://a.example:443/p${index} HTTP/2.0" "${agent(index)}" ECDHE TLSv1.2 -`,
  "addresses of collectors": (index) => `10.0.0.${index % 3} app ${combined(index)}`,
  "an address and a host": (index) => `10.0.0.${index % 3} www.example.com:443 ${combined(index)}`,
  "an address of the collector": (index) => `10.0.0.7 app ${combined(index)}`,
  "grep -n": (index) => `${index + 1}:${combined(index)}`,
  "grep -Hn": (index) => `access.log:${index + 1}:${combined(index)}`,
  "grep of several files": (index) => `/var/log/nginx/access.log.${index % 3}:${combined(index)}`,
  "cat -n": (index) => `${String(index + 1).padStart(6)}\t${combined(index)}`,
  "uniq -c": (index) => `${String(9 - (index % 3)).padStart(7)} ${combined(index)}`,
  "uniq -c without padding": (index) => `${9 - (index % 3)} ${combined(index)}`,
  "messages of a container before the log": (index) =>
    index < 10 ? `web-1  | /docker-entrypoint.sh: Launching ${index}` : `web-1  | ${combined(index)}`,
  "HAProxy's httpslog": (index) =>
    `${client(index)}:4711 [10/Oct/2025:13:00:36.655] in~ back/srv1 10/0/30/69/109 200 12 - - ---- 1/1/1/1/0 0/0 {${agent(index)}} "GET /p${index} HTTP/1.1" 0/0/0/0/1 www.example.com/TLSv1.3/TLS_AES_256_GCM_SHA384`,
  // Forwarded addresses.
  "a list of addresses in front": (index) => combined(index, `${client(index)}, 10.0.0.1`),
  "a list of addresses in front of some lines": (index) =>
    combined(index, index % 3 ? client(index) : `8.8.8.8, unknown, ${client(index)}`),
  "a forwarded address or none, and the connection's": (index) =>
    combined(index, index % 3 ? `${client(index)} 10.0.0.1` : `- ${client(index)}`),
  "a list of forwarded addresses, and the connection's": (index) =>
    combined(index, `${client(index)}, 10.0.0.${index} 10.0.0.1`),
  "nginx's main format": (index) => `${combined(index, proxy)} "${client(index)}"`,
  "nginx's main format behind a container's name": (index) =>
    index % 2 ? `web-1  | ${combined(index)} "-"` : `web-1  | ${combined(index, proxy)} "${client(index)}"`,
  "a list that a client began with other text": (index) =>
    `${combined(index, proxy)} "${index === 7 ? "unknown, " : ""}${client(index)}"`,
  "a named list": (index) =>
    `${combined(index, proxy)} host=a.example rt="0.1 ms" forwarded_for="${client(index)}, 10.0.0.4" location="-"`,
  "a named list without quotation marks": (index) =>
    `${combined(index, proxy)} rt=0.${index} xff=${client(index)}, 10.0.0.3 uct=0.1`,
  "a list before the user agent": (index) => combined(index, proxy).replace('"-" ', () => `"-" "${client(index)}" `),
  "servers behind the user agent": (index) => `${combined(index)} "8.8.8.${index}:8080" 8.8.4.${index} "8.8.4.4"`,
  "a client and its proxy": (index) => combined(index, `${client(index)} 8.8.8.8`),
  "a server and the client": (index) => combined(index, `8.8.8.8 ${client(index)}`),
  "a client and one of many proxies": (index) => combined(index, `${client(index)} 10.0.0.${index}`),
  // Names that are used for something else, too.
  "the log's file beside the path": object((index) => ({
    path: "/var/log/access.log",
    uri: `/p${index}`,
    ip: client(index),
  })),
  "the log's file beside the request": object((index) => ({
    path: `/var/log/${index % 2}.log`,
    request: `GET /p${index} HTTP/1.1`,
    ip: client(index),
  })),
  "a path that is called a request": object((index) => ({ request: `/p${index}`, ip: client(index) })),
  "a server's address beside the client's": object((index) => ({
    ip: proxy,
    remote_addr: client(index),
    url: `/p${index}`,
  })),
  "a shipper beside the user agent": (index) =>
    JSON.stringify({ agent: "vector", ip: client(index), uri: `/p${index}`, headers: { "user-agent": agent(index) } }),
  "labels of a shipper": (index) =>
    `agent:vector\tua:${agent(index)}\tip:10.0.0.9\thost:${client(index)}\turi:/p${index}`,
  "columns of a shipper": table(
    "ip,client,agent,ua,path,uri,status",
    (index) => `10.0.0.9,${client(index)},fluentd,"${agent(index)}",/var/log/a.log,/p${index},200`,
  ),
  // Separators in user agents.
  "a comma in an unquoted user agent": table(
    "time,ip,useragent,path",
    (index) => `${time},${client(index)},${agent(index)},/p${index}`,
  ),
  "a semicolon in an unquoted user agent": table(
    "ip;useragent;path",
    (index) => `${client(index)};${agent(index)};/p${index}`,
  ),
  "a table with its separator in the first line": (index) =>
    index < 2 ? ["sep=;", "ip;path;useragent"][index]! : `${client(index)};/p${index};"${agent(index)}"`,
  "empty columns without names": table("ip,path,useragent", (index) => `${client(index)},/p${index},${agent(index)},,`),
  "the user agent of the client in W3C": table(
    "#Fields: date time c-ip cs-uri-stem sc-status c-user-agent",
    (index) => `2025-10-10 13:00:36 ${client(index)} /p${index} 200 ${agent(index).replaceAll(" ", "+")}`,
  ),
  "columns that change in W3C": (index) => {
    const row = `${client(index)} /p${index} 200 ${agent(index).replaceAll(" ", "+")}`;
    if (index === 0) return "#Fields: c-ip cs-uri-stem sc-status cs(User-Agent)";
    if (index === 9) return "#Fields: s-ip c-ip cs-uri-stem sc-status cs(User-Agent)";
    return index < 9 ? row : `10.0.0.2 ${row}`;
  },
};

/** The address, path and user agent of each line that is a request, as a scan finds them. */
function read(lines: readonly string[], logFormat?: string): readonly (readonly string[])[] {
  const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
  const requests: string[][] = [];
  for (const { format, from, to } of cutAtDirectives(bytes, bytes.length, inspectLog(lines, { logFormat }).format)) {
    const reader = createLogReader(format);
    const line = createLogLine();
    const decode = (source: Uint8Array, from: number, to: number): string =>
      decodeField(source, from, to, format.escapes);
    for (let at = from, end = 0; at < to; at = end + 1) {
      end = bytes.indexOf(0x0a, at);
      if (reader(bytes, at, end, line) !== outcome.request) continue;
      const useragent = decode(line.source, line.from[field.useragent]!, line.to[field.useragent]!);
      findClient(line);
      requests.push([addressAt(line, decode), pathAt(line, decode) ?? "", useragent]);
    }
  }
  return requests;
}

function assertFound(found: readonly (readonly string[])[], least: number): void {
  const indices = found.map(([, path = ""]) => Number(path.slice(2)));
  assert.ok(new Set(indices).size >= least);
  assert.deepEqual(
    found,
    indices.map((index) => [client(index), `/p${index}`, agent(index)]),
  );
}

describe("the address, the path and the user agent are found in", () => {
  for (const [name, write] of Object.entries(logs))
    it(name, () => assertFound(read([...Array(40).keys()].map(write)), 30));

  for (const [name, write] of [
    ["two values at the end", (index: number) => `${combined(index, proxy)} "${client(index)}"`],
    ["another order", (index: number) => combined(index).replace(/"-" (".*")$/, '$1 "-"')],
    ["a list of addresses", (index: number) => combined(index, `${client(index)}, 10.0.0.1`)],
    ["names of containers", (index: number) => `web-1  | ${combined(index)}`],
  ] as const)
    it(`lines of a stated format with ${name}`, () =>
      assertFound(read([...Array(20).keys()].map(write), "combined"), 20));
});
