/** The decoded tables of any catalogue in memory that threads share, so that only the first one decodes them. */
import { type CompactTable, decodeCompact } from "../../detect/automaton/compact.ts";
import { createMatcher } from "../../detect/automaton/matcher.ts";
import { decodeTable, type Table } from "../../detect/automaton/tables.ts";
import type { CompiledCatalogue, ItemFacts } from "../../detect/compiled-catalogue.ts";
import { createIdentifier } from "../../detect/identify.ts";
import type { Verdict } from "../../detect/verdict.ts";

/** Can be sent to another thread. */
export interface SharedTables {
  readonly unanchored: Table;
  readonly anchored: readonly Table[];
  readonly familiar: RegExp | undefined;
  readonly identification: CompactTable;
  readonly items: readonly ItemFacts[];
}

/** Throws RangeError for damaged tables. */
export function shareTables(catalogue: Pick<CompiledCatalogue, "deciding" | "identification" | "items">): SharedTables {
  const { unanchored, anchored, familiar } = catalogue.deciding;
  return {
    unanchored: share(decodeTable(unanchored)),
    anchored: anchored.map((table) => share(decodeTable(table))),
    familiar: familiar === undefined ? undefined : new RegExp(familiar, "y"),
    identification: share(decodeCompact(catalogue.identification)),
    items: catalogue.items,
  };
}

/** Copies the arrays of a table to shared memory. */
function share<T extends object>(table: T): T {
  const members = Object.entries(table).map(([name, value]) => [name, toShared(value)]);
  return Object.fromEntries(members) as T;
}

function toShared(value: unknown): unknown {
  if (value instanceof Uint8Array) return copyTo(new Uint8Array(new SharedArrayBuffer(value.byteLength)), value);
  if (value instanceof Uint16Array) return copyTo(new Uint16Array(new SharedArrayBuffer(value.byteLength)), value);
  if (value instanceof Int32Array) return copyTo(new Int32Array(new SharedArrayBuffer(value.byteLength)), value);
  return value;
}

function copyTo<T extends { set(from: ArrayLike<number>): void }>(shared: T, from: ArrayLike<number>): T {
  shared.set(from);
  return shared;
}

/** Makes the function that gives verdicts, as createCheck does. */
export function createSharedCheck(tables: SharedTables): (useragent: string) => Verdict {
  const matcher = createMatcher(tables.unanchored, tables.anchored, tables.familiar);
  const identify = createIdentifier(tables.identification, tables.items);
  return (useragent) => (matcher.test(useragent) ? identify(useragent) : { useragent, crawler: false });
}
