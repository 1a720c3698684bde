/** The store in memory does what every store does, within its bounds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore } from "../../src/record/memory-store.ts";
import { batchOf, keepTraffic, listAll, row, testStore } from "./store-suite.ts";

testStore("memory", [], async () => ({ store: createMemoryStore(), scannedRows: 250 }));

test("its strings are bounded by their bytes at any time: 320 each, and two for each unit", async () => {
  const store = createMemoryStore({ maxBytes: 10_000 });
  const rows = Array.from({ length: 30 }, (_, n) => row(`${String(n).padStart(2, "0")} ${"x".repeat(337)}`));
  for (let round = 0; round < 2; round++) {
    for (const [n, each] of rows.entries()) {
      await store.write(batchOf([each]));
      assert.equal(await store.count({}), Math.min(n + 1, 10));
      assert.equal(store.total?.(), Math.min(n + 1, 10));
    }
    // Seen again, they take no more, and are the last to leave.
    for (let again = 0; again < 3; again++) await store.write(batchOf([rows[20]!]));
    await store.write(batchOf(rows.slice(0, 9)));
    assert.deepEqual(
      (await listAll(store)).map(({ useragent }) => Number(useragent.slice(0, 2))),
      [8, 7, 6, 5, 4, 3, 2, 1, 0, 20],
    );
    await store.tidy({ ...keepTraffic, limit: 4 });
    await store.write(batchOf([row("y".repeat(3680))]));
    assert.equal(await store.count({}), 3);
    await store.close();
    assert.equal(store.total?.(), 0);
    assert.deepEqual(await store.traffic(0, Infinity), []);
  }
});

test("64 MiB of strings are kept", async () => {
  const store = createMemoryStore();
  const rows = Array.from({ length: 15_200 }, (_, n) => row(`${String(n).padStart(8, "0")}${"x".repeat(2040)}`));
  await store.write(batchOf(rows));
  assert.equal(store.total?.(), Math.floor((64 * 1024 * 1024) / (320 + 2 * 2048)));
});

test("reading and writing give others their turn", async () => {
  const store = createMemoryStore();
  for (const work of [() => store.write(batchOf([row("A")])), () => store.page({}, 0, 1)]) {
    let hadTurn = false;
    setImmediate(() => {
      hadTurn = true;
    });
    await work();
    assert.ok(hadTurn);
  }
});
