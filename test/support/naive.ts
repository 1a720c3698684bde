/**
 * What patterns mean, by the definition and without an engine or an automaton: the slow specification that tests compare with.
 * Shares with the sources nothing but the tree.
 */
import { end, has, nonAscii, start } from "../../src/pattern/charset.ts";
import type { Tree } from "../../src/pattern/tree.ts";

/** A string as symbols: its start, its characters, its end. */
export function toSymbols(text: string): number[] {
  return [start, ...Array.from({ length: text.length }, (_, i) => Math.min(text.charCodeAt(i), nonAscii)), end];
}

/** Where the matches of `tree` that begin at `from` end; each place once. */
export function ends(tree: Tree, symbols: readonly number[], from: number): number[] {
  switch (tree.type) {
    case "set":
      return from < symbols.length && has(tree.set, symbols[from]!) ? [from + 1] : [];
    case "alt":
      return [...new Set(tree.items.flatMap((item) => ends(item, symbols, from)))];
    case "seq": {
      let places = [from];
      for (const item of tree.items) places = [...new Set(places.flatMap((place) => ends(item, symbols, place)))];
      return places;
    }
    case "repeat": {
      let places = [from];
      const found = new Set(tree.min === 0 ? places : []);
      for (let times = 1; times <= tree.max && places.length > 0; times++) {
        const next = [...new Set(places.flatMap((place) => ends(tree.item, symbols, place)))];
        // Past the minimum only new places matter; before it an item that matches nothing may stay where it is.
        places = times > tree.min ? next.filter((place) => !found.has(place)) : next;
        if (times >= tree.min) for (const place of places) found.add(place);
      }
      return [...found];
    }
  }
}

export type Occurrence = readonly [from: number, to: number];

/** Every occurrence of `tree`. */
export function occurrences(tree: Tree, symbols: readonly number[]): Occurrence[] {
  return symbols.flatMap((_, from) => ends(tree, symbols, from).map((to): Occurrence => [from, to]));
}

/** Whether `tree` occurs in `text` outside of every occurrence of an exception. */
export function occurs(tree: Tree, text: string, exceptions: readonly Tree[] = []): boolean {
  const symbols = toSymbols(text);
  const excluded = exceptions.flatMap((exception) => occurrences(exception, symbols));
  return occurrences(tree, symbols).some(([from, to]) => !excluded.some(([f, t]) => f <= from && to <= t));
}
