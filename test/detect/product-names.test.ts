/** A product gives the name where a library is in the remark or behind it, or a crawler's word in a remark or an address; the entry decides the rest. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { entryOf } from "../../src/detect/matched-entry.ts";
import { parseLimits } from "../../src/detect/policy/limits.ts";
import { parseWords, toSelection } from "../../src/detect/policy/selection.ts";
import { check } from "../../src/index.ts";
import type { Report } from "../../src/scan/report/report.ts";
import { createService } from "../../src/service.ts";
import { runHere } from "../cli/run-here.ts";

/** The formats are those that libraries and search engines document. */
const table = `
  Honda-Search/0.7.2 (Nutch; http://lucene.apache.org/nutch/bot.html; nutch-agent@lucene.apache.org) | Honda-Search
  CazoodleBot/Nutch-0.9-dev (CazoodleBot Crawler; http://www.cazoodle.com; mqbot@cazoodle.com) | CazoodleBot
  Zscho/Nutch-1.0-dev (Zscho.de Crawler) | Zscho
  Krugle/Krugle,Nutch/0.8+ (Krugle web crawler; http://www.krugle.com/crawler/info.html; webcrawler@krugle.com) | Krugle
  SearchEngine/Nutch-1.19 (https://search.example/about) | SearchEngine
  FooSearch/2.0 (based on Nutch; crawler@foo.example) | FooSearch
  Lucene-Index/1.1 (nutch 2.3; http://foo.example/) | Lucene-Index
  Ocelli/1.4 (http://www.globalspec.com/Ocelli; larbin) | Ocelli
  WebLeacher (larbin2.6.3@unspecified.mail) | WebLeacher
  foo_page (larbin2.6.3@unspecified.mail) | foo_page
  larbin_2.6.2 (larbin2.6.2@unspecified.mail) | larbin
  ExampleHarvest/0.9 (larbin; http://foo.example) | ExampleHarvest
  W3C-checklink/4.81 libwww-perl/5.836 | W3C-checklink
  W3C_Validator/1.305.2.148 libwww-perl/5.803 | W3C_Validator
  awstats-update/7.8 libwww-perl/6.72 | awstats-update
  webchk/2.11 libwww-perl/6.05 | webchk
  checkbot/1.80 libwww-perl/6.15 | checkbot
  amibot - http://foo.example - tech@foo.example libwww-perl/5.831 | amibot
  FooFetch/1.0 libwww-perl/6.43 (contact@foo.example) | FooFetch
  AppManager RPT-HTTPClient/0.3-3E | AppManager
  Oracle-Reports/6i RPT-HTTPClient/0.3-3 | Oracle-Reports
  Caddy/2.7.5 CertMagic acmez (linux; amd64) | Caddy
  crane/0.16.1 go-containerregistry/0.16.1 | crane
  httr2/0.2.2 r-curl/5.0.0 libcurl/7.81.0 | httr2
  my-app google-api-php-client/2.15.1 | my-app
  inventory/1.4 google-api-python-client/2.70.0 | inventory
  scan-images/3.2 Go-http-client/1.1 | scan-images
  FooReader/1.0 python-requests/2.31.0 | FooReader
  foo-sync/2.1 python-httpx/0.27.0 | foo-sync
  Tautulli/2.13 python-requests/2.28.1 | Tautulli
  FooCollector/4 aiohttp/3.9.3 | FooCollector
  ArticleScraper/1.0 Apache-HttpClient/4.5.14 (Java/17.0.9) | ArticleScraper
  OpenRefine/3.7 Apache-HttpClient/5.1.3 | OpenRefine
  Liferay/7.4 Jakarta Commons-HttpClient/3.1 | Liferay
  Heimdall/2.0 (Scrapy/2.11; +https://foo.example) | Heimdall
  FooNews/1.0 (+https://foo.example) Scrapy/2.5.1 | FooNews
  PhotoIndex/3 (crawler4j; http://foo.example/) | PhotoIndex
  FooDownloader/1.0 WWW-Mechanize/1.91 | FooDownloader
  FooAudit/1.1 (compatible; Indy Library) | FooAudit
  Mozilla/5.0 (compatible; FooIndex/2.0; Nutch-1.18; +https://foo.example) | FooIndex
  Mozilla/5.0 (compatible; FooBase/1.0; Indy Library) | FooBase
  Mozilla/5.0 (compatible; OpenindexDeepSpider/Nutch-1.5-dev; +http://www.openindex.io/en/webmasters/spider.html) | OpenindexDeepSpider
  Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; Indy Library) | Indy Library
  Mozilla/5.0 (Linux; Android 9; SM-G960F) AppleWebKit/537.36 (KHTML, like Gecko) AppEngine-Google; (+http://code.google.com/appengine) | Google App Engine
  Jakarta Commons-HttpClient/3.1 | Jakarta Commons-HttpClient
  Python/3.11 aiohttp/3.8.5 | aiohttp
  Foo/1.2 (reads robot_txt_error pages; http://foo.example) | Foo
  FooSearch/1.0 (see robot_txt_error at http://foo.example) | FooSearch
  LinkWalker/3.0 (It-bot; http://www.seventwentyfour.com) | LinkWalker
  FooArchive/2.0 (draftBot; archive@foo.example) | FooArchive
  foo-agent/0.1 (webcrawl-team@foo.example) | foo-agent
  FooBase/1.1 (spiderman@foo.example) | FooBase
  FooLab/0.3 (robots-admin at foo dot example) | FooLab
  FooIndex/1 (mailto:crawler-team@foo.example) | FooIndex
  Foo Research/1.0 (not-a-bot; jane@foo.example) | Foo Research
  FooMap/3.1 (+mapbot@foo.example) | FooMap
  Mozilla/5.0 (compatible; FooScope/1.0; my.bot@foo.example) | FooScope
  Mozilla/5.0 (compatible; FooMirror/2.0; robot_txt_error) | FooMirror
  Mozilla/5.0 (compatible; Foo/1.0; +http://foo.example/crawl; spider@foo.example) | Foo
  foo.example/2.0 (betaCrawler) | foo.example
`;
const rows = table
  .trim()
  .split("\n")
  .map((row) => row.trim().split(" | ") as [useragent: string, name: string]);

