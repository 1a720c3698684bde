/** Names are whole: what a crawler calls itself, not what is found within another word, and no word of a browser or platform. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check } from "../../src/index.ts";
import { rowsOf } from "../support/table.ts";

const phone =
  "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36";
const desktop =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36";

/** Strings and their names; `\u202e` reverses what follows. */
const names = rowsOf(`
Alexabot/1.0 | Alexabot
Snapbot/1.0 | Snapbot
KomodiaBot/1.0 | KomodiaBot
SemanticBot/2.0 | SemanticBot
RevealFetcher/1.0 | RevealFetcher
UASlinkChecker/1.0 | UASlinkChecker
COMODO SSL Checker | COMODO SSL Checker
Checker |
robots.txt |
Fake-Googlebot/1.0 | Fake-Googlebot
Mozilla/5.0 (compatible; FooBot/1.0; compatible with Googlebot) | FooBot
Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html) | Googlebot
Mozilla/5.0 (compatible; Foo/1.0) | Foo
Mozilla/5.0 (Foo-Local) | Foo-Local
Mozilla/5.0 (Windows NT 6.1; rv:2.0; +http://foo.example) Gecko/20100101 Firefox/4.0 | foo.example
Foo/1.0 (jane@example.com) | Foo
Foobar Local/1.0 | Foobar Local
FoobarBot v. 1.2 | FoobarBot
Foobar v/0.01 | Foobar
// Words of what it is name a crawler only together with its own.
foo Screenshot/0.10 | foo Screenshot
Foo News Aggregator/2.7 | Foo News Aggregator
myFoo.example Website Monitoring 2 | myFoo.example Website Monitoring
Foo Page Checker (https://foo.example) | Foo Page Checker
Favicon downloader (https://foo.example/bot.html) | foo.example
Foo/1.0 (page scanner) | Foo
robot;Foo;jane@foo.example | Foo
Foo - Shopping Search Engine/0.9 (+http://foo.example) | Foo
Foo is an engine which fetches your pages (http://foo.example) | Foo
Evil\u202eFooBot/1.0 | Evil
The Foo Reaper (http://foo.example) | Foo Reaper
python/unicode Foo/0.2 | Foo
foo/1.8 CPython/3.6 | foo
foo/reporting-script-2.0 | foo
1st.example/0.01 (+http://1st.example/bot.html) | 1st.example
// Of an address without a name before it, the site.
jane@foo.example | foo.example
Mozilla/4.0 (info@foo.example) | foo.example
Mozilla/5.0 (compatible; Crawler/0.9; http://foo.example/) | foo.example
Mozilla/5.0 (compatible; +https://www.foo.example/spider.html) | foo.example
Mozilla/5.0 (compatible; +http://github.com/jane/foo/wiki) | foo
jane@gmail.com |
// Neither is a mail address that is written out, nor what stands behind a plus.
Foo/0.1.0, jane at cs dot example dot ac dot uk | Foo
Foo Scout&v4.0 - scout at foo dot example | Foo Scout
Mozilla/5.0 (compatible; FooPants/1.0; Linux; +info@foo.example) KHTML/3.5.5 (like Gecko) | FooPants
dubaifoo (foo.example.com) | dubaifoo
FOOD (github.com/jane/food) | FOOD
// A program begins with its name. Behind it, only words of crawlers are names.
Foobar Integration Services | Foobar Integration Services
Foobar.example Automated Web Accessibility Tester | Foobar.example Automated Web Accessibility Tester
Foobar/1.01 Page Staleness Detector | Foobar
foobar.example RSS reader - 6 subscribers | foobar.example RSS reader
Foobar/3.0.16 (darwin arm64) | Foobar
Foobar/RevealFetcher/London | RevealFetcher
foobar.example/site-scraping | foobar.example
Interfoo AntiSpamBot/2.0 (+http://foo.example) | Interfoo AntiSpamBot
Fooer, the Foobar ImageBot (http://foo.example/) | Foobar ImageBot
WWW::Foobar::Feed/0.02 | WWW::Foobar::Feed
Web Downloader/6.9 | Web Downloader
// Systems, marks, builds, languages and clients are no names.
wget FreeBSD | wget
Java(TM) 2 Runtime Environment, Standard Edition | Java
iTunes/9.0.3 (Macintosh; U; Intel Mac OS X 10_6_2; en-ca) (Foo Casts Feed Crawler) | Foo Casts Feed Crawler
Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1); Connect Us: jane@foo.example | foo.example
Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1 + Foobar-http://foo.example) | Foobar
Mozilla/5.0 (compatible; FooChaos/0.3.0; +In_the_test,_if_it_brings_trouble,_please_add_it_to_the_robots.txt._Thanks.) | FooChaos
Mozilla/5.0 (en-us) AppleWebKit/537.36 (KHTML, like Gecko; Foobar PP Default) Chrome/27.0.1453 Safari/537.36 | Foobar PP Default
// A phone's model is no name.
DoCoMo/2.0 P900i(c100;TB;W24H11) (compatible; Foo/mobile; +http://foo.example/help/) | Foo
NokiaN70/1.0 FooCrawl/6.6 Profile/MIDP-2.0 Configuration/CLDC-1.1 | FooCrawl
Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/534.34 (KHTML, like Gecko) Qt/4.8.3 Safari/534.34 https://foo.example | foo.example
${phone} (compatible; FooBot/2.1; +http://foo.example/bot) | FooBot
${phone} (compatible; +http://foo.example/bot) | foo.example
${desktop} (FooLocal) | FooLocal
Anonymous, ${desktop} | Anonymous
`).filter(([row = ""]) => !row.startsWith("// "));

describe("names are whole", () => {
  it("a word of more than 100 characters is no name", () => {
    for (const [word, name] of [
      ["Bot".repeat(20), "Bot".repeat(20)],
      ["Bot".repeat(34), "evil"],
      ["Bot".repeat(400), undefined],
    ] as const) {
      const verdict = check(`evil ${word}`);
      assert.deepEqual([verdict.crawler, verdict.name], [true, name]);
    }
  });

  for (const [useragent = "", name = ""] of names)
    it(useragent, () => {
      const verdict = check(useragent);
      assert(verdict.crawler);
      assert.equal(verdict.name ?? "", name);
      // The record finds the strings of a name by it.
      assert.ok(useragent.includes(verdict.name ?? ""));
    });

  it("who names Googlebot and is another has not Google for an operator", () => {
    for (const useragent of ["Fake-Googlebot/1.0", "Mozilla/5.0 (compatible; FooBot/1.0; compatible with Googlebot)"]) {
      const verdict = check(useragent);
      assert(verdict.crawler);
      assert.equal(verdict.operator, undefined);
    }
  });
});
