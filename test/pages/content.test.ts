/** What the pages say: their text as a reader sees it, and where their links lead, of a service in this process with a record. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { robotsTokens } from "../../src/detect/policy/robots-tokens.ts";
import { toColored } from "../../src/pages/reference/expression-page.ts";
import { Application } from "../../src/server/application.ts";
import { createLog } from "../../src/server/observe/log.ts";
import { parseConfiguration } from "../../src/server/settings/configuration.ts";

const gptbot = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const person = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
const recorded = [gptbot, gptbot, gptbot, "SemrushBot/7", "InventedBot/1.0", person];
const logLine = '192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 512 "-"';

/** Of the list of all crawlers, which has 100 a page: the entries, and the tokens that only robots.txt has. */
const pages = Math.ceil((detector.entries + robotsTokens.length) / 100);

let application: Application;
before(async () => {
  const environment = { WHOCRAWLS_RECORD: "memory:", WHOCRAWLS_VERIFY_REFRESH: "off", WHOCRAWLS_LOG: "off" };
  const log = createLog({ level: "off" }, () => {});
  application = await Application.open(parseConfiguration({ environment }), log);
  const headers = { "content-type": "text/plain" };
  const body = recorded.join("\n");
  const request = new Request("http://localhost/RestService/CheckMany", { method: "POST", headers, body });
  await (await application.service.fetch(request)).text();
});
after(() => application.abandon());

async function read(path: string): Promise<string> {
  const headers = { accept: "text/html", "user-agent": "curl/8.5.0" };
  return (await application.service.fetch(new Request(`http://localhost${path}`, { headers }))).text();
}

/** The text of a page's main part; cells, items and paragraphs end with a bar. */
function toPlain(page: string): string {
  return page
    .replace(/^.*?<main[^>]*>|<footer.*$/gs, "")
    .replace(/<\/(?:td|th|dt|dd|li|h\d|p|a|b|summary|pre|option)>/g, "|")
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:quot|#39);/g, "'")
    .replace(/\s+/g, " ")
    .replace(/\s*\|[\s|]*/g, "|");
}

const asked = (...lines: readonly string[]) => `/?useragent=${encodeURIComponent(lines.join("\n"))}`;

