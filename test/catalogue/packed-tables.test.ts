/** The tables that Node and Bun use as they are have the numbers of those that are read from text. */
import assert from "node:assert/strict";
import { it } from "node:test";
import * as packed from "../../src/catalogue/packed-tables.ts";
import * as read from "../../src/detect/built-in/tables.ts";
import type { Finders } from "../../src/detect/compiled-catalogue.ts";
import type { DecidingRows } from "../../src/detect/decider.ts";

const numbersOf = ({ rows, familiar }: DecidingRows) => [
  familiar,
  ...rows.map((row) =>
    Object.entries(row)
      .map(([name, value]) => [name, typeof value === "number" ? value : Array.from(value as Uint16Array)])
      .sort(),
  ),
];

const namingOf = ({ lines, always, bytes, ...finders }: Finders) => ({
  ...finders,
  bytes: Array.from(bytes),
  expressions: lines.map((line) => line.split("\t", 1)[0]),
  always: always.map(({ item, rows }) => [item, rows && numbersOf({ rows: [rows()], familiar: undefined })]),
});

it("packed tables are those that are read from text", () => {
  assert.deepEqual(numbersOf(packed.decidingRows()), numbersOf(read.decidingRows()));
  assert.deepEqual(namingOf(packed.finders()), namingOf(read.finders()));
});
