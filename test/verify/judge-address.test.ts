/** Addresses that an own catalogue names: private ones verify, and nothing is refuted unless they are conclusive. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planOwn } from "../../src/compiler/own/compile-own.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createDetector } from "../../src/detect/create-detector.ts";
import { openVerifier } from "./open-verifier.ts";

const text = `crawlers:
  - { name: Acme Monitor, pattern: "AcmeMonitor/", category: monitor, examples: ["AcmeMonitor/2.1"] }
  - { name: Acme Import, pattern: "AcmeImport/", category: feed, examples: ["AcmeImport/2.1"] }
verification:
  - { crawlers: [Acme Monitor], ranges: [10.20.0.0/16, "fd00:1::/32", 8.8.8.0/24] }
  - { crawlers: [Acme Import], ranges: [10.20.0.0/16], conclusive: [ip-range] }`;
const { catalogue } = planOwn([{ path: "own.yaml", text }], detector.catalogue).finish(detector.catalogue, ".own");
const own = createDetector(catalogue);
const verifier = openVerifier(catalogue.verification);

describe("an own crawler", () => {
  for (const [useragent, ip, status, reason] of [
    ["AcmeMonitor/2.1", "10.20.3.4", "verified", "within 10.20.0.0/16 of the own catalogue"],
    ["AcmeMonitor/2.1", "fd00:1::7", "verified", "within fd00:1::/32 of the own catalogue"],
    ["AcmeMonitor/2.1", "8.8.8.8", "verified", "within 8.8.8.0/24 of the own catalogue"],
    [
      "AcmeMonitor/2.1",
      "9.9.9.9",
      "unverifiable",
      "not in the prefixes of the own catalogue, which need not be complete",
    ],
    ["AcmeMonitor/2.1", "10.21.3.4", "unverifiable", "10.21.3.4 is not a public address"],
    ["AcmeImport/2.1", "9.9.9.9", "spoofed", "not in the prefixes of the own catalogue"],
    ["AcmeImport/2.1", "10.21.3.4", "unverifiable", "10.21.3.4 is not a public address"],
    ["AcmeImport/2.1", "10.20.3.4", "verified", "within 10.20.0.0/16 of the own catalogue"],
  ] as const)
    it(`with ${useragent} from ${ip} is ${status}`, async () => {
      const verification = await verifier.verify(own.check(useragent), { ip }, 0);
      assert.deepEqual([verification?.status, verification?.reason], [status, reason]);
    });
});
