/**
 * The tables of src/detect/built-in/tables.ts as the build lays them out: arrays of numbers that are used in place, one after the
 * other in base64, which Node and Bun decode natively. Not used in pages, which would load twice as many bytes.
 */
import { Buffer } from "node:buffer";
import { endianness } from "node:os";
import type { Rows } from "../detect/automaton/tables.ts";
import type { Finders } from "../detect/compiled-catalogue.ts";
import type { DecidingRows } from "../detect/decider.ts";
import { familiar } from "../generated/decision.ts";
import { nameIndex } from "../generated/naming.ts";
import { finders as findersText, naming, rows, tests } from "../generated/packed.ts";

/** As its namesake in src/detect/built-in/tables.ts. */
export function decidingRows(): DecidingRows {
  return { rows: rows.map(unpackRows), familiar };
}

/** As its namesake in src/detect/built-in/tables.ts. */
export function finders(): Finders {
  const [items, starts, itemOf, next, lists] = unpack(naming) as unknown as Five;
  const always = Array.from(items, (item, i) => {
    const test = tests[i];
    return test ? { item, rows: () => unpackRows(test) } : { item };
  });
  const bytes = Buffer.from(findersText, "latin1");
  return { lines: nameIndex.split("\n"), always, bytes, starts, itemOf, next, lists };
}

function unpackRows(text: string): Rows {
  const [numbers, classOf, places, models, starts, outputs, columns, targets] = unpack(text) as unknown as Eight;
  const [classCount, initial, inner, settled] = numbers as unknown as readonly [number, number, number, number];
  return { classCount, initial, inner, settled, classOf, places, models, starts, outputs, columns, targets };
}

type Four = readonly [Uint16Array, Uint16Array, Uint16Array, Uint16Array];
type Five = readonly [...Four, Uint16Array];
type Eight = readonly [...Four, ...Four];

/** The arrays that `pack` of build/pack-tables.ts wrote: their number, then their lengths in two numbers each, then their content. */
function unpack(text: string): Uint16Array[] {
  const bytes = Buffer.from(text, "base64");
  if (endianness() === "BE") bytes.swap16();
  // Aligned: buffers begin at multiples of 8.
  const numbers = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  const count = numbers[0]!;
  let at = 1 + 2 * count;
  return Array.from({ length: count }, (_, i) => {
    const length = numbers[1 + 2 * i]! + 65_536 * numbers[2 + 2 * i]!;
    at += length;
    return numbers.subarray(at - length, at);
  });
}
