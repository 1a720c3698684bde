/** The detector of the catalogue that this package was built with. */

import { alternatives } from "../generated/alternatives.ts";
import { anchored, entries, expression, familiar, unanchored, version } from "../generated/decision.ts";
import { identification, items } from "../generated/identification.ts";
import { strings } from "../generated/strings.ts";
import { createDetector } from "./detector.ts";
import type { ItemFacts } from "./identify.ts";
import type { Detector } from "./verdict.ts";

export const detector: Detector = createDetector({
  version,
  entries,
  expression,
  anchored: fromBase64(anchored),
  unanchored: fromBase64(unanchored),
  familiar,
  identification: () => fromBase64(identification),
  items: () => JSON.parse(items) as ItemFacts[],
  alternatives: () => alternatives,
  strings: () => strings,
});

/** A loop, for `Uint8Array.from` with a function takes ten times as long, which every start would pay. */
function fromBase64(text: string): Uint8Array {
  const chars = atob(text);
  const bytes = new Uint8Array(chars.length);
  for (let i = 0; i < chars.length; i++) bytes[i] = chars.charCodeAt(i);
  return bytes;
}
