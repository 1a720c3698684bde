/** Words of policies that choose requests of every client, people included, such as `network:hosting`: `family:id`. */

import { didYouMean, nearestWord } from "../../text/nearest-word.ts";
import { quote } from "../../text/plain-text.ts";
import { signalIds } from "../signals.ts";
import type { Verdict } from "../verdict.ts";
import { networkKinds } from "../verification.ts";
import { SelectionError } from "./selection.ts";

interface Family {
  readonly ids: readonly string[];
  isChosen(verdict: Verdict, id: string): boolean;
}

const families = {
  network: { ids: networkKinds, isChosen: ({ network }, id) => network?.kind === id },
  signal: { ids: signalIds, isChosen: ({ signals = [] }, id) => signals.some((signal) => signal.id === id) },
} as const satisfies Readonly<Record<string, Family>>;

type FamilyName = keyof typeof families;

/** Why no request has what a family's words choose, such as the networks of clients; absent for a family whose words can be used. */
export type MissingFamilies = { readonly [Name in FamilyName]?: string | undefined };

/** Whether a word begins with the name of a family. */
export function isRequestWord(word: string): boolean {
  return familyOf(word) !== undefined;
}

/** All words of the families that are not missing. */
export function requestWords(missing: MissingFamilies): string[] {
  return familyNames
    .filter((name) => missing[name] === undefined)
    .flatMap((name) => families[name].ids.map((id) => `${name}:${id}`));
}

/** Reads one word; throws SelectionError for an id that the family does not have, and for words of a missing family. */
export function parseRequestWord(
  option: string,
  word: string,
  missing: MissingFamilies,
): (verdict: Verdict) => boolean {
  const name = familyOf(word)!;
  const family: Family = families[name];
  const text = word
    .slice(name.length + 1)
    .trim()
    .toLowerCase();
  const id = family.ids.find((id) => id === text);
  if (id === undefined) {
    const nearest = nearestWord(text, family.ids);
    const words = family.ids.map((id) => `${name}:${id}`).join(", ");
    throw new SelectionError(
      `\`${option}\` has the unknown word ${quote(word)}.${didYouMean(nearest && `${name}:${nearest}`)} There are ${words}.`,
    );
  }
  const why = missing[name];
  if (why !== undefined)
    throw new SelectionError(`\`${option}\` cannot name ${JSON.stringify(`${name}:${id}`)}: ${why}`);
  return (verdict) => family.isChosen(verdict, id);
}

const familyNames = Object.keys(families) as readonly FamilyName[];

function familyOf(word: string): FamilyName | undefined {
  const lower = word.toLowerCase();
  return familyNames.find((name) => lower.startsWith(`${name}:`));
}
