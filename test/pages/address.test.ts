/** The field for an address on `/`, a form without scripts, and the headline of names that are spoofed; content.test.ts has the rest. */
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

it("verifies a crawler by its address", async () => {
  const page = await read(createService({ verifier }), "?useragent=GPTBot/1.2&ip=74.7.241.7");
  assert.match(
    page,
    /<h2>GPTBot, OpenAI&#39;s AI training crawler<.*<b>Verified: the request is from this crawler<\/b>/s,
  );
});

it("shows again what is no address", async () => {
  const page = await read(createService({ verifier }), "?useragent=GPTBot/1.2&ip=%3Cscript%3E");
  assert.match(page, /value="&lt;script&gt;"[\s\S]*role="alert"/);
});

it("has a headline for a spoofed name", () => {
  const verdict = { ...detector.check("Googlebot/2.1"), name: "<b>" } as Verdict;
  const { text } = toVerdictHtml(verdict, { entries: 1, rules: 1 }, "spoofed");
  assert.match(text, /<h2>Claims to be &lt;b&gt;: spoofed</);
});

it("is there without a question, and absent without a verifier", async () => {
  assert.match(await read(createService({ verifier }), ""), /<input id="ip" name="ip" value=""/);
  assert.doesNotMatch(await read(createService(), ""), /id="ip"/);
});
