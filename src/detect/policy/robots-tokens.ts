/** Tokens that occur only in robots.txt: no request carries them, so no string is attributed to them. */
import { robotsTokens as text } from "../../generated/well-known.ts";
import type { Category, Purpose } from "../categories.ts";
import { SelectionError } from "./selection.ts";

export interface RobotsToken {
  readonly name: string;
  readonly operator: string;
  readonly category: Category;
  readonly purposes: readonly Purpose[];
  /** The operator's page that documents it. */
  readonly url: string;
  /** What a group with `Disallow: /` asks for. */
  readonly controls: string;
  /** The crawler whose pages it is about. */
  readonly crawler: string;
}

/** The tokens of data/robots-tokens.yaml. */
export const robotsTokens: readonly RobotsToken[] = /* @__PURE__ */ JSON.parse(text);

/** Throws SelectionError for a word that is such a token. */
export function refuseRobotsToken(option: string, word: string): void {
  const token = robotsTokenOf(word);
  if (token === undefined) return;
  throw new SelectionError(
    `\`${option}\` cannot name "${token.name}": it is only a robots.txt token, which no request carries. The pages are fetched by ${token.crawler}.`,
  );
}

/** The token of a policy's word, with or without `name:`; undefined if requests may carry the name. */
export function robotsTokenOf(word: string): RobotsToken | undefined {
  const name = word.replace(/^name:\s*/i, "").toLowerCase();
  return robotsTokens.find((token) => token.name.toLowerCase() === name);
}
