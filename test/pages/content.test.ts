/** What the pages say of the catalogue, the record and a checked string, in a service in this process. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { robotsTokens } from "../../src/detect/policy/robots-tokens.ts";
import { toColored } from "../../src/pages/reference/expression-page.ts";
import { openApplication } from "../support/open-application.ts";
import { rowsOf } from "../support/table.ts";
import { firefox, gptbot } from "../support/user-agents.ts";

const recorded = [gptbot, gptbot, gptbot, "SemrushBot/7", "InventedBot/1.0", firefox];
const logLine = '192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 512 "-"';

/** Of the list of all crawlers, which has 100 a page: the entries, and the tokens that only robots.txt has. */
const pages = Math.ceil((detector.entries + robotsTokens.length) / 100);

let app: Awaited<ReturnType<typeof openApplication>>;
before(async () => {
  app = await openApplication({}, { isPrepared: false });
  await app.checkMany(...recorded);
});
after(() => app.application.abandon());

const read = (path: string) => app.text(path, { accept: "text/html", "user-agent": "curl/8.5.0" });

/** The text of a page's main part; cells, items and paragraphs end with a slash. */
function toPlain(page: string): string {
  return page
    .replace(/^.*?<main[^>]*>|<footer.*$/gs, "")
    .replace(/<\/(?:td|th|dt|dd|li|h\d|p|a|b|summary|pre|option)>/g, " / ")
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:quot|#39);/g, "'")
    .replace(/\s+/g, " ")
    .replace(/(?: \/)+ /g, " / ");
}

const asked = (...lines: readonly string[]) => `/?useragent=${encodeURIComponent(lines.join("\n"))}`;
const newer = firefox.replaceAll("141", "142");

/** What the text of a page has. */
const texts = rowsOf(`
/crawlers/gptbot | GPTBot, OpenAI's AI training crawler. Fetches pages to train AI models. /
/crawlers/gptbot | Operator / OpenAI / Category / ai / Purposes / training (trains AI models) / Documentation / https://
/crawlers/gptbot | Seen here / 3 requests in the last five weeks, last in the hour of 20
/crawlers/gptbot | Strings seen by this service / ${gptbot} / Is it really GPTBot? /
/crawlers/semrushbot | Seen here / 1 request in the last five weeks
/crawlers/ccbot | Seen here / not in the last five weeks
/crawlers/google-extended | A group for it in robots.txt asks Google not to
/crawlers/google-extended | Crawler / Googlebot / , with its own user agent /
/crawlers/google-extended | robots.txt / User-agent: Google-Extended Disallow: /
/crawlers/inventedbot | Found by / the rule bot, pattern
/crawlers/inventedbot | Seen here / 1 request with the strings that are recorded
/crawlers/inventedbot | data/crawlers/other.yaml / - name: InventedBot
/crawlers/wxyzcrawl | Match / wxyzcrawl in the name; check a complete string for a better result /
/crawlers/gptbot-two | Found by / the entry GPTBot / , which occurs in the name /
/crawlers/CUBOT_X18 | Found by / no rule: a user agent with only this name is not a crawler /
/crawlers/firecrawlagent | . Fetches pages to answer searches with an AI model, and when a person asks an AI model. /
/crawlers/go-http-client | Maker / Google / Category / library /
/crawlers | Seen here / GPTBot / OpenAI 3× /
/crawlers | InventedBot / no entry 1× /
/crawlers | AI training / GPTBot / OpenAI seen here / ClaudeBot / Anthropic /
/crawlers | Google-Extended / Google, robots.txt only /
/crawlers | found, page 1 of ${pages} / Name / Operator or maker / Category / Purposes /
/crawlers?page=${pages} | found, page ${pages} of ${pages} /
/crawlers?page=x | found, page 1 of ${pages} /
/crawlers?page=-3 | found, page 1 of ${pages} /
/crawlers?q=gptbot | 1 found / Name / Operator or maker / Category / Purposes / GPTBot / seen here / OpenAI / ai / training /
/crawlers?operator=GOOGLE&purpose=training | Google-Extended / Google / ai / training (robots.txt only) /
/crawlers?q=qqqqqqq | No results. / Rules also find crawlers without an entry
/RestService/List/xml?source=other | The parameter is source; it can be catalogue, evaluated. /
/nowhere | Check the spelling of the address, or search for a crawler. /
/ | Crawler / curl, an HTTP library / curl/8.5.0 / Category / HTTP library /
/ | -d '{'useragent':'curl/8.5.0'}' \\ http://localhost/RestService/Check /
${asked(gptbot, gptbot, firefox, newer, "SemrushBot/7")} | 5 strings, 3 by crawlers (60 %) / AI crawler 2 / · SEO crawler 1 /
${asked(gptbot, gptbot, firefox, newer)} | GPTBot / OpenAI / AI crawler / 2 / ${gptbot} 2× / not a crawler / 2 / ${firefox}
${asked("curl/1", "Foo/1.0 x", "curl/2", "curl/2", "curl/3")} | curl / HTTP library / 4 / curl/2 2×2 others / curl/1 / curl/3 /
${asked("")} | The verdict appears here. /
${asked(firefox)} | Not a crawler / A person's browser or app /
${asked("PerplexityBot/1.0")} | Category / AI crawler / Fetches pages to answer searches with an AI model. /
${asked("InventedBot/1.0")} | the catalogue has no entry / for it /
${asked("CUBOT_X18")} | The rule bot occurs as BOT, but in CUBOT:
${asked(logLine.replace(' "-"', ""))} | This log has no user agents / The format of the pasted lines is common.
${asked(...[gptbot, firefox, firefox].map((text) => `${logLine} "${text}"`))} | 1 of 3 requests by crawlers (33.3 %) /
/traffic | 6 / requests · 5 / by crawlers (83.3 %) · 1 / by people /
/traffic | :00: 5 by crawlers, 1 by people
/traffic | :00 / 5 / 1 / Shares are of all requests in this period. /
/traffic | Categories / ai / 3 / 50.0 % / other / 1 / 16.7 % / seo / 1 / 16.7 % /
/traffic | Crawlers / GPTBot / 3 / 50.0 % / SemrushBot / 1 / 16.7 % / all others / 1 / 16.7 % /
/traffic | GPTBot / ${gptbot} /
/traffic | not a crawler / ${firefox} /
/docs | too-large / 413 / The body is too large / The body exceeds max-body,
/docs | curl -H 'Authorization: Bearer TOKEN' http://localhost/RestService/List /
`);

