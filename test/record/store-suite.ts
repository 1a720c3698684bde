/** What every store of the record must do: one suite, run against each by *-store.test.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore } from "../../src/record/memory-store.ts";
import { listPages } from "../../src/record/paging.ts";
import type { UserAgentRecord } from "../../src/record/record.ts";
import type { Batch, RecordedString, RecordQuery, Store } from "../../src/record/store.ts";
import type { TrafficCount } from "../../src/record/traffic.ts";

/** A place for a store. `open` gives another store over the same place, or undefined if the store keeps nothing. */
export interface Place {
  readonly store: Store;
  readonly another?: () => Store;
  readonly remove?: () => Promise<void>;
}

export function row(useragent: string, facts: Partial<RecordedString> = {}): RecordedString {
  return { useragent, crawler: false, count: 1, firstSeen: 1000, lastSeen: 1000, ...facts };
}

/** A retention that leaves traffic as it is. */
export const keepTraffic = { trafficOpen: Number.MAX_SAFE_INTEGER, trafficBefore: 0 };

let batches = 0;
export function batchOf(rows: readonly RecordedString[], traffic: readonly TrafficCount[] = []): Batch {
  return { id: ++batches, rows, traffic };
}

/** All pages of a record, or of a store as a record reads it. */
export async function listAll(
  source: Pick<UserAgentRecord, "list"> | Pick<Store, "page" | "count">,
  query: RecordQuery = {},
): Promise<RecordedString[]> {
  const all: RecordedString[] = [];
  const pages = "list" in source ? source.list(query) : listPages(source, query);
  for await (const page of pages) {
    assert.ok(page.length > 0 && page.length <= 1000, "pages are neither empty nor large");
    all.push(...page);
  }
  return all;
}

const useragents = (rows: readonly RecordedString[]) => rows.map((each) => each.useragent);

/** Strings that some database, driver or encoding is known to mistreat. */
const oddStrings = [
  "",
  " ",
  "\0",
  "a\0b\0",
  "\ud800",
  "\udfff\ud800",
  "lone \udc00 low",
  "pair \u{1f980} and lone \ud83e end",
  "\u{10f000} \u{10f7ff} \u{10f800} \u{10f900} \u{10fa3f} \u{10fffd} \u{10ffff}",
  "\u{10f900}\u{10fa00}",
  "\ufeffbyte order mark \ufffe \uffff \ufffd",
  "quotes ' \" ` \\ \\' % _ ? $1 :a {}",
  "lines \r\n\t and controls \x01\x1b\x7f\x9f",
  "Ünïcödé İıſK",
  "e\u0301 is not \u00e9",
  "\u20ac".repeat(682),
  "x".repeat(2048),
  "null",
  "[1,2]",
];

