/**
 * Which agents may sign for whom: hosts and key sets of the setting `verify-signers`, and agents of the catalogue. No other agent is
 * fetched.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Proof } from "../../src/detect/verification.ts";
import { parseSigner } from "../../src/verify/signature/agent-address.ts";
import { verifyVerdict } from "../../src/verify/verify-verdict.ts";
import { mark, testGolden } from "../support/golden.ts";
import { firefox } from "../support/user-agents.ts";
import { openVerifier } from "./open-verifier.ts";
import { createSigningAgent } from "./signing-agent.ts";

const agent = createSigningAgent();
const ip = "8.8.8.8";
const now = Date.parse("2026-11-22T00:00:00Z");
const page = "https://example.com/";
const proofs: readonly Proof[] = [
  { id: "chatgpt", crawlers: ["ChatGPT-User"], page, agents: ["chatgpt.example"], conclusive: [] },
  { id: "browsers", crawlers: [], operator: "Cloud Browsers", page, agents: ["browsers.example"], conclusive: [] },
];
const signers = ["https://agent.example", "https://agent.example/jwks.json?v=1", "https://agent.example/keys.json"];

/** A verifier; every address has the keys, and `asked` which were fetched. */
function create() {
  const asked: string[] = [];
  const verifier = openVerifier(
    { proofs, ranges: {} },
    {
      authority: ["shop.example"],
      signers: signers.map(parseSigner),
      now: () => now,
      get(url, ...more) {
        asked.push(url);
        return agent.get(url, ...more);
      },
    },
  );
  const verify = async (headers: Readonly<Record<string, string>>, useragent: string) =>
    (await verifyVerdict({ verifier, networks: undefined }, detector.check(useragent), { ip, headers }, 5000))
      .verification;
  return { verify, asked };
}

testGolden("verify/signers.txt", async (input) => {
  const [named = "", useragent = firefox] = input.split(" for ");
  const { verify, asked } = create();
  const headers = agent.sign(named.replace("[long]", "x".repeat(980)), { at: now });
  const { status, method, reason, agent: by } = (await verify(headers, useragent))!;
  const operator = by?.operator && ` of ${by.operator}`;
  const lines = [`${status} by ${method}: ${reason}`, by && `agent ${by.url}${operator ?? ""}`];
  return mark("|", [...lines, ...asked.map((url) => `fetched ${url}`)].filter(Boolean).join("\n"));
});

it("a person has no verification without a signature", async () => {
  const { verify, asked } = create();
  const signed = agent.sign('"https://agent.example"', { at: now });
  const { host, "signature-agent": named } = signed;
  const other = { "signature-input": 's=("@authority");tag="other"', signature: "s=:YQ==:" };
  for (const headers of [{ host }, { host, "signature-agent": named }, other])
    assert.equal(await verify(headers, firefox), undefined);
  assert.deepEqual(asked, []);
});
