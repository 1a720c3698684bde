/** The pages of crawlers that have no entry, filters of `/crawlers`, and what those see who may not read the record. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { parse } from "yaml";
import { createService } from "../../src/service.ts";
import { openApplication as open } from "../support/open-application.ts";
import { gptbot } from "../support/user-agents.ts";

const hostile = `<b>"Evil'\u202eBot\u{1f600}</b>/1.0`;
const token = "a-token-for-the-list";
const mine = "Mozilla/5.0 (compatible; MyNewCrawler/1.0; +https://example.org/crawler)";
const sent = ["Mozilla/5.0 (compatible; MyNewCrawlerToo/1.0)", gptbot, mine, mine, mine, hostile];

it("filters refuse unknown words, and name the right ones", async () => {
  await using app = await open({});
  for (const [query, says] of [
    ["?category=bogus", "`category` must be one of search-engine, ai, "],
    ["?category=ai&purpose=Search", "`purpose` must be one of search, training, agent."],
    ["?category=ai&category=seo", "Specify `category` only once."],
  ] as const) {
    const answer = await app.ask(`/crawlers${query}`);
    assert.equal(answer.status, 400, query);
    assert.ok((await answer.text()).includes(says), query);
  }
  const html = { accept: "text/html", "sec-fetch-mode": "navigate" };
  const page = await app.text("/crawlers?category=bogus", html);
  assert.match(page, /it can be <code>search-engine<\/code>, <code>ai<\/code>/);
  assert.equal((await app.ask("/crawlers?q=&category=&purpose=&operator=")).status, 200);
});

it("a crawler without an entry has what the rule saw, and a draft of an entry that can be read", async () => {
  await using app = await open({});
  await app.checkMany(...sent);
  const text = await app.text("/crawlers/mynewcrawler");
  assert.match(text, /the rule <i>crawl<\/i>.*MyNew<mark>Crawl<\/mark>er.*3 requests with the recorded strings/s);
  assert.doesNotMatch(text, /MyNewCrawlerToo/);
  const entry = { name: "MyNewCrawler", category: "other", url: "https://example.org/crawler", examples: [mine] };
  assert.deepEqual(parse(draftOf(text)), [entry]);

  const crawlers = await app.text("/crawlers");
  assert.match(
    crawlers,
    /Seen here<\/a><\/h2>\s*<ul><li><a href="\/crawlers\/mynewcrawler">/,
    "the most frequent is first",
  );
  const [, path = ""] = /href="(\/crawlers\/evil[^"]*)"/.exec(crawlers) ?? [];
  const evil = await app.text(path);
  assert.doesNotMatch(evil, /<b>|\u202e/);
  assert.deepEqual((parse(draftOf(evil)) as [{ examples: unknown }])[0].examples, [hostile]);
});

it("the record is shown to holders of a token alone", async () => {
  await using app = await open({ LIST_EVALUATED: "token", LIST_TOKEN: token });
  await app.checkMany(...sent);
  for (const path of ["/crawlers", "/crawlers/mynewcrawler", "/crawlers/gptbot"]) {
    assert.doesNotMatch(await app.text(path), /Seen here|seen here|example\.org/i, path);
    const shown = await app.ask(path, { authorization: `Bearer ${token}` });
    assert.equal(shown.headers.get("cache-control"), "no-store");
    assert.match(await shown.text(), /seen here/i, path);
  }
  const unknown = await app.ask("/crawlers/mynewcrawler");
  assert.equal(unknown.status, 404);
  assert.match(await unknown.text(), /the rule <i>crawl<\/i>/);
});

it("YAML 1.1 and 1.2 read the name of a draft as text", async () => {
  const service = createService();
  for (const name of "true False null on NO y ~ 1e3 0x1F 1_000 12:30 .inf Acme-Bot".split(" ")) {
    const page = await (await service.fetch(new Request(`http://localhost/crawlers/${name}`))).text();
    const [line = ""] = draftOf(page).split("\n");
    for (const version of ["1.1", "1.2"] as const) assert.deepEqual(parse(line, { version }), [{ name }]);
  }
});

/** The draft of an entry on a page. */
function draftOf(page: string): string {
  const code = /data\/crawlers\/\S+\.yaml<\/summary>.*?<pre[^>]*>(.*?)<\/pre>/s.exec(page)?.[1] ?? "";
  const entities: Readonly<Record<string, string>> = { quot: '"', lt: "<", gt: ">", amp: "&", "#39": "'", "#34": '"' };
  return code.replace(/&(quot|lt|gt|amp|#39|#34);/g, (_, name) => entities[name]!);
}