/** What the text of a page has, in this order. */
const texts: readonly (readonly [path: string, ...says: readonly string[]])[] = [
  [
    "/crawlers/gptbot",
    "Crawlers|GPTBot|GPTBot, OpenAI's AI training crawler. Fetches pages to train AI models.|",
    "|Operator|OpenAI|Category|ai|Purposes|training (trains AI models)|Documentation|https://developers.openai.com/",
    "|Pattern|GPTBot|Seen here|3 requests in the last five weeks, last in the hour of 20",
    "|Requests to this service|Requests per day, times in UTC",
    ": 3 requests",
    " Its strings|Mozilla/5.0",
    `|Strings seen by this service|${gptbot}|Is it really GPTBot?|`,
    "|robots.txt|",
    "|nginx|",
  ],
  [
    "/crawlers/semrushbot",
    "|Category|seo|",
    "|Seen here|1 request in the last five weeks",
    "|Requests to this service|",
  ],
  ["/crawlers/ccbot", "|Seen here|not in the last five weeks|Its strings|"],
  [
    "/crawlers/google-extended",
    "|A group for it in robots.txt asks Google not to ",
    "|Crawler|Googlebot|, with its own user agent|Documentation|https://developers.google.com/",
    "|robots.txt|User-agent: Google-Extended Disallow: /|",
  ],
  [
    "/crawlers/inventedbot",
    "|Found by|the rule bot, pattern Bot|[B][O][T]|B0t|Match|InventedBot/1.0|Category|other, the rule's|Seen here|1 request with the strings that are recorded",
    "|Strings seen by this service|InventedBot/1.0|Add an entry|",
    "|data/crawlers/other.yaml|- name: InventedBot ",
  ],
  ["/crawlers/wxyzcrawl", "|Match|wxyzcrawl in the name; check a complete string for a better result|"],
  ["/crawlers/gptbot-two", "|Found by|the entry GPTBot|, which occurs in the name|"],
  ["/crawlers/CUBOT_X18", "|Found by|no rule: a user agent with only this name is not a crawler|"],
  [
    "/crawlers",
    " any|search-engine: search crawler|ai: AI crawler|seo: SEO crawler|advertising: advertising crawler|preview: link preview",
    "|archive: archiving crawler|security: security scanner|research: research crawler|automation: automated browser|",
    " any|search: finds pages for a search|training: trains AI models|agent: acts for a person who waits|",
    "|Seen here|GPTBot|OpenAI 3×|",
    "|InventedBot|no entry 1×|",
    "|AI training|GPTBot|OpenAI seen here|ClaudeBot|Anthropic|",
    "|Google-Extended|Google, robots.txt only|",
    "|AI search|",
    "|AI agents|",
    "|Search engines|",
    "|Link previews|",
    "|SEO|AhrefsBot|Ahrefs|",
    "|Monitoring|",
    "|Archives|",
    "|Feeds|",
    "|Libraries and automation|",
    "|All by name|",
    ` found, page 1 of ${pages}|Name|Operator or maker|Category|Purposes|`,
    "|Next|",
  ],
  [`/crawlers?page=${pages}`, ` found, page ${pages} of ${pages}|`, "|Previous|"],
  ["/crawlers?page=x", ` found, page 1 of ${pages}|`],
  ["/crawlers?page=-3", ` found, page 1 of ${pages}|`],
  ["/crawlers?q=gptbot", "|1 found|Name|Operator or maker|Category|Purposes|GPTBot|seen here|OpenAI|ai|training|"],
  ["/crawlers?q=FirecrawlAgent", "|FirecrawlAgent|Firecrawl|ai|search, agent|"],
  ["/crawlers?operator=GOOGLE&purpose=training", "|Google-Extended|Google|ai|training (robots.txt only)|"],
  ["/crawlers/go-http-client", "|Maker|Google|Category|library|"],
  ["/crawlers?q=qqqqqqq", "|No results.|Rules also find crawlers without an entry: check the string|"],
  [
    "/RestService/List/xml?source=other",
    "|The parameter is source; it can be catalogue, evaluated.|Search for a crawler",
    " Check a user agent|, or a log file|All crawlers|of the catalogue|Traffic|",
  ],
  ["/nowhere", "|Check the spelling of the address, or search for a crawler.|"],
  [
    "/",
    "This is yours:|",
    " curl/8.5.0 Address of the client, to verify a crawler (optional)|Check",
    "Crawler|curl, an HTTP library|curl/8.5.0|Category|HTTP library|A program that ",
    "|Decided by|the entry curl|, pattern ^CURL(?:/|$)|Ask the service|",
    "curl -H 'Content-Type: application/json' \\ -d '{'useragent':'curl/8.5.0'}' \\ http://localhost/RestService/Check|",
  ],
  [
    asked(gptbot, gptbot, person, person.replaceAll("141", "142"), "SemrushBot/7"),
    "|5 strings, 3 by crawlers (60 %)|AI crawler 2|· SEO crawler 1|Crawler|Operator|Category|Strings|User agent|",
    `|GPTBot|OpenAI|AI crawler|2|${gptbot} 2×|not a crawler|2|${person}another|${person.replaceAll("141", "142")}|`,
    "|SemrushBot|Semrush|SEO crawler|1|SemrushBot/7|",
    "--data-binary @useragents.txt \\ http://localhost/RestService/CheckMany|",
  ],
  [
    asked("curl/1", "Foo/1.0 x", "curl/2", "curl/2", "curl/3"),
    "|5 strings, 4 by crawlers (80 %)|HTTP library 4|",
    "|curl|HTTP library|4|curl/2 2×2 others|curl/1|curl/3|not a crawler|1|Foo/1.0 x|",
  ],
  [asked(""), "|The verdict appears here.|", "-d '{'useragent':''}' "],
  [
    asked(gptbot),
    "|Operator|OpenAI|Category|AI crawler|",
    "|Documentation|https://developers.openai.com/api/docs/bots|Decided by|the entry GPTBot|",
  ],
  [asked(person), "Not a crawler|A person's browser or app|", " rules were checked. None of them matches.|"],
  [asked("PerplexityBot/1.0"), "|Category|AI crawler|Fetches pages to answer searches with an AI model.|"],
  [
    "/crawlers/firecrawlagent",
    ". Fetches pages to answer searches with an AI model, and when a person asks an AI model.|",
  ],
  [asked("HeadlessChrome/100"), "|Category|automated browser|A browser that a program controls.|"],
  [
    asked(logLine.replace(' "-"', "")),
    "|This log has no user agents|The format of the pasted lines is common. ",
    "needed to detect crawlers. The format combined of nginx and Apache has it.|",
  ],
  [asked("InventedBot/1.0"), "|Decided by|the rule bot, pattern Bot|[B][O][T]|B0t; the catalogue has no entry|for it|"],
  [asked("CUBOT_X18"), "|The rule bot occurs as BOT, but in CUBOT: "],
  [
    asked(`${logLine} "${gptbot}"`, `${logLine} "${person}"`, `${logLine} "${person}"`),
    "|1 of 3 requests by crawlers (33.3 %)|Read from the pasted lines in the format combined. 33.3 % of the bytes went",
    "|Crawler|Operator|Category|Requests|Share|GPTBot|OpenAI|AI crawler|1|33.3 %|",
    "|npx whocrawls scan access.log|",
  ],
  [
    "/traffic",
    "|24 hours|7 days|5 weeks|6|requests · 5|by crawlers (83.3 %) · 1|by people",
    "|What needs action|Unknown until the record has requests that are more than 24 hours old.",
    "CrawlersPeople Requests per hour, times in UTC",
    ":00: 5 by crawlers, 1 by people",
    " Requests over time as a table|From (UTC)|Crawlers|People|20",
    ":00|5|1|Shares are of all requests in this period.|",
    "|Categories|ai|3|50.0 %|other|1|16.7 %|seo|1|16.7 %|",
    "Purposes|training|3|50.0 %|",
    "Operators|OpenAI|3|50.0 %|Semrush|1|16.7 %|",
    "Crawlers|GPTBot|3|50.0 %|SemrushBot|1|16.7 %|all others|1|16.7 %|",
    "|Most frequent strings of the whole record|Requests|Verdict|User agent|3 since 20",
    `|GPTBot|${gptbot}|`,
    `|not a crawler|${person}|`,
    "|New strings of crawlers today (UTC)|Requests|Verdict|User agent|",
  ],
  [
    "/docs",
    " Check|CheckMany|List|",
    "|HTTP API|A service shows this page at /docs, ",
    "|request|returns|POST /RestService/Check|the verdict|on one user agent, in JSON or XML|",
    "|Check|$ curl -s http://localhost/RestService/Check -H 'Content-Type: application/json' ",
    "|useragent|the checked string|",
    "|too-large|413|The body is too large|The body exceeds max-body, ",
    "|Tokens|With token set, ",
    "|curl -H 'Authorization: Bearer TOKEN' http://localhost/RestService/List|",
    "|Clients in other languages|",
    "|Python|whocrawls.py. ",
  ],
];

