/** The detector of the catalogue that this package was built with. */

import { alternatives } from "../generated/alternatives.ts";
import { entries, expression, opening, search, version } from "../generated/decision.ts";
import { identification, signs } from "../generated/identification.ts";
import { strings } from "../generated/strings.ts";
import { createDetector, type SignFacts } from "./detector.ts";
import type { Detector } from "./verdict.ts";

export const detector: Detector = createDetector({
  version,
  entries,
  expression,
  opening: fromBase64(opening),
  search: fromBase64(search),
  identification: () => fromBase64(identification),
  signs: () => JSON.parse(signs) as SignFacts[],
  alternatives: () => alternatives,
  strings: () => strings,
});

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
