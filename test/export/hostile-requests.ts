/** Requests as bytes: of GPTBot, in ways that may break the check of a proxy, and of people, whom no check may keep out. */

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

const gptbot = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

function toRequest(name: string, lines: readonly string[], first = "GET /page HTTP/1.1"): RawRequest {
  return { name, bytes: [first, "Host: localhost", ...lines, "Connection: close", "", ""].join("\r\n") };
}

function withBody(request: RawRequest, body: string): RawRequest {
  return { ...request, bytes: request.bytes + body };
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

const other = [
  toRequest("two user agents, the crawler's first", [`User-Agent: ${gptbot}`, `User-Agent: ${firefox}`]),
  toRequest("two user agents, the crawler's second", [`User-Agent: ${firefox}`, `User-Agent: ${gptbot}`]),
  toRequest("an empty user agent before the crawler's", ["User-Agent:", `User-Agent: ${gptbot}`]),
  toRequest("a folded user agent", ["User-Agent: Mozilla/5.0", ` ${gptbot}`]),
  toRequest("a fold at the beginning", [" folded", `User-Agent: ${gptbot}`]),
  toRequest("a blank before the colon", [`User-Agent : ${gptbot}`]),
  toRequest("a tab before the colon", [`User-Agent\t: ${gptbot}`]),
  toRequest("no blank behind the colon", [`user-AGENT:${gptbot}`]),
  toRequest("a header of the proxy with underscores", [
    `User-Agent: ${gptbot}`,
    "X_Crawler: false",
    "X_Forwarded_Uri: /robots.txt",
  ]),
  toRequest("an underscore", [`User_Agent: ${gptbot}`]),
  toRequest("a control character in the field's name", [`User-Agent\x01: ${gptbot}`]),
  toRequest("a field without a name", [`: ${gptbot}`]),
  toRequest("a line without a colon", [`User-Agent: ${gptbot}`, "nothing"]),
  toRequest("no user agent", []),
  toRequest("the user agent -", ["User-Agent: -"]),
  toRequest("Connection removes the user agent", [`User-Agent: ${gptbot}`, "Connection: close, User-Agent"]),
  toRequest("Connection removes what the proxy sends", [
    `User-Agent: ${gptbot}`,
    "Connection: close, X-Forwarded-Uri, X-Forwarded-For, X-Forwarded-Host, X-Crawler, X-Crawler-Policy",
  ]),
  toRequest("headers of the proxy and of the service", [
    `User-Agent: ${gptbot}`,
    "X-Forwarded-Uri: /robots.txt",
    "X-Original-URI: /robots.txt",
    "X-Forwarded-For: 66.249.66.1",
    "X-Crawler: false",
    "X-Crawler-Policy: observe",
  ]),
  toRequest("a wrong token", [`User-Agent: ${gptbot}`, "Authorization: Bearer wrong"]),
  toRequest("Expect", [`User-Agent: ${gptbot}`, "Expect: 100-continue"]),
  toRequest("another Expect", [`User-Agent: ${gptbot}`, "Expect: miracles"]),
  toRequest("an upgrade to WebSocket", [
    `User-Agent: ${gptbot}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  ]),
  toRequest("an upgrade to HTTP/2", [
    `User-Agent: ${gptbot}`,
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "HTTP2-Settings: AAMAAABkAAQAAP__",
  ]),
  toRequest(
    "a preflight",
    [`User-Agent: ${gptbot}`, "Origin: https://x.example", "Access-Control-Request-Method: GET"],
    "OPTIONS /page HTTP/1.1",
  ),
  toRequest("two hosts", [`User-Agent: ${gptbot}`, "Host: other"]),
  toRequest("a comma in the host", [`User-Agent: ${gptbot}`, "X-Forwarded-Host: a,b"]),
  toRequest("two lengths", [`User-Agent: ${gptbot}`, "Content-Length: 0", "Content-Length: 1"]),
  toRequest("an endless length", [`User-Agent: ${gptbot}`, "Content-Length: 99999999999999999999"]),
  withBody(
    toRequest("a long body", [`User-Agent: ${gptbot}`, "Content-Length: 70000"], "POST /page HTTP/1.1"),
    "a".repeat(70_000),
  ),
  withBody(
    toRequest("a chunked body", [`User-Agent: ${gptbot}`, "Transfer-Encoding: chunked"], "POST /page HTTP/1.1"),
    "1\r\na\r\n0\r\n\r\n",
  ),
  toRequest("an unknown coding", [`User-Agent: ${gptbot}`, "Transfer-Encoding: x, chunked"], "POST /page HTTP/1.1"),
  ...["HEAD", "POST", "PUT", "TRACE", "CONNECT", "PROPFIND", "get", "X-Y"].map((method) =>
    toRequest(`the method ${method}`, [`User-Agent: ${gptbot}`], `${method} /page HTTP/1.1`),
  ),
  ...[
    "/robots.txt/../page",
    "/robots.txt%2f..%2fpage",
    "/robots.txt/%2e%2e/page",
    "/robots.txt;/../page",
    "/./page",
    "//page",
    "/page?/robots.txt",
    "/page#/robots.txt",
    "/robots.txt#/../page",
    "/robots.txt%00/../page",
    "/robots.txt\\..\\page",
    "http://localhost/page",
    "http://localhost/robots.txt/../page",
    "http://localhost?/robots.txt",
    "/pag\xe9",
    "/caf\xc3\xa9",
    "/a\x01b",
    "/a\x7fb",
    "/a b",
    "*",
    "page",
  ].map((path) => toRequest(`the address ${path}`, [`User-Agent: ${gptbot}`], `GET ${path} HTTP/1.1`)),
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

const person = [`User-Agent: ${firefox}`, "Accept: text/html,application/xhtml+xml", "Accept-Language: en"];

/** What browsers send. */
export const peoplesRequests: readonly RawRequest[] = [
  toRequest("a page", person),
  toRequest("24 KB of cookies", [
    ...person,
    ...Array.from({ length: 4 }, (_, index) => `Cookie: a${index}=${"b".repeat(6_000)}`),
  ]),
  toRequest("an address of 7.5 KB", person, `GET /page?${"x".repeat(7_500)} HTTP/1.1`),
  toRequest("a referrer of 7.5 KB", [...person, `Referer: http://localhost/?${"x".repeat(7_500)}`]),
  toRequest("a ticket of 7.5 KB", [...person, `Authorization: Negotiate ${"x".repeat(7_500)}`]),
  toRequest("names of cookies and addresses beyond ASCII", [
    ...person,
    "Cookie: a=\xc3\xa9\xff",
    "Referer: http://localhost/\xe9",
  ]),
  toRequest("a path beyond ASCII", person, "GET /page/caf\xc3\xa9 HTTP/1.1"),
  toRequest("a condition", [...person, 'If-None-Match: "x"', "Range: bytes=0-9"]),
  toRequest("an expired token", [...person, "Authorization: Bearer expired"]),
  withBody(toRequest("a form", [...person, "Content-Length: 3"], "POST /page HTTP/1.1"), "a=b"),
  toRequest("a WebSocket", [
    ...person,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  ]),
  toRequest("90 other fields", [...person, ...Array.from({ length: 90 }, (_, index) => `X-${index}: y`)]),
];