/** Parts of a page's HTML: links, and what is chosen or open. */
const parts: readonly (readonly [path: string, has: string, hasNot: string])[] = [
  ["/", '<a href="/" aria-current="page">Try</a><a href="/traffic">Traffic</a>', '<a href="/docs" aria-current'],
  ["/traffic", '<a href="/traffic?period=day" aria-current="true">24 hours</a>', '="/traffic?period=week" aria'],
  ["/traffic?period=week", '<a href="/traffic?period=week" aria-current="true">', '="/traffic?period=day" aria'],
  ["/traffic", '<a href="/crawlers?category=ai">', 'id="chart" hidden'],
  ["/traffic", '<a href="/crawlers?purpose=training">', "<h2>Verification"],
  ["/traffic", "Shares are of all requests", 'class="warning"'],
  ["/crawlers/ccbot", "not in the last five weeks", 'class="chart"'],
  ["/traffic", '<a href="/crawlers?operator=OpenAI">', 'href="/crawlers/openai"'],
  ["/traffic", '<rect width="33.3" height="10" rx="1"/>', "NaN"],
  ["/crawlers?category=ai", '<option value="ai" selected>', '<details class="filters">'],
  ["/crawlers?category=ai", "</option>", '<option value="seo" selected>'],
  [`/crawlers?page=${pages}`, ">Previous</a>", ">Next</a>"],
  ["/crawlers/curl", "<dt>Category</dt>", "<dt>Operator</dt>"],
  ["/crawlers/curl", "No method to verify curl is known", "<dt>Methods</dt>"],
  ["/crawlers/gptbot", "<dt>Methods</dt><dd>list of addresses</dd>", "<dt>DNS names</dt>"],
  ["/crawlers/gptbot", '<span class="quiet">21 prefixes as of <time datetime="2026-05-05">', "not loaded yet"],
  [
    "/crawlers/googlebot",
    "<code>crawl-*.googlebot.com</code>, <code>geo-crawl-*.geo.googlebot.com</code>",
    "<dt>Keys</dt>",
  ],
  [
    "/crawlers/exasearchbot",
    "https://crawler.exa.ai/.well-known/http-message-signatures-directory",
    "<dt>DNS names</dt>",
  ],
  ["/crawlers/google-extended", "<title>Google-Extended: Google&#39;s token for robots.txt</title>", "<dt>Pattern"],
  [asked(gptbot), "<dt>Purposes</dt><dd>training (trains AI models)</dd>", "not explained here"],
  ["/crawlers?purpose=agent", '<option value="agent" selected>', '<option value="training" selected>'],
  ["/crawlers?q=%22gpt", 'value="&quot;gpt"', '<details class="filters" open>'],
  ["/crawlers?category=ai&page=2", 'href="/crawlers?category=ai&amp;page=1">Previous', '<div class="sections">'],
  ["/crawlers", 'href="/crawlers?category=ai&amp;purpose=search">AI search', 'aria-label="Crawlers"><table></'],
  ["/crawlers", '<h2><a href="/crawlers?category=seo">SEO</a></h2>', "<h2><a>"],
  ["/crawlers", '<option value="OpenAI">', '<option value="BuddyBotLearning">'],
  ["/crawlers/inventedbot", '<details class="snippet" open>', "Did you mean"],
  [
    "/crawlers/gptbot",
    '<details class="snippet" open><summary>robots.txt',
    '<details class="snippet" open><summary>nginx',
  ],
  ["/crawlers/gptbot", '<a href="/crawlers?operator=OpenAI">', "no entry"],
  [asked(gptbot), "compatible; <mark>GPTBot</mark>/1.2", "This is yours"],
  [asked("xGooglebot; Googlebot/2.1"), "xGooglebot; <mark>Googlebot</mark>/2.1", "<mark>Googlebot</mark>;"],
  [asked(gptbot), 'class="verdict is-crawler"', "is-person"],
  [asked(`user-agent:  ${gptbot}`), '<p class="quiet">Checked without the header', "quot;user-agent:"],
  [asked(`User-Agent: ${person}\nUser-Agent: ${gptbot}`), "Checked without the header", "User-Agent: Mozilla</"],
  [asked(person), 'class="verdict is-person"', "is-crawler"],
  ["/docs", '<td><code id="not-found">not-found</code></td>', "(api.md"],
  [
    "/",
    `Examples: <a href="${asked("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")}">`,
    'href="/?useragent="',
  ],
];

describe("a page", () => {
  for (const [path, ...says] of texts) {
    it(`${path} says in this order: ${says[0]}`, async () => {
      const text = toPlain(await read(path));
      let at = 0;
      for (const part of says) {
        const found = text.indexOf(part, at);
        assert.notEqual(found, -1, `${part}\nis not in\n${text.slice(at, at + 3000)}`);
        // A bar may end one part and begin the next one.
        at = found + part.length - 1;
      }
    });
  }
  for (const [path, has, hasNot] of parts) {
    it(`${path} has ${has}, and not ${hasNot}`, async () => {
      const page = await read(path);
      assert.ok(page.includes(has), has);
      assert.ok(!page.includes(hasNot), hasNot);
    });
  }

  it("colors each part of an expression by its meaning", () => {
    const colored = toColored(String.raw`^(?:a[^\]b]?|\.c{2,4}|d+)$`).text;
    assert.equal(
      colored.replace(/<span class="([a-z]+)">(.*?)<\/span>/g, "<$1 $2>"),
      String.raw`<anchor ^><group (?:>a<class [^\]b]><repeat ?><alternative |>\.c<repeat {2,4}><alternative |>d<repeat +><group )><anchor $>`,
    );
  });
});
