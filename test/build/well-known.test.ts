/** data/well-known.yaml and data/robots-tokens.yaml: which names are entries', and which are not, as check:data checks. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { readRobotsTokens, readWellKnown } from "../../build/read-well-known.ts";
import { wellKnown } from "../../src/detect/built-in/items.ts";
import { readCatalogue } from "../support/remembered.ts";

const catalogue = readCatalogue();
const read = (text: string) => readWellKnown(catalogue, { path: "data/well-known.yaml", text });

it("has names of entries, which the build keeps in their order", () => {
  assert.deepEqual(readWellKnown(catalogue), wellKnown);
  assert.ok(wellKnown.length >= 40 && wellKnown.length <= 60, String(wellKnown.length));
});

for (const [text, problem] of [
  ["- GPTBot\n- GPTBott\n", "data/well-known.yaml:2: there is no entry named GPTBott"],
  ["- GPTBot\n- curl\n- GPTBot\n", "data/well-known.yaml:3: GPTBot appears twice"],
  ["- name: GPTBot\n", "data/well-known.yaml:1: a string is expected"],
] as const) {
  it(`is refused with the words: ${problem}`, () => assert.throws(() => read(text), { message: problem }));
}

const token = (name: string, crawler: string) =>
  `- { name: ${name}, operator: Foo, category: ai, purposes: [], url: "https://foo.example/bot", controls: nothing, crawler: ${crawler} }`;

for (const [text, problem] of [
  [
    token("gptbot", "curl"),
    "data/robots-tokens.yaml:1: gptbot is an entry, so requests carry this name; list only names that occur in robots.txt alone",
  ],
  [token("Foo-Extended", "Foo-Local"), "data/robots-tokens.yaml:1: there is no entry named Foo-Local"],
] as const) {
  const file = { path: "data/robots-tokens.yaml", text };
  it(`is refused with the words: ${problem}`, () =>
    assert.throws(() => readRobotsTokens(catalogue, file), { message: problem }));
}
