/** Listing many strings costs no memory spike and no stall; a flood of new ones costs no memory. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createMemoryStore } from "../../src/record/memory-store.ts";
import { listPages } from "../../src/record/paging.ts";
import { createRecord } from "../../src/record/record.ts";
import { createSqliteStore } from "../../src/record/sqlite/sqlite-store.ts";
import type { RecordedString, Store } from "../../src/record/store.ts";
import { residentBytes } from "./resident.ts";
import { batchOf } from "./store-suite.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-listing-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const total = 20_000;
const userAgent = (n: number) =>
  `Mozilla/5.0 (Linux; Android ${n % 14}; Device ${n}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${n % 140}.0.0.0`;

async function fill(store: Store): Promise<void> {
  await store.open();
  for (let from = 0; from < total; from += 1000) {
    const rows = Array.from({ length: 1000 }, (_, n): RecordedString => {
      const seen = 1_700_000_000_000 + from;
      return { useragent: userAgent(from + n), crawler: false, count: 1, firstSeen: seen, lastSeen: seen };
    });
    await store.write(batchOf(rows));
  }
}

/** Runs `body` and reports how many turns others had meanwhile, and how far resident memory rose, in MB. */
async function observe(body: () => Promise<void>): Promise<{ turns: number; risenMb: number }> {
  const before = await residentBytes();
  let highest = before;
  let turns = 0;
  let over = false;
  const turn = () => {
    turns++;
    highest = Math.max(highest, process.memoryUsage.rss());
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  await body();
  over = true;
  return { turns, risenMb: (highest - before) / 1e6 };
}

const stores: [string, () => Store][] = [
  ["memory", () => createMemoryStore()],
  ["sqlite", () => createSqliteStore({ path: join(folder, "record.sqlite") })],
];
for (const [name, create] of stores)
  test(`${name}: many strings are listed a page at a time`, { timeout: 60_000 }, async () => {
    const store = create();
    await fill(store);
    for (const query of [{}, { q: "device 77" }, { q: "nowhere" }]) {
      let listed = 0;
      let pages = 0;
      const { turns, risenMb } = await observe(async () => {
        for await (const page of listPages(store, query)) {
          listed += page.length;
          pages++;
          assert.ok(page.length <= 250);
          // What a service does with a page.
          JSON.stringify(page);
        }
      });
      assert.equal(listed, query.q === undefined ? total : query.q === "nowhere" ? 0 : 111);
      assert.equal(await store.count(query), query.q === undefined ? total : undefined);
      // Turns, not times: those depend on what else the machine does, and are bench/record.ts's.
      assert.ok(turns >= pages && turns >= 20, `${turns} turns for ${pages} pages`);
      assert.ok(risenMb < 80, `${risenMb.toFixed(0)} MB`);
    }
    await store.close();
  });

test("sqlite: a flood of distinct strings changes neither memory nor the limit", { timeout: 60_000 }, async () => {
  const store = createSqliteStore({ path: join(folder, "flood.sqlite") });
  const record = createRecord({ store, clock: Date.now, limit: 20_000 });
  const flood = async (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      record.note({ useragent: userAgent(n), crawler: false });
      if (n % 500 === 0) {
        record.note({ useragent: "a regular visitor", crawler: false });
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };
  await flood(0, 50_000);
  const before = await residentBytes();
  await flood(50_000, 250_000);
  const grownMb = ((await residentBytes()) - before) / 1e6;
  // Held, they would be 150 MB.
  assert.ok(grownMb < 80, `${grownMb.toFixed(0)} MB`);
  assert.ok((await record.count())! <= 21_000);
  for await (const [first] of record.list({ q: "regular" })) assert.equal(first?.count, 500);
  assert.ok(record.status().dropped > 0);
  assert.deepEqual(await record.close(), { lost: 0 });
});
