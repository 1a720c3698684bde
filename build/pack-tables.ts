/** Lays tables out as arrays of numbers, as src/catalogue/packed-tables.ts reads them. */
import type { Rows } from "../src/detect/automaton/tables.ts";
import type { Finders } from "../src/detect/compiled-catalogue.ts";

/** The rows of an automaton, in base64. */
export function packRows(rows: Rows): string {
  const { classCount, initial, inner, settled, classOf, places, models, starts, outputs, columns, targets } = rows;
  return pack([[classCount, initial, inner, settled], classOf, places, models, starts, outputs, columns, targets]);
}

/** The numbers of an index of names, in base64. */
export function packFinders({ always, starts, itemOf, next, lists }: Finders): string {
  return pack([always.map(({ item }) => item), starts, itemOf, next, lists]);
}

/** Writes little-endian numbers of 16 bits; throws RangeError for a greater one. */
function pack(arrays: readonly ArrayLike<number>[]): string {
  const lengths = arrays.flatMap(({ length }) => [length & 0xffff, length >>> 16]);
  const numbers = [arrays.length, ...lengths, ...arrays.flatMap((array) => Array.from(array))];
  const bytes = Buffer.alloc(2 * numbers.length);
  for (const [i, number] of numbers.entries()) bytes.writeUInt16LE(number, 2 * i);
  return bytes.toString("base64");
}
