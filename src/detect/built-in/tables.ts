/**
 * The tables that decide and name, read from the text of generated modules, which keeps bundles small. In dist/, Node and Bun use
 * src/catalogue/packed-tables.ts instead of this module, which loads ten times faster (build/bundle.ts).
 */
import { anchored, familiar, unanchored } from "../../generated/decision.ts";
import type { Finders } from "../compiled-catalogue.ts";
import { type DecidingRows, openRows } from "../decider.ts";
import { readFinders } from "../name-index.ts";
import { nameIndex } from "./items.ts";

/** The automata; read at each call. */
export function decidingRows(): DecidingRows {
  return openRows({ unanchored, anchored, familiar });
}

/** The index by which crawlers are named; read at each call. */
export function finders(): Finders {
  return readFinders(nameIndex());
}
