/** Requests as bytes: of GPTBot, in ways that may break the check of a proxy, and of people, whom no check may keep out. */
import { rowsOf } from "../support/table.ts";
import { firefox, gptbot } from "../support/user-agents.ts";

export interface RawRequest {
  readonly name: string;
  /** Each character is a byte. */
  readonly bytes: string;
}

/** The hostile requests without a user agent in their first such line: only policies with `missing` or `all` select them. */
export const unnamed: ReadonlySet<string> = new Set([
  "no user agent",
  "the user agent -",
  "an empty user agent before the crawler's",
  "an underscore",
  "a control character in the field's name",
  "a field without a name",
  "the version none",
]);

function toRequest(name: string, lines: readonly string[], first = "GET /page HTTP/1.1"): RawRequest {
  return { name, bytes: [first, "Host: localhost", ...lines, "Connection: close", "", ""].join("\r\n") };
}

/**
 * Requests of rows: a name, the first line, and other lines, of which one may be `Body: …`; `GPTBOT` and `FIREFOX` stand for user agents.
 */
function toRequests(rows: string): RawRequest[] {
  return rowsOf(rows).map(([name = "", ...cells]) => {
    const [first, ...lines] = cells.map(toBytes);
    const request = toRequest(
      name,
      lines.filter((line) => !line.startsWith("Body: ")),
      first,
    );
    const body = lines.find((line) => line.startsWith("Body: "))?.slice("Body: ".length) ?? "";
    return { name, bytes: request.bytes + body };
  });
}

