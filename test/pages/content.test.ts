/**
 * What the pages say of the catalogue, the record and checked strings, in a service in this process: their text, and some of their HTML.
 */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { robotsTokens } from "../../src/detect/policy/robots-tokens.ts";
import { toColored } from "../../src/pages/reference/expression-page.ts";
import { finish } from "../../src/pattern/finish.ts";
import { toHour } from "../../src/record/traffic.ts";
import { createService } from "../../src/service.ts";
import { mark, testGolden } from "../support/golden.ts";
import { openApplication } from "../support/open-application.ts";
import { recordOf } from "../support/record-of.ts";
import { rowsOf } from "../support/table.ts";
import { firefox, gptbot } from "../support/user-agents.ts";

const recorded = [gptbot, gptbot, gptbot, "SemrushBot/7", "InventedBot/1.0", firefox];

let app: Awaited<ReturnType<typeof openApplication>>;
before(async () => {
  app = await openApplication();
  await app.checkMany(...recorded);
});
after(() => app.application.abandon());

const read = (path: string) => app.text(path, { accept: "text/html", "user-agent": "curl/8.5.0" });

/**
 * The text of a page's main part: a line a block, and slashes between cells and links. Marked text is in brackets; times and counts of the
 * catalogue are left out.
 */
function toLines(page: string): string[] {
  const entities: Readonly<Record<string, string>> = { quot: '"', "#39": "'", lt: "<", gt: ">", amp: "&" };
  return (
    page
      .replace(/^.*?<main[^>]*>|<footer.*$/gs, "")
      .replace(/<\/(?:td|th|dt|option|a|b|summary|label)>/g, " / ")
      .replace(/<\/(?:tr|dd|h\d|p|li|pre|div|section|form|details)>|<svg.*?<\/svg>/gs, "\n")
      .replace(/<mark>(.*?)<\/mark>/g, "[$1]")
      .replace(/<[^>]*>/g, "")
      .replace(/&(quot|#39|lt|gt|amp);/g, (_, name) => entities[name]!)
      .replace(/\d{4}-\d\d-\d\d(?: \d\d:\d\d)?/g, "DATE")
      .replace(/[\d,]+(?= (?:entries|rules|prefixes)\b)/g, "N")
      .replace(/(?:\s*\/)+ *$/gm, "")
      .split("\n")
      .map((line) => line.trim().replace(/ +/g, " "))
      // The axis of a chart, which begins with the current hour.
      .filter((line) => line !== "" && !/^(?:\d\d:\d\d|\d\d? [A-Z][a-z]{2})+$/.test(line))
  );
}

/** So many lines of a page, from the one that begins with a text: `show: 3 from Text`. */
function linesOf(page: string, show: string): string[] {
  const text = toLines(page);
  const [, count, from = ""] = /^show: (\d+)(?: from (.*))?$/.exec(show) ?? assert.fail(show);
  const at = text.findIndex((line) => line.startsWith(from));
  assert.ok(at >= 0, text.join("\n"));
  return mark("|", text.slice(at, at + Number(count)).join("\n"));
}

/** A path, the fields of the form, and `from` which line on so many lines are shown. */
testGolden("pages/content.txt", async (input) => {
  const [path = "", ...lines] = input.split("\n");
  const valuesOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
  const query = new URLSearchParams();
  for (const name of ["useragent", "ip"]) if (valuesOf(name).length > 0) query.set(name, valuesOf(name).join("\n"));
  const page = await read(`${path}${query.size > 0 ? `?${query}` : ""}`);
  return linesOf(page, lines.at(-1)!);
});

testGolden("pages/news.txt", async (input) => {
  const [news = "", show = ""] = input.split("\n");
  const countOf = (what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(news)?.[1] ?? 0);
  const crawlers = ["<b>\u202e", ...Array.from({ length: 999 }, (_, at) => `Bot${at}`)].map((name) => ({
    ...{ name, category: "ai" as const, count: 1234, firstSeen: 60_000 },
  }));
  const spikes = ["A", "B"].map((name) => ({ name, hour: toHour(Date.now()), requests: 1500, before: 100 }));
  const record = recordOf(
    {
      isKnown: news !== "unknown",
      newCrawlers: crawlers.slice(0, countOf("new")),
      spikes: spikes.slice(0, countOf("spikes")),
    },
    countOf("dropped"),
  );
  const page = await (await createService({ record }).fetch(new Request("http://localhost/traffic"))).text();
  assert.doesNotMatch(page, /<b>\u202e/);
  assert.equal(page.includes('class="warning"'), countOf("dropped") > 0);
  return linesOf(page, show).map((line) => line.replace(/between \d+:00 and \d+:00 /, "between H:00 and H:00 "));
});

/** Of the list of all crawlers, which has 100 a page: the entries, and the tokens that only robots.txt has. */
const pages = Math.ceil((detector.entries + robotsTokens.length) / 100);
const asked = (...lines: readonly string[]) => `/?useragent=${encodeURIComponent(lines.join("\n"))}`;

/** What the HTML of a page has, and what it has not. */
const parts = rowsOf(`
/ | <a href="/" aria-current="page">Try</a><a href="/traffic">Traffic</a> | <a href="/docs" aria-current
/traffic?period=week | <a href="/traffic?period=week" aria-current="true"> | ="/traffic?period=day" aria
/traffic | <a href="/traffic?period=day" aria-current="true">24 hours</a> | id="chart" hidden
/traffic | <a href="/crawlers?category=ai"> | <h2>Verification
/traffic | <a href="/crawlers?operator=OpenAI"> | href="/crawlers/openai"
/traffic | <rect width="33.3" height="10" rx="1"/> | NaN
/traffic | <section class="findings none"> | <section class="findings">
/robots?text=User-agent:%20GPTBot%0ADisallow:%20/ | <td class="tag blocked" title="No path is allowed.">✕ blocked</td> | <table>
/robots?text=User-agent:%20GPTBot%0ADisallow:%20/ | >✓ allowed</td> | <table>
/crawlers?category=ai | <option value="ai" selected> | <option value="seo" selected>
/crawlers?category=ai&page=2 | href="/crawlers?category=ai&amp;page=1">Previous | <div class="sections">
/crawlers?page=${pages} | >Previous</a> | >Next</a>
/crawlers?page=x | found, page 1 of ${pages} | >Previous</a>
/crawlers?page=-3 | found, page 1 of ${pages} | >Previous</a>
/crawlers?q=%22gpt | value="&quot;gpt" | <details class="filters" open>
/crawlers | href="/crawlers?category=ai&amp;purpose=search">AI search | aria-label="Crawlers"><table></
/crawlers | <option value="OpenAI"> | <option value="BuddyBotLearning">
/crawlers/gptbot | <details class="snippet" open><summary>robots.txt | <details class="snippet" open><summary>nginx
/crawlers/google-extended | <title>Google-Extended: Google&#39;s token for robots.txt</title> | <dt>Pattern
/crawlers/inventedbot | <details class="snippet" open> | Did you mean
/crawlers//gptbot | Did you mean <a href="/crawlers/gptbot">GPTBot</a>? | Strings seen by
/crawlers?q=gptbto | Did you mean <a href="/crawlers/gptbot">GPTBot</a>? | Strings seen by
/crawlers?operator=none | No results. | Did you mean
${asked(gptbot)} | class="verdict is-crawler" | is-person
${asked(firefox)} | class="verdict is-person" | is-crawler
/docs | <td><code id="not-found">not-found</code></td> | (api.md
`);

for (const [path = "", has = "", hasNot = ""] of parts)
  it(`${path} has ${has}, and not ${hasNot}`, async () => {
    const page = await read(path);
    assert.ok(page.includes(has), has);
    assert.ok(!page.includes(hasNot), hasNot);
  });

it("the page of the expression colors each part of it by its meaning", () => {
  const colored = finish(toColored(String.raw`^(?:a[^\]b]?|\.c{2,4}|d+)$`)).text;
  assert.equal(
    colored.replace(/<span class="([a-z]+)">(.*?)<\/span>/g, "<$1 $2>"),
    String.raw`<anchor ^><group (?:>a<class [^\]b]><repeat ?><alternative |>\.c<repeat {2,4}><alternative |>d<repeat +><group )><anchor $>`,
  );
});

it("the first page explains strings of up to 2,048 characters, and gives longer ones a verdict alone", async () => {
  for (const [useragent, verdict, word] of [
    ["GPTBot/1.0", 'class="verdict is-crawler"', "<dt>Decided by</dt><dd>the entry"],
    ["Mozilla/5.0 Firefox/141.0", 'class="verdict is-person"', "rules were checked"],
  ] as const)
    for (const length of [2048, 2049]) {
      const page = await read(asked(useragent.padEnd(length, "0")));
      assert.ok(page.includes(verdict));
      assert.equal(page.includes(word), length === 2048);
      assert.equal(page.includes("is not explained here"), length === 2049);
    }
});
