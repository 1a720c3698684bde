/** The decoded tables of any catalogue in memory that threads share, so that only the first one decodes them. */
import { createMatcher } from "../../detect/automaton/matcher.ts";
import { decodeTable, type Table } from "../../detect/automaton/tables.ts";
import type { CompiledCatalogue } from "../../detect/compiled-catalogue.ts";
import { createIdentifier } from "../../detect/identify.ts";
import { createOverlayTest } from "../../detect/overlaid.ts";
import { fromBytesText } from "../../detect/text.ts";
import type { Verdict } from "../../detect/verdict.ts";
import { createTest } from "../../pattern/split-expression.ts";

/** Can be sent to another thread. */
export interface SharedTables extends Pick<CompiledCatalogue, "own" | "overlay" | "nameIndex" | "items"> {
  readonly unanchored: Table;
  readonly anchored: readonly Table[];
  readonly familiar: RegExp | undefined;
}

const ofCatalogues = new WeakMap<CompiledCatalogue, SharedTables>();

/** Those of a catalogue are the same for all scans of a process. Throws RangeError for damaged tables. */
export function shareTables(catalogue: CompiledCatalogue): SharedTables {
  const tables = ofCatalogues.get(catalogue) ?? makeTables(catalogue);
  ofCatalogues.set(catalogue, tables);
  return tables;
}

function makeTables(catalogue: CompiledCatalogue): SharedTables {
  const { own, overlay, nameIndex, items } = catalogue;
  const { unanchored, anchored, familiar } = overlay?.below ?? catalogue.deciding;
  return {
    unanchored: share(decodeTable(fromBytesText(unanchored))),
    anchored: anchored.map((text) => share(decodeTable(fromBytesText(text)))),
    // linear: consists of the catalogue's patterns
    familiar: familiar === undefined ? undefined : new RegExp(familiar, "y"),
    ...(own !== undefined && { own }),
    ...(overlay !== undefined && { overlay }),
    nameIndex,
    items,
  };
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
export function createSharedCheck(tables: SharedTables): (useragent: string) => Verdict {
  const matcher = createMatcher(tables.unanchored, tables.anchored, tables.familiar);
  const isOwn = createTest(tables.own);
  const decide = tables.overlay === undefined ? undefined : createOverlayTest(tables.overlay);
  const isCrawler = (text: string): boolean => decide?.(matcher.test(text), text) ?? matcher.test(text);
  const identify = createIdentifier(tables);
  return (useragent) =>
    isOwn(useragent) || isCrawler(useragent) ? identify(useragent) : { useragent, crawler: false };
}
