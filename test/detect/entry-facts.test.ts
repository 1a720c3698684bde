/** Facts of entries that policies rest on: categories come from reviews, and names that two houses use are told apart. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readCatalogue, readSources } from "../../build/read-catalogue.ts";
import { check } from "../../src/index.ts";
import { rowsOf } from "../support/table.ts";

const strings = rowsOf(`
iaskspider/2.0 | iaskspider | iAsk.Ai | ai
iaskspider/2.0(+http://iask.com/help/help_index.html) | iaskspider (Sina) | Sina | search-engine
Mozilla/5.0 (compatible; ExaBot/1.0; +https://exa.ai/bot) | ExaBot (Exa) | Exa | ai
ExaBot/2.1 (+https://www.exa.ai) | ExaBot (Exa) | Exa | ai
Mozilla/5.0 (compatible; Exabot/3.0; +http://www.exabot.com/go/robot) | Exabot | Exalead | search-engine
Mozilla/5.0 (compatible; TikTokSpider; ttspider-feedback@tiktok.com) | TikTokSpider | ByteDance | preview
// Names tell the operator.
BingLocalSearchBot | BingLocalSearch | Microsoft | search-engine
Mozilla/5.0 (compatible; SinaWeiboBot/1.0) | SinaWeiboBot | Sina | other
Yahoo!-AdCrawler | Yahoo!-AdCrawler | Yahoo | advertising
CopperEgg/RevealUptime/Oregon | RevealUptime | CopperEgg | monitor
Super Monitoring | Super Monitoring | Super Monitoring | monitor
// An address that is mentioned is not the crawler's own name.
librabot/2.0 (+http://search.msn.com/msnbot.htm) | librabot | Microsoft | search-engine
Mozilla/5.0 (compatible; startmebot/1.0; https://start.me/bot)0; http://www.pinterest.com/bot.html) | startmebot | start.me | other
// The package calls these SEO crawlers.
Mozilla/5.0 (compatible; MegaIndex.ru/2.0; +http://megaindex.com/crawler) | MegaIndex.ru | MegaIndex | seo
RSiteAuditor | RSiteAuditor | DataForSEO | seo
Mozilla/5.0 (compatible; RepoLookoutBot/1.0.0; abuse reports to x) | RepoLookoutBot |  | security
Mollie HTTP client/1.0 | Mollie HTTP client | Mollie | other
Xenu Link Sleuth/1.3.8 | Xenu Link Sleuth |  | monitor
`).filter(([row = ""]) => !row.startsWith("// "));

describe("facts of entries", () => {
  for (const [useragent = "", name, operator = "", category] of strings)
    it(useragent, () => {
      const verdict = check(useragent);
      const stated = verdict.operatorDerived ? "" : (verdict.operator ?? "");
      assert.deepEqual([verdict.name, stated, verdict.category], [name, operator, category]);
    });

  it("of the package with the category seo are reviewed", () => {
    const labelled = readSources().upstream.filter(({ tags }) => tags?.includes("seo")).length;
    const reviewed = readSources()
      .corrections.text.split(/^- /m)
      .filter((text) => /^ {2}category: seo$/m.test(text));
    const kept = readCatalogue().entries.filter(
      ({ category, source }) => category === "seo" && source.startsWith("crawler-user-agents: "),
    );
    for (const { source } of kept) {
      const pattern = source.slice("crawler-user-agents: ".length);
      assert.ok(
        reviewed.some((text) => text.startsWith(`pattern: ${pattern}\n`) || text.startsWith(`pattern: '${pattern}'\n`)),
        pattern,
      );
    }
    assert.ok(kept.length > 0 && kept.length < labelled / 2, `${kept.length} of ${labelled}`);
  });
});
