/** What `/crawlers` shows first, and the pages of crawlers that have no entry, of a real service with a record. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { parse } from "yaml";
import { runtimes } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";

const hostile = `<b>"Evil'\u202eBot\u{1f600}</b>/1.0`;
const token = "a-token-for-the-list";
const sent = [
  ...Array<string>(3).fill("Mozilla/5.0 (compatible; MyNewCrawler/1.0; +https://example.org/crawler)"),
  "Mozilla/5.0 (compatible; MyNewCrawlerToo/1.0)",
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  hostile,
];

describe("pages of crawlers", () => {
  let open: ServiceProcess;
  let closed: ServiceProcess;

  before(async () => {
    const record = { WHOCRAWLS_RECORD: "memory:" };
    [open, closed] = await Promise.all([
      startService(runtimes.Bun, record),
      startService(runtimes.Node, { ...record, WHOCRAWLS_LIST_EVALUATED: "token", WHOCRAWLS_LIST_TOKEN: token }),
    ]);
    for (const { url } of [open, closed]) {
      const headers = { "content-type": "text/plain; charset=utf-8" };
      const options = { method: "POST", headers, body: sent.join("\n") };
      assert.equal((await fetch(`${url}/RestService/CheckMany`, options)).status, 200);
    }
  });

  after(() => {
    open?.child.kill("SIGTERM");
    closed?.child.kill("SIGTERM");
  });

  async function read({ url }: ServiceProcess, path: string, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(url + path, { headers });
    return { status: response.status, cache: response.headers.get("cache-control"), text: await response.text() };
  }

  /** The names of a section, by its heading. */
  function sectionOf(text: string, title: string): readonly string[] {
    const section = new RegExp(`<section[^>]*><h2>(?:<a[^>]*>)?${title}.*?</section>`, "s").exec(text)?.[0] ?? "";
    return [...section.matchAll(/<li><a href="[^"]*">(?:<bdi>)?([^<]*)/g)].map(([, name]) => name as string);
  }

  it("begin with those seen here and well-known ones, in sections", async () => {
    const { text, cache } = await read(open, "/crawlers");
    assert.equal(cache, "no-store");
    assert.equal(sectionOf(text, "Seen here")[0], "MyNewCrawler");
    assert.deepEqual(sectionOf(text, "AI training").slice(0, 2), ["GPTBot", "ClaudeBot"]);
    assert.ok(sectionOf(text, "AI training").includes("Google-Extended"));
    assert.deepEqual(sectionOf(text, "AI agents").slice(0, 2), ["ChatGPT-User", "Claude-User"]);
    assert.equal(sectionOf(text, "Search engines")[0], "Googlebot");
    assert.match(text, />GPTBot<\/a> <span class="quiet">OpenAI<\/span> <span class="seen">/);
    assert.ok(
      text.indexOf('id="q"') < text.indexOf("<summary>Filters") &&
        text.indexOf("<summary>Filters") < text.indexOf('id="category"'),
    );
    for (const query of ["?q=gpt", "?category=ai", "?page=2"])
      assert.doesNotMatch((await read(open, `/crawlers${query}`)).text, /class="sections"/, query);
  });

  it("refuse unknown words of filters, and name the right ones", async () => {
    for (const [query, says] of [
      ["?category=bogus", "`category` is one of search-engine, ai, "],
      ["?category=ai&purpose=Search", "`purpose` is one of search, training, agent."],
      ["?category=ai&category=seo", "Give `category` only once."],
    ] as const) {
      const { status, text } = await read(open, `/crawlers${query}`);
      assert.equal(status, 400, query);
      assert.ok(text.includes(says), text);
    }
    const page = await read(open, "/crawlers?category=bogus", { accept: "text/html", "sec-fetch-mode": "navigate" });
    assert.equal(page.status, 400);
    assert.match(page.text, /it can be <code>search-engine<\/code>, <code>ai<\/code>/);
    assert.equal((await read(open, "/crawlers?q=&category=&purpose=&operator=")).status, 200);
  });

  it("say of a crawler without an entry what the rule saw, and draft an entry that can be read", async () => {
    const traffic = await read(open, "/traffic");
    assert.match(traffic.text, /<i>all others<\/i>/);
    assert.doesNotMatch(traffic.text, /href="\/RestService\/List\?source/);
    const { status, text } = await read(open, "/crawlers/mynewcrawler");
    assert.equal(status, 200);
    assert.match(text, /the rule <i>crawl<\/i>/);
    assert.match(text, /MyNew<mark>Crawl<\/mark>er/);
    assert.match(text, /3 requests with the strings that are recorded/);
    assert.doesNotMatch(text, /MyNewCrawlerToo/);
    assert.deepEqual(draftOf(text), {
      name: "MyNewCrawler",
      category: "other",
      url: "https://example.org/crawler",
      examples: [sent[0]],
    });
  });

  it("ask of a mistyped name whether a similar one is meant", async () => {
    for (const path of ["/crawlers/gptbto", "/crawlers/G-PTBot", "/crawlers?q=GPTBto", "/crawlers//gptbot"]) {
      const { status, text } = await read(open, path);
      assert.equal(status, path.includes("?") ? 200 : 404, path);
      assert.match(text, /Did you mean <a href="\/crawlers\/gptbot">GPTBot<\/a>\?/, path);
      assert.doesNotMatch(text, /Strings seen by/, path);
    }
    for (const path of [
      "/crawlers/mynewcrawler",
      "/crawlers?q=gptbot",
      "/crawlers?q=qqqqqqqqqq",
      "/crawlers?operator=none",
    ]) {
      assert.doesNotMatch((await read(open, path)).text, /Did you mean/, path);
    }
  });

  it("quote hostile names and strings", async () => {
    const [, path = ""] = /href="(\/crawlers\/evil[^"]*)"/.exec((await read(open, "/crawlers")).text) ?? [];
    const { status, text } = await read(open, path);
    assert.equal(status, 200, path);
    assert.doesNotMatch(text, /<b>|\u202e/);
    assert.deepEqual((draftOf(text) as { examples: unknown }).examples, [hostile]);
  });

  it("show nothing that was recorded to those who may not see it", async () => {
    for (const path of ["/crawlers", "/crawlers/mynewcrawler", "/crawlers/gptbot"]) {
      const hidden = await read(closed, path);
      assert.doesNotMatch(hidden.text, /Seen here|seen here|example\.org/i, path);
      const shown = await read(closed, path, { authorization: `Bearer ${token}` });
      assert.match(shown.text, /seen here/i, path);
      assert.equal(shown.cache, "no-store");
    }
    assert.equal((await read(closed, "/crawlers/mynewcrawler")).status, 404);
    assert.match((await read(closed, "/crawlers/mynewcrawler")).text, /the rule <i>crawl<\/i>/);
  });

  it("say of a token that only robots.txt has that it is none", async () => {
    for (const [path, operator] of [
      ["/crawlers/google-extended", "Google"],
      ["/crawlers/applebot-extended", "Apple"],
    ] as const) {
      const { status, text } = await read(open, path);
      assert.equal(status, 200);
      assert.match(text, new RegExp(`A token for robots.txt, not a crawler. According to ${operator}`));
      assert.doesNotMatch(text, /developers\.google\.com&#39;s/);
    }
  });
});

/** The draft of an entry on a page, as a YAML parser reads it. */
function draftOf(page: string): unknown {
  const code = /data\/crawlers\/\S+\.yaml<\/summary>.*?<pre[^>]*>(.*?)<\/pre>/s.exec(page)?.[1] ?? "";
  const text = code.replace(/&(?:quot|lt|gt|amp|#39);/g, (entity) => entities[entity] as string);
  return (parse(text) as unknown[])[0];
}

const entities: Readonly<Record<string, string>> = {
  "&quot;": '"',
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&#39;": "'",
};
