/** The field for an address on `/`: a form without scripts, and what it says of a crawler. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import { toVerdictHtml } from "../../src/pages/try/verdict-view.ts";
import { createService } from "../../src/service.ts";
import { openVerifier } from "../verify/open-verifier.ts";

const verifier = openVerifier(detector.catalogue.verification, { now: () => Date.parse("2026-05-06") });
const read = async (service: ReturnType<typeof createService>, query: string) =>
  (await service.fetch(new Request(`http://localhost/${query}`), { address: "192.0.2.1" } as never)).text();

const cases: readonly (readonly [useragent: string, ip: string, says: RegExp])[] = [
  ["GPTBot/1.2", "74.7.241.7", /<b>Verified: the request is from this crawler<\/b>/],
  ["GPTBot/1.2", "10.0.0.1", /<b>Unverifiable: neither is proved<\/b>.*10\.0\.0\.1 is not a public address/],
  ["GPTBot/1.2", "74.7.241.7:443", /role="alert"><bdi>74\.7\.241\.7:443<\/bdi> is not an IPv4 or IPv6 address/],
  ["GPTBot/1.2", "<script>", /value="&lt;script&gt;"[\s\S]*role="alert"/],
  ["Firefox/140.0", "8.8.8.8", /Nothing is known of this address/],
];

/** From the address, the headline. */
const headlines: readonly (readonly [useragent: string, ip: string, headline: string])[] = [
  ["GPTBot/1.2", "74.7.241.7", "GPTBot, OpenAI&#39;s AI training crawler"],
  ["Googlebot/2.1", "10.0.0.1", "Claims to be Googlebot: not proved"],
  ["EvilBot/1.0", "8.8.8.8", "Claims to be EvilBot: not proved"],
  ["curl/8.5.0", "8.8.8.8", "curl, an HTTP library"],
  ["Firefox/140.0", "8.8.8.8", "A person&#39;s browser or app"],
];

for (const [useragent, ip, headline] of headlines)
  it(`has the headline ${headline} for ${useragent} from ${ip}`, async () => {
    const page = await read(createService({ verifier }), `?${new URLSearchParams({ useragent, ip })}`);
    assert.equal(/<article.*?<h2>(.*?)<\/h2>/s.exec(page)?.[1], headline);
  });

it("has a headline for a spoofed name", () => {
  const verdict = { ...detector.check("Googlebot/2.1"), name: "<b>" } as Verdict;
  const { text } = toVerdictHtml(verdict, { entries: 1, rules: 1 }, "spoofed");
  assert.match(text, /<h2>Claims to be &lt;b&gt;: spoofed</);
});

for (const [useragent, ip, says] of cases)
  it(`says of ${useragent} from ${ip}: ${says}`, async () => {
    const query = new URLSearchParams({ useragent, ip });
    assert.match(await read(createService({ verifier }), `?${query}`), says);
  });

it("is there without a question, and absent without a verifier", async () => {
  assert.match(await read(createService({ verifier }), ""), /<input id="ip" name="ip" value=""/);
  assert.doesNotMatch(await read(createService(), ""), /id="ip"/);
});
