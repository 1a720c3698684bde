/** Strings that make naming work hardest: of all literals of the index of names, and of the letters that it looks for. */

import { lettersSize } from "../../src/detect/name-index.ts";

/** By name. `lines` are those of the index (src/detect/name-index.ts). */
export function hardStrings(lines: readonly string[]): ReadonlyMap<string, string> {
  const finders = lines.flatMap((line) => {
    const [expression, ...all] = line.split("\t");
    return all.filter((finder) => !finder.startsWith("~")).map((finder) => ({ finder, isPlain: expression === "" }));
  });
  const literals = finders.map(({ finder }) => finder.slice(2));
  const letters = finders.map(({ finder }) => finder.slice(2 + finder.charCodeAt(1) - 0x30).slice(0, lettersSize));
  // A name behind a letter is none of an entry that has no other expression.
  const tried = finders.filter(({ isPlain }) => !isPlain).map(({ finder }) => finder.slice(2));
  const anywhere = finders.filter(({ finder }) => finder.startsWith("*")).map(({ finder }) => finder.slice(2));
  const once = new Map([
    ["all literals", literals.join(" ")],
    ["all literals, the last first", literals.toReversed().join("x")],
    ["all literals of expressions", `x${tried.join("x")}x`],
    ["all literals after an unbounded beginning", `x${anywhere.join("x")}x`],
    ["all rare letters", letters.join("")],
  ]);
  const repeated = [...once].map(
    ([name, text]) => [`${name}, 64 kB`, text.repeat(Math.ceil(65_536 / text.length))] as const,
  );
  return new Map([...once, ...repeated]);
}
