/** `allow: "verified"` lets verified crawlers pass although `block` names them: the warning, and the policies without it. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { crawlers } from "../../src/adapters/express.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { findCancelledBlock } from "../../src/detect/policy/policy.ts";
import { createForwarded } from "../../src/server/listen/client-address.ts";
import { createService } from "../../src/service.ts";
import { createVerifier } from "../../src/verify.ts";
import { openVerifier } from "../verify/open-verifier.ts";

it("is found by its words", () => {
  const found = findCancelledBlock({ block: "ai:training,spoofed", allow: "Verified" });
  assert.match(found ?? "", /names them: ai:training\. /);
  const both = findCancelledBlock({ block: ["seo", "GPTBot"], allow: ["bingbot", "verified"] });
  assert.match(both ?? "", /seo, GPTBot\. /);
  for (const words of [
    {},
    { block: "ai" },
    { block: "ai", allow: "GPTBot" },
    { block: "spoofed,unproven,network:tor", allow: "verified" },
    { block: "all", allow: "verified" },
  ])
    assert.equal(findCancelledBlock(words), undefined);
});

it("is a warning of the process, once, in middleware", async () => {
  const warnings: string[] = [];
  const listener = ({ message }: Error) => void warnings.push(message);
  process.on("warning", listener);
  const verifier = createVerifier();
  for (let times = 0; times < 2; times++) crawlers({ verifier, block: "ai:training", allow: "verified" });
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listener);
  assert.equal(warnings.filter((text) => /verified crawlers pass although `block` names them/.test(text)).length, 1);
});

it("is logged once by /auth", async () => {
  const logged: unknown[] = [];
  const verifier = openVerifier(detector.catalogue.verification);
  const service = createService({
    detector,
    verifier,
    forwarded: createForwarded(1),
    onRequest: ({ warning }) => void logged.push(warning),
  });
  for (let times = 0; times < 2; times++)
    await service.fetch(new Request("http://localhost/auth?block=ai&allow=verified"));
  assert.match(String(logged[0]), /The \/auth policy: `allow` has "verified"/);
  assert.equal(logged[1], undefined);
});
