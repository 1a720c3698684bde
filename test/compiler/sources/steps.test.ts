/** Reading a catalogue gives others their turn after a bounded number of tokens, whatever is in it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Composer, type CST, Parser } from "yaml";
import { toHostileCatalogues } from "../../../bench/service/hostile-texts.ts";
import { DataError } from "../../../src/compiler/sources/data-error.ts";
import { parseYamlInParts } from "../../../src/compiler/sources/yaml.ts";

/** Tokens that were read, and parts of tokens that were composed, since the last step. */
let units = 0;
const { next: read } = Parser.prototype;
const { next: compose } = Composer.prototype;

before(() => {
  Parser.prototype.next = function* (source) {
    units++;
    yield* read.call(this, source);
  };
  Composer.prototype.next = function* (this: Composer, token: CST.Token) {
    units += partsOf(token);
    yield* compose.call(this, token);
  } as typeof compose;
});
after(() => Object.assign(Parser.prototype, { next: read }) && Object.assign(Composer.prototype, { next: compose }));

function partsOf(token: CST.Token): number {
  const inside: object[] = [token];
  for (let count = 0; ; count++) {
    const part = inside.pop();
    if (part === undefined) return count;
    for (const value of Object.values(part)) if (typeof value === "object" && value !== null) inside.push(value);
  }
}

describe("units of work between two steps:", () => {
  for (const [name, text] of Object.entries(toHostileCatalogues(0.2)))
    it(name, () => {
      const steps = parseYamlInParts({ path: "a", text });
      let most = 0;
      let count = 0;
      try {
        for (let isDone = false; !isDone; count++) {
          units = 0;
          isDone = steps.next().done === true;
          most = Math.max(most, units);
        }
      } catch (error) {
        assert(error instanceof DataError, String(error));
      }
      assert.ok(Math.max(most, units) <= 45_000, `${most}`);
      // What is JSON is read token by token, most of which have few characters here.
      if (name.endsWith("JSON") && !name.includes("escapes")) assert.ok(count > text.length / 15_000, `${count} steps`);
    });
});
