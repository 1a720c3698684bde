/** Lists and traffic are read from a store in parts, and no more of it than is asked for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listPages } from "../../src/record/paging.ts";
import { isFiltered, type PageStart, type RecordQuery } from "../../src/record/store.ts";
import { createMemoryStore } from "./memory-store.ts";
import { batchOf, row } from "./store-suite.ts";

const rows = Array.from({ length: 600 }, (_, n) => row(`UA ${n}`, { lastSeen: 9000 - n, crawler: n % 2 === 0 }));

/** Lists, and says what the store was asked: `count`, or where a page begins and how many strings it may have. */
async function observe(query: RecordQuery, signal?: AbortSignal) {
  const store = createMemoryStore();
  await store.write(batchOf(rows));
  const asked: string[] = [];
  const watched = {
    async count(all: RecordQuery) {
      assert.deepEqual(all, {});
      asked.push("count");
      return store.count(all);
    },
    async page(of: RecordQuery, start: PageStart, most: number) {
      asked.push(`${typeof start === "number" ? start : "next"}+${most}`);
      return store.page(of, start, most);
    },
  };
  const lengths: number[] = [];
  let first: string | undefined;
  for await (const page of listPages(watched, query, signal)) {
    first ??= page[0]?.useragent;
    lengths.push(page.length);
  }
  return { asked: asked.join(" "), lengths, first };
}

test("a list asks for no more than it lists, and skips by the store's index what no filter leaves out", async () => {
  const cases: [query: RecordQuery, asked: string, lengths: number[], first?: string][] = [
    [{}, "0+250 next+250 next+250", [250, 250, 100], "UA 0"],
    [{ limit: 0 }, "", []],
    [{ limit: 3 }, "0+3", [3], "UA 0"],
    [{ limit: 251 }, "0+250 next+1", [250, 1], "UA 0"],
    [{ offset: 599, limit: 3 }, "count 599+3", [1], "UA 599"],
    [{ offset: 600 }, "count", []],
    [{ crawler: true, offset: 10, limit: 3 }, "count 0+13", [3], "UA 20"],
    [{ crawler: true, offset: 126, limit: 200 }, "count 0+250 next+76", [124, 50], "UA 252"],
    [{ crawler: true, offset: 600 }, "count", []],
  ];
  for (const [query, asked, lengths, first] of cases)
    assert.deepEqual(await observe(query), { asked, lengths, first }, JSON.stringify(query));
});

test("a list whose time is over asks nothing", async () => {
  const over = AbortSignal.abort(new Error("over"));
  await assert.rejects(observe({}, over), new Error("over"));
});

test("a query is a filter where it restricts anything", () => {
  const filters: RecordQuery[] = [{ q: "a" }, { category: "ai" }, { crawler: true }, { crawler: false }];
  for (const query of filters) assert.equal(isFiltered(query), true, JSON.stringify(query));
  for (const query of [{}, { q: "" }, { order: "count", offset: 1, limit: 1 } as const])
    assert.equal(isFiltered(query), false, JSON.stringify(query));
});
