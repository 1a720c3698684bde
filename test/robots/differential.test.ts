/** The matcher decides as robots-parser does, but for the known differences. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { compare } from "./differential.ts";

it("random files and URLs are decided as robots-parser decides, but for known differences", () => {
  const pairs = 20_000;
  const seed = Math.floor(Math.random() * 2 ** 32);
  const { disallowed, unexplained } = compare(pairs, seed);
  assert.deepEqual(unexplained, [], `with the seed ${seed}`);
  assert.ok(disallowed > pairs / 20, `${disallowed} are disallowed with the seed ${seed}`);
});