export function testStore(name: string, makePlace: () => Promise<Place | undefined>): void {
  const check = (what: string, body: (store: Store, place: Place) => Promise<void>) =>
    test(`${name}: ${what}`, { timeout: 60_000 }, async (t) => {
      const place = await makePlace();
      if (!place) return t.skip("no server");
      try {
        await place.store.open();
        await body(place.store, place);
      } finally {
        await place.store.close();
        await place.remove?.();
      }
    });

  check("a new record is empty", async (store) => {
    assert.deepEqual(await listAll(store), []);
    assert.equal(await store.count({}), 0);
    await store.write(batchOf([]));
    await store.tidy({ ...keepTraffic, limit: 10, before: 5 });
    assert.equal(await store.count({}), 0);
  });

  check("every fact comes back", async (store) => {
    const whole = row("FooBot/1.0", {
      cut: true,
      crawler: true,
      name: "FooBot\0\ud800",
      operator: "Foo & Söhne",
      category: "search-engine",
      count: 2 ** 40,
      firstSeen: 1_700_000_000_000,
      lastSeen: 1_800_000_000_000,
    });
    await store.write(batchOf([whole, row("Mozilla/5.0")]));
    assert.deepEqual(await listAll(store), [whole, row("Mozilla/5.0")]);
  });

  check("counts add up, times widen, the later verdict holds, cut stays", async (store) => {
    await store.write(batchOf([row("A", { count: 3, firstSeen: 500, lastSeen: 900, cut: true, name: "old" })]));
    await store.write(batchOf([row("A", { count: 4, firstSeen: 800, lastSeen: 1500, crawler: true, category: "ai" })]));
    await store.write(batchOf([row("A", { count: 1, firstSeen: 700, lastSeen: 700, crawler: true, category: "seo" })]));
    const expected = { cut: true as const, crawler: true, category: "seo" as const, count: 8 };
    assert.deepEqual(await listAll(store), [row("A", { ...expected, firstSeen: 500, lastSeen: 1500 })]);
    assert.equal(await store.count({}), 1);
  });

  check("odd strings come back as they were, and can be searched for", async (store) => {
    const rows = oddStrings.map((useragent, n) => row(useragent, { lastSeen: 5000 - n }));
    await store.write(batchOf(rows));
    await store.write(batchOf(rows));
    const listed = await listAll(store);
    assert.deepEqual(
      listed,
      rows.map((each) => ({ ...each, count: 2 })),
    );
    for (const useragent of oddStrings.filter((each) => each.length > 1)) {
      const found = useragents(await listAll(store, { q: useragent }));
      assert.ok(found.includes(useragent), JSON.stringify(useragent));
      assert.ok(
        found.every((each) => each.toLowerCase().includes(useragent.toLowerCase())),
        JSON.stringify(useragent),
      );
    }
    assert.deepEqual(useragents(await listAll(store, { q: "\udc00" })), ["lone \udc00 low"]);
  });

  check("lists by last seen, descending, over many pages and many equal times", async (store) => {
    const rows = Array.from({ length: 1700 }, (_, n) => row(`UA ${n}`, { lastSeen: 1000 + (n % 5) }));
    await store.write(batchOf(rows.slice(0, 900)));
    await store.write(batchOf(rows.slice(900)));
    const listed = await listAll(store);
    assert.equal(new Set(useragents(listed)).size, 1700);
    assert.ok(listed.every((each, n) => n === 0 || each.lastSeen <= listed[n - 1]!.lastSeen));
  });

  check(
    "a total that is known at once is right, also after another process has written",
    async (store, { another }) => {
      await store.write(batchOf([row("A"), row("B")]));
      assert.ok(store.total === undefined || store.total() === 2, `${store.total?.()}`);
      const other = another?.() ?? store;
      await other.open();
      await other.write(batchOf([row("B"), row("C")]));
      assert.ok(store.total === undefined || store.total() === 3, `${store.total?.()}`);
      if (other !== store) await other.close();
    },
  );

  check("filters by part, category and verdict, and counts the same", async (store) => {
    const categories = ["ai", "seo", undefined] as const;
    const rows = Array.from({ length: 6000 }, (_, n) => {
      const category = categories[n % 3];
      return row(`${n % 7 === 0 ? "100%_\\Sure" : "Plain"} ${n}`, {
        lastSeen: n,
        firstSeen: n,
        crawler: category !== undefined,
        ...(category && { category }),
      });
    });
    for (let at = 0; at < rows.length; at += 1000) await store.write(batchOf(rows.slice(at, at + 1000)));
    const queries: [RecordQuery, (each: RecordedString) => boolean][] = [
      [{ q: "" }, () => true],
      [{ q: "100%_\\sURE" }, (each) => each.useragent.startsWith("100%_")],
      [{ q: "1_0" }, () => false],
      [{ q: "plain 59" }, (each) => each.useragent.startsWith("Plain 59")],
      [{ q: "nowhere" }, () => false],
      [{ category: "ai" }, (each) => each.category === "ai"],
      [{ category: "library" }, () => false],
      [{ crawler: false }, (each) => !each.crawler],
      [{ crawler: true, category: "seo", q: "7" }, (each) => each.category === "seo" && each.useragent.includes("7")],
    ];
    for (const [query, matches] of queries) {
      const expected = rows.filter(matches).reverse();
      assert.deepEqual(useragents(await listAll(store, query)), useragents(expected), JSON.stringify(query));
      assert.equal(await store.count(query), expected.length, JSON.stringify(query));
    }
  });

  check("a search knows small and capital letters of every alphabet", async (store) => {
    const rows = ["ÜBERtest/1", "übertest/2", "ÑÁÉ Бот ΣΊΣΥΦΟΣ/3", "ubertest/4", "A\0Ü"].map((useragent, n) =>
      row(useragent, { lastSeen: 100 - n }),
    );
    await store.write(batchOf(rows));
    const queries: [string, number[]][] = [
      ["übertest", [0, 1]],
      ["ÜBERTEST", [0, 1]],
      ["uber", [3]],
      ["БОТ", [2]],
      ["ñáé бот σίσυφος", [2]],
      ["a\0ü", [4]],
      ["TEST", [0, 1, 3]],
    ];
    for (const [q, expected] of queries) {
      assert.deepEqual(
        await listAll(store, { q }),
        expected.map((n) => rows[n]),
        q,
      );
      assert.equal(await store.count({ q }), expected.length, q);
    }
  });

  check("skips and bounds a list, with filters and without, and nothing is beyond its end", async (store) => {
    const rows = Array.from({ length: 1100 }, (_, n) =>
      row(`${n % 3 ? "Plain" : "Third"} ${n}`, { lastSeen: 9000 - n }),
    );
    for (const half of [rows.slice(0, 600), rows.slice(600)]) await store.write(batchOf(half));
    const third = rows.filter(({ useragent }) => useragent.startsWith("Third"));
    for (const [offset, limit] of [
      [0, 1],
      [249, 2],
      [251, 600],
      [300, undefined],
      [1099, 5],
      [1100, 5],
      [999_999_999, 5],
      [7, 0],
    ] as const) {
      const bounds = { offset, ...(limit !== undefined && { limit }) };
      const end = offset + (limit ?? Infinity);
      assert.deepEqual(await listAll(store, bounds), rows.slice(offset, end), JSON.stringify(bounds));
      assert.deepEqual(
        await listAll(store, { q: "third", ...bounds }),
        third.slice(offset, end),
        JSON.stringify(bounds),
      );
    }
  });

  check("the longest unseen leave first, and never more than the limit stay", async (store) => {
    const batch = (from: number, to: number, time: number) =>
      Array.from({ length: to - from }, (_, n) =>
        row(`UA ${from + n}`, { firstSeen: time, lastSeen: time + from + n }),
      );
    await store.write(batchOf(batch(0, 100, 1000)));
    await store.write(batchOf(batch(0, 10, 5000)));
    await store.write(batchOf(batch(100, 150, 6000)));
    assert.equal(await store.tidy({ ...keepTraffic, limit: 100 }), 50);
    assert.equal(await store.count({}), 100);
    const left = new Set(useragents(await listAll(store)));
    assert.equal(left.size, 100);
    const expected = [...batch(0, 10, 0), ...batch(60, 150, 0)];
    for (const { useragent } of expected) assert.ok(left.has(useragent), useragent);
    await store.write(batchOf(batch(200, 500, 9000)));
    assert.equal(await store.tidy({ ...keepTraffic, limit: 100 }), 300);
    assert.equal(await store.tidy({ ...keepTraffic, limit: 100 }), 0);
    assert.equal(await store.count({}), 100);
    assert.equal((await listAll(store)).at(-1)?.useragent, "UA 400");
  });

  check("lists the most frequent and the newest strings", async (store) => {
    const rows = Array.from({ length: 601 }, (_, n) =>
      row(`UA ${n}`, {
        count: 1 + ((n * 7) % 601),
        firstSeen: 1000 + ((n * 11) % 601),
        lastSeen: 5000,
        crawler: (n * 7) % 601 < 300,
      }),
    );
    await store.write(batchOf(rows));
    const by = (member: "count" | "firstSeen") => rows.toSorted((a, b) => b[member] - a[member]);
    assert.deepEqual(await listAll(store, { order: "count", limit: 20 }), by("count").slice(0, 20));
    assert.deepEqual(await listAll(store, { order: "first-seen", offset: 5, limit: 20 }), by("firstSeen").slice(5, 25));
    const crawlers = by("count").filter(({ crawler }) => crawler);
    assert.deepEqual(
      await listAll(store, { order: "count", crawler: true, offset: 3, limit: 7 }),
      crawlers.slice(3, 10),
    );
  });

  check("traffic adds up by hour, dimension and value, and is folded and forgotten when tidied", async (store) => {
    const hour = 3_600_000;
    const count = (at: number, dimension: TrafficCount["dimension"], value: string, n: number): TrafficCount => {
      return { hour: at * hour, dimension, value, count: n };
    };
    const sorted = (counts: readonly TrafficCount[]) =>
      counts.toSorted((a, b) => a.hour - b.hour || b.count - a.count || (a.value < b.value ? -1 : 1));
    const odd = "odd\0 \ud800 __proto__";
    const names = Array.from({ length: 150 }, (_, n) => count(9, "name", `Bot ${n}`, 1000 - n));
    await store.write(batchOf([row("A")], [count(7, "name", "Old", 1), count(8, "name", odd, 2), ...names]));
    await store.write(
      batchOf([row("A")], [count(8, "name", odd, 3), count(8, "spoofed", odd, 1), count(9, "crawler", "true", 4)]),
    );
    const eight = [count(8, "name", odd, 5), count(8, "spoofed", odd, 1)];
    const nine = [...names, count(9, "crawler", "true", 4)];
    assert.deepEqual(
      sorted(await store.traffic(7 * hour, 10 * hour)),
      sorted([count(7, "name", "Old", 1), ...eight, ...nine]),
    );
    assert.deepEqual(sorted(await store.traffic(9 * hour, 10 * hour)), sorted(nine));
    assert.deepEqual(sorted(await store.traffic(8 * hour, 9 * hour)), sorted(eight));
    for (let round = 0; round < 2; round++) {
      await store.tidy({ limit: 10, trafficOpen: 9 * hour, trafficBefore: 8 * hour });
      const rest = names.slice(100).reduce((sum, each) => sum + each.count, 0);
      const folded = [...names.slice(0, 100), count(9, "name", "", rest), count(9, "crawler", "true", 4)];
      assert.deepEqual(sorted(await store.traffic(0, 10 * hour)), sorted([...eight, ...folded]));
    }
  });

  check("tidying forgets what is too old and what a lowered limit excludes", async (store) => {
    await store.write(batchOf(Array.from({ length: 100 }, (_, n) => row(`UA ${n}`, { lastSeen: 1000 + n }))));
    await store.tidy({ ...keepTraffic, limit: 100, before: 1030 });
    assert.equal(await store.count({}), 70);
    await store.tidy({ ...keepTraffic, limit: 20 });
    assert.equal(await store.count({}), 20);
    const listed = await listAll(store);
    assert.deepEqual([listed.length, listed[0]?.useragent, listed[19]?.useragent], [20, "UA 99", "UA 80"]);
  });

  check("a list that is being read sees no string twice while others write", async (store) => {
    const rows = Array.from({ length: 1500 }, (_, n) => row(`UA ${n}`, { lastSeen: 1000 + n }));
    await store.write(batchOf(rows.slice(0, 1000)));
    await store.write(batchOf(rows.slice(1000)));
    const seen: string[] = [];
    let time = 10_000;
    for await (const page of listPages(store, {})) {
      seen.push(...useragents(page));
      await store.write(batchOf([row("UA 3", { lastSeen: ++time }), row(`New ${time}`, { lastSeen: time })]));
    }
    assert.equal(new Set(seen).size, seen.length);
    assert.ok(seen.length >= 1499, `${seen.length}`);
  });

  check("does what the store in memory does, on random writes", async (store) => {
    const model = createMemoryStore();
    let seed = 42;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    for (let step = 1; step <= 60; step++) {
      const names = new Set(Array.from({ length: random(20) }, () => random(60)));
      // One time a string, since stores may order equal times as they like.
      const batch = [...names].map((n, at) =>
        row(`UA ${n}\0`, { count: 1 + random(9), lastSeen: step * 1000 + at, crawler: random(2) === 1 }),
      );
      const limit = 30 + random(30);
      for (const each of [store, model]) await each.write(batchOf(batch));
      const before = step % 10 === 0 ? step * 900 : 0;
      assert.equal(
        await store.tidy({ ...keepTraffic, limit, before }),
        await model.tidy({ ...keepTraffic, limit, before }),
      );
      assert.equal(await store.count({}), await model.count({}));
    }
    assert.deepEqual(await listAll(store), await listAll(model));
  });

  check("what is written outlives the store", async (store, { another }) => {
    if (!another) return;
    await store.write(batchOf([row("A"), row("B", { count: 5 })]));
    await store.close();
    const later = another();
    await later.open();
    assert.equal(await later.count({}), 2);
    await later.write(batchOf([row("B", { count: 2, lastSeen: 2000 })]));
    const expected = [row("B", { count: 7, lastSeen: 2000 }), row("A")];
    assert.deepEqual(await listAll(later), expected);
    await later.close();
    await store.open();
    assert.deepEqual(await listAll(store), expected);
  });

  check("stores that open and write at once in one place add up", async (_, { another }) => {
    if (!another) return;
    const stores = Array.from({ length: 5 }, another);
    await Promise.all(stores.map((store) => store.open()));
    const rows = Array.from({ length: 300 }, (_unused, n) => row(`UA ${n}`));
    const retried = async (store: Store, batch: RecordedString[]) => {
      const once = batchOf(batch);
      // Another's write may take longer than a store waits; the record tries again, and so does this.
      for (let attempt = 0; ; attempt++)
        try {
          return await store.write(once);
        } catch (error) {
          if (attempt === 100) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
    };
    await Promise.all(
      stores.map(async (store, n) => {
        // Each in another order, where locking rows in the order given would be a deadlock.
        for (let round = 0; round < 6; round++)
          await retried(store, n % 2 ? rows : [...rows.slice(n * 10), ...rows.slice(0, n * 10)].reverse());
      }),
    );
    const listed = await listAll(stores[0]!);
    assert.equal(listed.length, 300);
    assert.equal(await stores[1]!.count({}), 300);
    assert.ok(listed.every((each) => each.count === 30));
    // And when each of them evicts what others are writing.
    await Promise.all(
      stores.map(async (store, n) => {
        for (let round = 0; round < 6; round++) {
          const lastSeen = 2000 + round;
          const batch = rows
            .slice(0, 200)
            .map((each) => ({ ...each, useragent: `${n % 2} ${round} ${each.useragent}` }));
          await retried(
            store,
            batch.map((each) => ({ ...each, lastSeen })),
          );
        }
        await store.tidy({ ...keepTraffic, limit: 250 }).catch(() => {});
      }),
    );
    await stores[0]!.tidy({ ...keepTraffic, limit: 250 });
    assert.equal(await stores[0]!.count({}), 250);
    assert.equal((await listAll(stores[1]!)).length, 250);
    await Promise.all(stores.map((store) => store.close()));
  });

  check("opening again at any time does no harm", async (store) => {
    await store.write(batchOf([row("A")]));
    await store.open();
    await Promise.all([store.open(), store.write(batchOf([row("A")])).catch(() => {}), store.open()]);
    await store.open();
    assert.ok((await listAll(store))[0]!.count >= 1);
  });
}
