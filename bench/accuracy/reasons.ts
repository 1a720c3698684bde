/** Why we are wrong about a string: what people have written down about its kind, or else what decided. */
import { check } from "../../src/index.ts";
import type { Wanted } from "./corpora.ts";

/** Says why strings of a kind are wrong, or why their label is. */
export interface Reason {
  readonly wanted: Wanted;
  /** A JavaScript expression. */
  readonly pattern: string;
  readonly why: string;
}

/** The function that gives the reason: the first of `reasons` that matches, or what an explanation tells. */
export function createReasoner(reasons: readonly Reason[]): (useragent: string, wanted: Wanted) => string {
  const written = reasons.map(({ wanted, pattern, why }) => ({ wanted, expression: new RegExp(pattern), why }));
  return (useragent, wanted) =>
    written.find((reason) => reason.wanted === wanted && reason.expression.test(useragent))?.why ?? observed(useragent);
}

function observed(useragent: string): string {
  const { crawler, explanation } = check(useragent, { explain: true });
  const items = explanation
    .filter(({ decides, heldBackBy }) => (crawler ? decides : heldBackBy !== undefined))
    .map(({ kind, name }) => `${kind} \`${name}\``);
  const told = [...new Set(items)].sort().join(", ");
  if (crawler) return `Decided by ${told}`;
  return told === "" ? "No pattern of the catalogue matches" : `Held back by exceptions: ${told}`;
}
