/** Gives verdicts of a few entries without automata: their expressions are tried one after another. */
import type { ItemFacts } from "../compiled-catalogue.ts";
import { addFacts } from "../facts.ts";
import { toText } from "../text.ts";
import type { CrawlerVerdict, Detector, Verdict } from "../verdict.ts";

/** The parts that decide and name. */
export type Verdicts = Pick<Detector, "isCrawler" | "isCrawlerBytes" | "check">;

/** Items and their expressions: of the catalogue, of an overlay, or of what is below it. */
export interface Part {
  readonly items: readonly ItemFacts[];
  readonly expressions: readonly string[];
}

/** How many characters are made at a time: each is an argument of a call. */
const chunkBytes = 8192;

/** Makes the functions that give verdicts; all others are people's. */
export function createExpressionVerdicts(part: () => Part): Verdicts {
  let finders: ((text: string) => CrawlerVerdict | undefined)[] | undefined;
  let any: RegExp | undefined;
  const isCrawler: Verdicts["isCrawler"] = (useragent) => {
    // linear: consists of the catalogue's patterns
    any ??= new RegExp(part().expressions.join("|"));
    return any.test(toText(useragent));
  };
  return {
    isCrawler,
    // No pattern tells characters beyond ASCII apart, so that each byte may be a character.
    isCrawlerBytes: (useragent, from, to) => isCrawler(toLatin1(useragent?.subarray(from, to) ?? new Uint8Array())),
    check(useragent): Verdict {
      const text = toText(useragent);
      if (!isCrawler(text)) return { useragent: text, crawler: false };
      if (finders === undefined) {
        const { items, expressions } = part();
        finders = items.map((item, index) => createFinder(item, expressions[index]!));
      }
      for (const find of finders) {
        const verdict = find(text);
        if (verdict !== undefined) return verdict;
      }
      return { useragent: text, crawler: false };
    },
  };
}

function createFinder(item: ItemFacts, source: string): (text: string) => CrawlerVerdict | undefined {
  const { name, pattern, match = pattern.length } = item;
  // linear: consists of the catalogue's patterns
  const expression = new RegExp(source);
  // linear: consists of the catalogue's patterns
  const located = typeof match === "number" ? undefined : new RegExp(match === "^" ? source : match, "g");
  return (useragent) => {
    const found = expression.exec(useragent);
    if (found === null) return undefined;
    let [from, to] = [found.index, found.index + found[0].length];
    // The match excludes the left context of the pattern, such as a blank.
    if (typeof match === "number") from = to - match;
    else if (located !== undefined) {
      located.lastIndex = from;
      const inner = located.exec(useragent);
      if (inner !== null) [from, to] = [inner.index, inner.index + inner[0].length];
    }
    const facts = { useragent, crawler: true, ...(name !== undefined && { name }), category: item.category } as const;
    addFacts(item, facts);
    return { ...facts, pattern, match: useragent.slice(from, to) };
  };
}

function toLatin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += chunkBytes)
    text += String.fromCharCode(...bytes.subarray(at, at + chunkBytes));
  return text;
}
