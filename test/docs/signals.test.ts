/** docs/signals.md has a section for each signal, and its example answers what it says. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { signalIds } from "../../src/detect/signals.ts";
import { createService } from "../../src/service.ts";
import { post } from "../service/ask.ts";
import { openVerifier } from "../verify/open-verifier.ts";

const page = readFileSync(new URL("../../docs/signals.md", import.meta.url), "utf8");

it("docs/signals.md has a section for each signal, with the people who raise it", () => {
  const sections = page.split("\n## ").slice(1);
  const ids = sections.flatMap((section) => (section.includes("\nPeople: ") ? section.split("\n", 1) : []));
  assert.deepEqual(ids, [...signalIds]);
});

it("docs/signals.md shows what Check answers", async () => {
  const [, body = ""] = /-d '(\{[\s\S]*?\})'\n/.exec(page) ?? [];
  const [, answer = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const service = createService({ detector, verifier: openVerifier(detector.catalogue.verification) });
  const response = await post(service, "/RestService/Check/json", body);
  assert.deepEqual(await response.json(), JSON.parse(answer));
});
