/**
 * The facts of a catalogue's entry that verdicts repeat: their types, what interfaces do with them, and their copies into
 * verdicts. A new fact needs a line in each, and in the schemas of verdicts (src/service/schemas.ts) and entries
 * (src/compiler/sources/schemas.ts).
 */

import type { Writable } from "../text/writable.ts";
import type { Category, Purpose } from "./categories.ts";

/** Facts of a crawler; unknown facts are absent. */
export interface CrawlerFacts {
  /** Who runs it. */
  readonly operator?: string;
  /** Present if the operator is only the site of the contact address, not a reviewed fact. */
  readonly operatorDerived?: true;
  /** Who makes the program, if anyone can run it: its requests are not the maker's. */
  readonly maker?: string;
  readonly category: Category;
  readonly purposes?: readonly Purpose[];
  readonly url?: string;
}

/** What the interfaces do with a fact. */
interface FactRow {
  /** The term of the fact in the lists of pages; a fact that explains another one has none. */
  readonly term?: string;
  /** Whether the record keeps the fact of each string; a fact that it keeps has a column in each store. */
  readonly isRecorded: boolean;
}

/** In the order of a verdict's members. The lists of pages and the table of SQL have these rows. */
export const factRows = {
  operator: { term: "Operator", isRecorded: true },
  operatorDerived: { isRecorded: false },
  maker: { term: "Maker", isRecorded: false },
  category: { term: "Category", isRecorded: true },
  purposes: { term: "Purposes", isRecorded: false },
  url: { term: "Documentation", isRecorded: false },
} as const satisfies Readonly<Record<keyof CrawlerFacts, FactRow> & Record<StatedFact, { readonly term: string }>>;

/** A fact that the record keeps. */
export type RecordedFact = {
  [Fact in keyof CrawlerFacts]-?: (typeof factRows)[Fact]["isRecorded"] extends true ? Fact : never;
}[keyof CrawlerFacts];

/** The longest name in data/ is a third as long. */
export const maxEntryNameLength = 200;

/** The names of all facts. */
export function factNames(): readonly (keyof CrawlerFacts)[] {
  return Object.keys(factRows) as (keyof CrawlerFacts)[];
}

/** A fact that the data states, and that reports, exports and comparisons repeat. */
export type StatedFact = Exclude<keyof CrawlerFacts, "operatorDerived">;

/** The names of the stated facts. */
export function statedFacts(): readonly StatedFact[] {
  return factNames().filter((name) => name !== "operatorDerived");
}

/** A copy of the stated facts. */
export function copyStatedFacts(from: CrawlerFacts): Pick<CrawlerFacts, StatedFact> {
  const copy: Partial<Writable<CrawlerFacts>> = {};
  addFacts(from, copy);
  const { operatorDerived: _, ...stated } = copy;
  return stated as Pick<CrawlerFacts, StatedFact>;
}

/** Adds the facts of `from` to `to`. Not a loop, because computed property names would take 50% longer. */
export function addFacts(from: CrawlerFacts, to: Partial<Writable<CrawlerFacts>>): void {
  if (from.operator !== undefined) to.operator = from.operator;
  if (from.operatorDerived !== undefined) to.operatorDerived = from.operatorDerived;
  if (from.maker !== undefined) to.maker = from.maker;
  if (from.category !== undefined) to.category = from.category;
  // A copy, so that callers cannot affect each other. Serializing a frozen array would take JSON.stringify two to four times longer.
  if (from.purposes !== undefined) to.purposes = from.purposes.slice();
  if (from.url !== undefined) to.url = from.url;
}