/** What the HTML of a page has, and what it has not. */
const parts = rowsOf(`
/ | <a href="/" aria-current="page">Try</a><a href="/traffic">Traffic</a> | <a href="/docs" aria-current
/traffic?period=week | <a href="/traffic?period=week" aria-current="true"> | ="/traffic?period=day" aria
/traffic | <a href="/traffic?period=day" aria-current="true">24 hours</a> | id="chart" hidden
/traffic | <a href="/crawlers?category=ai"> | <h2>Verification
/traffic | <a href="/crawlers?operator=OpenAI"> | href="/crawlers/openai"
/traffic | <rect width="33.3" height="10" rx="1"/> | NaN
/crawlers?category=ai | <option value="ai" selected> | <option value="seo" selected>
/crawlers?category=ai&page=2 | href="/crawlers?category=ai&amp;page=1">Previous | <div class="sections">
/crawlers?page=${pages} | >Previous</a> | >Next</a>
/crawlers?q=%22gpt | value="&quot;gpt" | <details class="filters" open>
/crawlers | href="/crawlers?category=ai&amp;purpose=search">AI search | aria-label="Crawlers"><table></
/crawlers | <option value="OpenAI"> | <option value="BuddyBotLearning">
/crawlers/curl | No method to verify curl is known | <dt>Methods</dt>
/crawlers/gptbot | <dt>Methods</dt><dd>list of addresses</dd> | <dt>DNS names</dt>
/crawlers/gptbot | prefixes as of <time datetime="20 | not loaded yet
/crawlers/gptbot | <details class="snippet" open><summary>robots.txt | <details class="snippet" open><summary>nginx
/crawlers/googlebot | <code>crawl-*.googlebot.com</code>, <code>geo-crawl-*.geo.googlebot.com</code> | <dt>Keys</dt>
/crawlers/exasearchbot | https://crawler.exa.ai/.well-known/http-message-signatures-directory | <dt>DNS names</dt>
/crawlers/google-extended | <title>Google-Extended: Google&#39;s token for robots.txt</title> | <dt>Pattern
/crawlers/inventedbot | <details class="snippet" open> | Did you mean
${asked(gptbot)} | compatible; <mark>GPTBot</mark>/1.2 | This is yours
${asked("xGooglebot; Googlebot/2.1")} | xGooglebot; <mark>Googlebot</mark>/2.1 | <mark>Googlebot</mark>;
${asked(gptbot)} | class="verdict is-crawler" | is-person
${asked(firefox)} | class="verdict is-person" | is-crawler
${asked(`User-Agent: ${firefox}\nuser-agent:  ${gptbot}`)} | Checked without the header | User-Agent: Mozilla</
/docs | <td><code id="not-found">not-found</code></td> | (api.md
`);

describe("a page", () => {
  for (const [path = "", part = ""] of texts)
    it(`${path} says ${part}`, async () => {
      const text = toPlain(await read(path));
      assert.ok(text.includes(part), text.slice(0, 5000));
    });

  for (const [path = "", has = "", hasNot = ""] of parts)
    it(`${path} has ${has}, and not ${hasNot}`, async () => {
      const page = await read(path);
      assert.ok(page.includes(has), has);
      assert.ok(!page.includes(hasNot), hasNot);
    });

  it("colors each part of an expression by its meaning", () => {
    const colored = toColored(String.raw`^(?:a[^\]b]?|\.c{2,4}|d+)$`).text;
    assert.equal(
      colored.replace(/<span class="([a-z]+)">(.*?)<\/span>/g, "<$1 $2>"),
      String.raw`<anchor ^><group (?:>a<class [^\]b]><repeat ?><alternative |>\.c<repeat {2,4}><alternative |>d<repeat +><group )><anchor $>`,
    );
  });
});
