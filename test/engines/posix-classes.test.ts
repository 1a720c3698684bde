/** Classes in the POSIX flavor, whose special characters go by their place, match what they should in GNU grep and awk. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { anyChar, has, range, setOf } from "../../src/pattern/charset.ts";
import { flavors } from "../../src/pattern/flavors.ts";
import { print } from "../../src/pattern/print.ts";
import { one } from "../../src/pattern/tree.ts";
import { needs, provides } from "../support/needs.ts";
import { createRandom } from "../support/random-strings.ts";
import { byLines } from "./engine.ts";

const visible = Array.from({ length: 94 }, (_, i) => String.fromCharCode(i + 0x21));
const random = createRandom(31);

/** Sets in which the characters that are special in a class stand in every company, and what else they contain. */
const sets = Array.from({ length: 60 }, (_, i) => {
  const specials = [..."]^-\\[/"].filter((_, bit) => (i + 1) & (1 << bit)).map((char) => char.charCodeAt(0));
  const others = Array.from({ length: random(5) }, () => 0x21 + random(94));
  const set = setOf(...specials, ...others) | (random(3) ? 0n : range(0x61, 0x66));
  return random(3) ? set : anyChar & ~set;
});

const programs: Record<string, string[]> = {
  grep: ["grep", "-nE", "-f", "{}"],
  gawk: ["gawk", "-v", "file={}", "BEGIN { getline expression < file } $0 ~ expression { print NR }"],
};

describe("classes in the POSIX flavor", () => {
  for (const [program, command] of Object.entries(programs)) {
    // Debian has mawk instead.
    if (program === "gawk" && !provides(program)) continue;
    const skip = needs(program);
    it(`match what they should in ${program}`, { skip }, async () => {
      for (const set of sets) {
        const expression = `^(${print(one(set), flavors.posix)})$`;
        const answers = await byLines(command)(expression, visible);
        const wrong = visible.filter((char, i) => answers[i] !== has(set, char.charCodeAt(0)));
        assert.deepEqual(wrong, [], expression);
      }
    });
  }
});
