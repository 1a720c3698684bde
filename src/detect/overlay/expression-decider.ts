/** Decides with the expressions of a few entries, which need no automata. */
import type { Decider } from "../decider.ts";
import { toText } from "../text.ts";

/** How many characters are made at a time: each is an argument of a call. */
const chunkBytes = 8192;

/** Makes a decider: what one of the expressions matches is a crawler's. */
export function createExpressionDecider(expressions: readonly string[]): Decider {
  // linear: consists of the catalogue's patterns
  const any = new RegExp(expressions.join("|"));
  const isCrawler: Decider["isCrawler"] = (useragent) => any.test(toText(useragent));
  return {
    isCrawler,
    // No pattern tells characters beyond ASCII apart, so that each byte may be a character.
    isCrawlerBytes: (useragent, from, to) => isCrawler(toLatin1(useragent?.subarray(from, to) ?? new Uint8Array())),
  };
}

function toLatin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += chunkBytes)
    text += String.fromCharCode(...bytes.subarray(at, at + chunkBytes));
  return text;
}
