/** A verifier with the lists of addresses that it uses, and what keeps these up to date: for the service, the library and the command line. */
import { join } from "node:path";
import type { VerificationFacts } from "../detect/verification.ts";
import { createDefaultVerifier, type DefaultVerifierOptions } from "./default-verifier.ts";
import type { Verifier } from "./evidence.ts";
import { createGet } from "./https-get.ts";
import { createRangeLists, type RangeList, type RangeLists } from "./lists/range-lists.ts";
import { createRangeStore, type RangeStore } from "./lists/range-store.ts";
import { createRefresher, type Refresher } from "./lists/refresher.ts";

export interface RefreshingVerifierOptions extends Omit<DefaultVerifierOptions, "lists"> {
  /** Where lists are kept between runs. */
  readonly store: RangeStore;
  /** Lists that are in use already, by the ids of their proofs. */
  readonly known?: readonly (readonly [id: string, RangeList])[] | undefined;
  /** Called with a line about each list that cannot be refreshed or kept. */
  readonly report: (text: string) => void;
  /** From 0 to 1. */
  readonly random?: () => number;
}

export interface RefreshingVerifier {
  readonly verifier: Verifier;
  readonly lists: RangeLists;
  readonly refresher: Refresher;
}

/** Makes a verifier; its lists are those of the catalogue until the refresher adopts or downloads newer ones. */
export function createRefreshingVerifier(
  facts: VerificationFacts,
  { store, known, report, random = Math.random, ...parts }: RefreshingVerifierOptions,
): RefreshingVerifier {
  const { now = Date.now, get = createGet() } = parts;
  const lists = createRangeLists(facts.ranges, known);
  const refresher = createRefresher({ sources: facts.proofs, lists, get, store, now, random, report });
  return { verifier: createDefaultVerifier(facts, { ...parts, get, now, lists }), lists, refresher };
}

/** Keeps lists in a folder of a service's data folder, `ranges` for those of operators; without a folder, in memory only. */
export function openRangeStore(
  dataFolder: string | undefined,
  { isReadOnly = false, subfolder = "ranges" } = {},
): RangeStore {
  const store = dataFolder === undefined ? undefined : createRangeStore(join(dataFolder, subfolder));
  return {
    read: async (id) => store?.read(id),
    write: async (id, list) => (isReadOnly ? undefined : store?.write(id, list)),
  };
}