function toBytes(text: string): string {
  const whole = text.replace("GPTBOT", `User-Agent: ${gptbot}`).replace("FIREFOX", `User-Agent: ${firefox}`);
  return whole.replace(/\\(?:x(..)|([trn]))/g, (_, code, letter) =>
    letter ? JSON.parse(`"\\${letter}"`) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const controls = [...Array.from({ length: 0x20 }, (_, code) => code), 0x7f].map((code) => String.fromCharCode(code));
const named = (char: string): string => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;

/** A control character within each field that a service reads, and in one that it does not read. */
const withControls = ["X", "User-Agent", "Signature-Input", "Accept", "Sec-CH-UA", "Cookie"].flatMap((field) =>
  (field === "User-Agent" || field === "X" ? controls : ["\0", "\x01", "\x1b", "\x7f"]).map((char) =>
    toRequest(`${named(char)} in ${field}`, [
      ...(field === "User-Agent" ? [] : [`User-Agent: ${gptbot}`]),
      `${field}: GPTBot/1.2 a${char}b`,
    ]),
  ),
);

const beyondAscii = [
  "\x80",
  "\x85",
  "\xa0",
  "\xad",
  "\xc0\x80",
  "\xe2\x80\xa8",
  "\xed\xa0\x80",
  "\xf5",
  "\xff",
].flatMap((text) => [
  toRequest(`${text.length} bytes from ${named(text)} before the name`, [`User-Agent: ${text}GPTBot/1.2`]),
  toRequest(`${text.length} bytes from ${named(text)} after the name`, [`User-Agent: GPTBot/1.2 ${text}`]),
  toRequest(`${text.length} bytes from ${named(text)} in another field`, [`User-Agent: ${gptbot}`, `Accept: ${text}`]),
]);

const sizes = [4_000, 7_900, 12_000, 15_900, 17_000, 33_000, 70_000];
const long = sizes.flatMap((size) => [
  toRequest(`${size} bytes before the name`, [`User-Agent: ${"a".repeat(size)} ${gptbot}`]),
  toRequest(`${size} blanks and brackets before the name`, [`User-Agent: ${"( ".repeat(size / 2)}${gptbot}`]),
  toRequest(`${size} bytes after the name`, [`User-Agent: ${gptbot}${"/1.0 (x; y)".repeat(size / 11)}`]),
  toRequest(`a cookie of ${size} bytes`, [`User-Agent: ${gptbot}`, `Cookie: a=${"b".repeat(size)}`]),
  toRequest(`Accept of ${size} bytes`, [`User-Agent: ${gptbot}`, `Accept: ${"b".repeat(size)}`]),
  toRequest(`Signature-Input of ${size} bytes`, [`User-Agent: ${gptbot}`, `Signature-Input: ${"b".repeat(size)}`]),
  toRequest(`an address of ${size} bytes`, [`User-Agent: ${gptbot}`], `GET /page?${"x".repeat(size)} HTTP/1.1`),
]);

const many = [99, 101, 130, 600].map((count) =>
  toRequest(`${count} fields`, [
    `User-Agent: ${gptbot}`,
    ...Array.from({ length: count }, (_, index) => `X-${index}: y`),
  ]),
);

const websocket =
  "Connection: Upgrade | Upgrade: websocket | Sec-WebSocket-Version: 13 | Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==";
const page = "GET /page HTTP/1.1";

/** Requests of GPTBot in whose targets some servers find the path /robots.txt, and others another one. */
export const disputedRequests: readonly RawRequest[] =
  String.raw`http://a?p=123&x=/robots.txt http://a#/robots.txt http://a;x=/robots.txt http://a@b/robots.txt
  http://a%3Fx/robots.txt http://a\/robots.txt http://a,b/robots.txt http:///robots.txt http:/robots.txt
  http:a/robots.txt x://a/robots.txt //a/robots.txt`
    .split(/\s+/)
    .flatMap((target) => {
      const host = /(?<=^\w+:\/\/).*(?=\/)/.exec(target)?.[0] ?? "";
      const lines = [`HTTP/1.1\r\nHost: ${host}`, "HTTP/1.1\r\nHost: localhost", "HTTP/1.0"];
      return lines.map((line) => ({
        name: `the target ${target} ${line}`,
        bytes: `GET ${target} ${line}\r\nUser-Agent: ${gptbot}\r\nConnection: close\r\n\r\n`,
      }));
    });

const other = [
  ...toRequests(String.raw`
    two user agents, the crawler's first          | ${page} | GPTBOT | FIREFOX
    two user agents, the crawler's second         | ${page} | FIREFOX | GPTBOT
    an empty user agent before the crawler's      | ${page} | User-Agent: | GPTBOT
    a folded user agent                           | ${page} | User-Agent: Mozilla/5.0 | \x20${gptbot}
    a fold at the beginning                       | ${page} | \x20folded | GPTBOT
    a blank before the colon                      | ${page} | User-Agent : ${gptbot}
    a tab before the colon                        | ${page} | User-Agent\t: ${gptbot}
    no blank behind the colon                     | ${page} | user-AGENT:${gptbot}
    a header of the proxy with underscores        | ${page} | GPTBOT | X_Crawler: false | X_Forwarded_Uri: /robots.txt
    an underscore                                 | ${page} | User_Agent: ${gptbot}
    a control character in the field's name       | ${page} | User-Agent\x01: ${gptbot}
    a field without a name                        | ${page} | : ${gptbot}
    a line without a colon                        | ${page} | GPTBOT | nothing
    no user agent                                 | ${page}
    the user agent -                              | ${page} | User-Agent: -
    Connection removes the user agent             | ${page} | GPTBOT | Connection: close, User-Agent
    Connection removes what the proxy sends       | ${page} | GPTBOT | Connection: close, X-Forwarded-Uri, X-Forwarded-For, X-Forwarded-Host, X-Crawler, X-Crawler-Policy
    headers of the proxy                          | ${page} | GPTBOT | X-Forwarded-Uri: /robots.txt | X-Original-URI: /robots.txt | X-Forwarded-For: 66.249.66.1
    headers of the service                        | ${page} | GPTBOT | X-Forwarded-Uri: /robots.txt | X-Crawler: false | X-Crawler-Policy: observe
    a wrong token                                 | ${page} | GPTBOT | Authorization: Bearer wrong
    Expect                                        | ${page} | GPTBOT | Expect: 100-continue
    another Expect                                | ${page} | GPTBOT | Expect: miracles
    an upgrade to WebSocket                       | ${page} | GPTBOT | ${websocket}
    an upgrade to HTTP/2                          | ${page} | GPTBOT | Connection: Upgrade, HTTP2-Settings | Upgrade: h2c | HTTP2-Settings: AAMAAABkAAQAAP__
    a preflight                                   | OPTIONS /page HTTP/1.1 | GPTBOT | Origin: https://x.example | Access-Control-Request-Method: GET
    two hosts                                     | ${page} | GPTBOT | Host: other
    a comma in the host                           | ${page} | GPTBOT | X-Forwarded-Host: a,b
    two lengths                                   | ${page} | GPTBOT | Content-Length: 0 | Content-Length: 1
    an endless length                             | ${page} | GPTBOT | Content-Length: 99999999999999999999
    a long body                                   | POST /page HTTP/1.1 | GPTBOT | Content-Length: 70000 | Body: ${"a".repeat(70_000)}
    a chunked body                                | POST /page HTTP/1.1 | GPTBOT | Transfer-Encoding: chunked | Body: 1\r\na\r\n0\r\n\r\n
    an unknown coding                             | POST /page HTTP/1.1 | GPTBOT | Transfer-Encoding: x, chunked
  `),
  ..."HEAD POST PUT TRACE CONNECT PROPFIND get X-Y"
    .split(" ")
    .map((method) => toRequest(`the method ${method}`, [`User-Agent: ${gptbot}`], `${method} /page HTTP/1.1`)),
  ...String.raw`/robots.txt/../page /robots.txt%2f..%2fpage /robots.txt/%2e%2e/page /robots.txt;/../page /./page //page
    /page?/robots.txt /page#/robots.txt /robots.txt#/../page /robots.txt%00/../page /robots.txt\x5c..\x5cpage
    http://localhost/page http://localhost/robots.txt/../page http://localhost?/robots.txt
    /pag\xe9 /caf\xc3\xa9 /a\x01b /a\x7fb /a\x20b * page`
    .split(/\s+/)
    .map((path) => toRequest(`the address ${path}`, [`User-Agent: ${gptbot}`], toBytes(`GET ${path} HTTP/1.1`))),
  ...["HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.2", "http/1.1", ""].map((version) =>
    toRequest(`the version ${version || "none"}`, [`User-Agent: ${gptbot}`], `GET /page ${version}`.trimEnd()),
  ),
  {
    name: "lines end with \\n",
    bytes: `GET /page HTTP/1.1\nHost: localhost\nUser-Agent: ${gptbot}\nConnection: close\n\n`,
  },
  {
    name: "lines end with \\r",
    bytes: `GET /page HTTP/1.1\r\nHost: localhost\r\nX: y\rUser-Agent: ${gptbot}\r\nConnection: close\r\n\r\n`,
  },
  {
    name: "blank lines first",
    bytes: `\r\n\r\nGET /page HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${gptbot}\r\nConnection: close\r\n\r\n`,
  },
  {
    name: "behind a person's request",
    bytes: `GET /people HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${firefox}\r\n\r\nGET /page HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${gptbot}\r\nConnection: close\r\n\r\n`,
  },
];

/** Requests for pages that must not be answered with one. A page that people may have is at /people. */
export const hostileRequests: readonly RawRequest[] = [...withControls, ...beyondAscii, ...long, ...many, ...other];

/** What browsers send. */
export const peoplesRequests: readonly RawRequest[] = toRequests(
  String.raw`
    a page                    | ${page}
    24 KB of cookies          | ${page} ${" | Cookie: a=".concat("b".repeat(6_000)).repeat(4)}
    an address of 7.5 KB      | GET /page?${"x".repeat(7_500)} HTTP/1.1
    a referrer of 7.5 KB      | ${page} | Referer: http://localhost/?${"x".repeat(7_500)}
    a ticket of 7.5 KB        | ${page} | Authorization: Negotiate ${"x".repeat(7_500)}
    cookies beyond ASCII      | ${page} | Cookie: a=\xc3\xa9\xff | Referer: http://localhost/\xe9
    a path beyond ASCII       | GET /page/caf\xc3\xa9 HTTP/1.1
    a condition               | ${page} | If-None-Match: "x" | Range: bytes=0-9
    an expired token          | ${page} | Authorization: Bearer expired
    a form                    | POST /page HTTP/1.1 | Content-Length: 3 | Body: a=b
    a WebSocket               | ${page} | ${websocket}
    90 other fields           | ${page} ${Array.from({ length: 90 }, (_, index) => ` | X-${index}: y`).join("")}
  `.replace(/ HTTP\/1\.1/g, "$& | FIREFOX | Accept: text/html,application/xhtml+xml | Accept-Language: en"),
);
