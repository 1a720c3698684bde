/** The decoded tables of any catalogue in memory that threads share, so that only the first one decodes them. */
import { createMatcher } from "../../detect/automaton/matcher.ts";
import { decodeTable, type Table } from "../../detect/automaton/tables.ts";
import type { CompiledCatalogue, ItemFacts } from "../../detect/compiled-catalogue.ts";
import { createIdentifier } from "../../detect/identify.ts";
import { layersOf } from "../../detect/overlay/create-verdicts.ts";
import type { Verdict } from "../../detect/verdict.ts";

/** Can be sent to another thread: the tables of each layer of a catalogue, in the order of precedence. */
export interface SharedTables {
  readonly layers: readonly SharedLayer[];
}

interface SharedLayer {
  readonly unanchored: Table;
  readonly anchored: readonly Table[];
  readonly familiar: RegExp | undefined;
  readonly nameIndex: readonly string[];
  readonly items: readonly ItemFacts[];
}

/** Throws RangeError for damaged tables, and for an overlay that has none. */
export function shareTables(catalogue: CompiledCatalogue): SharedTables {
  const layers = layersOf(catalogue).map(({ deciding, nameIndex, items }) => {
    if (deciding === undefined) throw new RangeError("an extended detector has no tables");
    const { unanchored, anchored, familiar } = deciding;
    return {
      unanchored: share(decodeTable(unanchored)),
      anchored: anchored.map((table) => share(decodeTable(table))),
      // linear: consists of the catalogue's patterns
      familiar: familiar === undefined ? undefined : new RegExp(familiar, "y"),
      nameIndex,
      items,
    };
  });
  return { layers };
}

/** Copies the arrays of a table to shared memory. */
function share<T extends object>(table: T): T {
  const members = Object.entries(table).map(([name, value]) => [name, toShared(value)]);
  return Object.fromEntries(members) as T;
}

function toShared(value: unknown): unknown {
  if (value instanceof Uint16Array) return copyTo(new Uint16Array(new SharedArrayBuffer(value.byteLength)), value);
  if (value instanceof Int32Array) return copyTo(new Int32Array(new SharedArrayBuffer(value.byteLength)), value);
  return value;
}

function copyTo<T extends { set(from: ArrayLike<number>): void }>(shared: T, from: ArrayLike<number>): T {
  shared.set(from);
  return shared;
}

/** Makes the function that gives verdicts, as createCheck does. */
export function createSharedCheck({ layers }: SharedTables): (useragent: string) => Verdict {
  const all = layers.map(({ unanchored, anchored, familiar, ...naming }) => ({
    matcher: createMatcher(unanchored, anchored, familiar),
    identify: createIdentifier(naming),
  }));
  return (useragent) => {
    for (const { matcher, identify } of all) if (matcher.test(useragent)) return identify(useragent);
    return { useragent, crawler: false };
  };
}