describe("the product is the name", () => {
  for (const [useragent, name] of rows) it(useragent, () => assert.equal(check(useragent).name, name));
});

describe("Honda-Search, which is made with Nutch", () => {
  const honda = check(rows[0]![0]);
  const nutch = check("Nutch/1.19");
  const { items } = detector.catalogue;
  const service = createService({ detector });

  it("has the facts of Nutch's entry, and no other members", () => {
    assert.equal(entryOf(honda), "Apache Nutch");
    const { useragent, name, match, ...facts } = JSON.parse(JSON.stringify(honda));
    const { useragent: _, name: __, match: ___, ...expected } = JSON.parse(JSON.stringify(nutch));
    assert.deepEqual(facts, expected);
  });

  it("is selected and limited by the entry, and selected by its own name", () => {
    for (const word of ["Apache Nutch", "name:Honda-Search", "library"])
      assert.ok(toSelection(parseWords(word, items))(honda), word);
    const count = parseLimits([["Apache Nutch", "30/m"]], "name", items);
    assert.deepEqual(count(honda), count(nutch));
    assert.notEqual(count(honda), undefined);
  });

  it("is refused by a service that refuses Apache Nutch", async () => {
    const headers = { "user-agent": rows[0]![0] };
    const ask = (block: string) => service.fetch(new Request(`http://localhost/auth?block=${block}`, { headers }));
    const answers = [await ask("Apache%20Nutch"), await ask("larbin")];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get("x-crawler-name")]),
      [
        [403, "Honda-Search"],
        [204, "Honda-Search"],
      ],
    );
  });

  it("is counted as Apache Nutch by a scan, which can select it by that name", async () => {
    const { stdout } = await runHere(
      ["scan", "-", "--log-format", "plain", "--crawler", "Apache Nutch", "--format", "json"],
      rows[0]![0],
    );
    assert.deepEqual(
      (JSON.parse(stdout) as Report).crawlers.map(({ name, requests }) => [name, requests]),
      [["Apache Nutch", 1]],
    );
  });
});
