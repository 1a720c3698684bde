/** What every store of the record must do, also when its place fails: one suite, run against each by *-store.test.ts. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { listPages } from "../../src/record/paging.ts";
import type { UserAgentRecord } from "../../src/record/record.ts";
import {
  type Batch,
  batchRows,
  type RecordedString,
  type RecordQuery,
  type Store,
  StoreError,
  scannedRows,
} from "../../src/record/store.ts";
import type { TrafficCount } from "../../src/record/traffic.ts";
import { createMemoryStore } from "./memory-store.ts";
import { startRecording } from "./processes.ts";

/** A place for a store that is not yet open. */
export interface Place {
  readonly store: Store;
  /** Absent where strings are lost with their store. */
  readonly lasting?: LastingPlace;
}

/** A place that several stores and processes share, and what may happen to it. */
interface LastingPlace {
  /** How an operator names it. */
  readonly address: string;
  /** Another store in it, which waits for `timeoutMs` at most where a store can be told to. */
  another(timeoutMs?: number): Store;
  /** Takes everything away under open stores. */
  remove(): unknown;
  /** Marks what is there as made with this version of the schema. */
  setVersion(version: number): unknown;
  /** Why it is refused then. */
  refusal(version: number): string;
  /** Ways to make it unusable for a time. */
  readonly faults: Readonly<Record<string, Fault>>;
}

interface Fault {
  /** Whether it befalls a store that is open, or one that is being opened. */
  readonly isOpen: boolean;
  /** What the store says. */
  readonly reason: RegExp;
  /** Resolves to the function that ends it. */
  begin(): Promise<() => unknown>;
}

export function row(useragent: string, facts: Partial<RecordedString> = {}): RecordedString {
  return { useragent, crawler: false, count: 1, firstSeen: 1000, lastSeen: 1000, ...facts };
}

/** A retention that leaves traffic as it is. */
export const keepTraffic = { trafficBefore: 0 };

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
  for await (const page of "list" in source ? source.list(query) : listPages(source, query)) {
    assert.ok(page.length > 0 && page.length <= 250, "pages are neither empty nor large");
    all.push(...page);
  }
  return all;
}

export const useragents = (rows: readonly RecordedString[]) => rows.map((each) => each.useragent);

/** `UA 0`, `UA 1` and so on, the first of them the last seen. */
const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => row(`UA ${n}`, { firstSeen: 1, lastSeen: 100_000 - n }));

async function fill(store: Store, rows: readonly RecordedString[]): Promise<void> {
  for (let at = 0; at < rows.length; at += batchRows) await store.write(batchOf(rows.slice(at, at + batchRows)));
}

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

type Check = (what: string, body: (store: Store, place: Place) => Promise<void>) => void;
type CheckLasting = (what: string, body: (place: LastingPlace, store: Store) => Promise<void>) => void;

/** Tests the stores of the places that `makePlace` makes, each of them empty; it resolves to undefined where there is no server. */
export function testStore(name: string, faults: readonly string[], makePlace: () => Promise<Place | undefined>): void {
  const check: Check = (what, body) =>
    test(`${name}: ${what}`, { timeout: 60_000 }, async (t) => {
      const place = await makePlace();
      if (!place) return t.skip("no server");
      await body(place.store, place).finally(() => place.store.close());
    });
  // One store does for all of the contract where it can be emptied: starting its threads takes longer than most checks.
  let kept: Place | undefined;
  after(() => kept?.store.close());
  testContract((what, body) =>
    test(`${name}: ${what}`, { timeout: 60_000 }, async (t) => {
      const place = kept ?? (await makePlace());
      if (!place) return t.skip("no server");
      if (place.lasting) kept = place;
      await place.store.open();
      await place.lasting?.remove();
      await place.store.open();
      await body(place.store, place);
    }),
  );
  if (faults.length > 0)
    testLasting((what, body) => check(what, (store, { lasting }) => body(lasting!, store)), faults);
}

/** What a store does that is open. */
function testContract(check: Check): void {
  check("crawlers are new whose first string is, by all of their strings", async (store) => {
    const bot = (name: string, useragent: string, firstSeen: number, count = 1) =>
      row(useragent, { crawler: true, name, category: "ai", firstSeen, lastSeen: 9000, count });
    await store.write(
      batchOf([
        bot("Known", "Known/1", 999),
        bot("Known", "Known/2", 5000),
        bot("New \ud800\0 'é", "New/1", 1000, 2),
        bot("New \ud800\0 'é", "New/2", 5000, 3),
        bot("Newest", "Newest/1", 6000),
        row("a person's", { firstSeen: 7000 }),
        row("no name", { crawler: true, category: "other", firstSeen: 7000 }),
      ]),
    );
    // A string that is seen again was still seen first before.
    await store.write(batchOf([bot("Newest", "Newest/1", 7000)]));
    const newest = { name: "Newest", category: "ai", count: 2, firstSeen: 6000 };
    const both = { name: "New \ud800\0 'é", category: "ai", count: 5, firstSeen: 1000 };
    assert.deepEqual(await store.newCrawlers(1000), [newest, both]);
    assert.deepEqual(await store.newCrawlers(1001), [newest]);
    assert.deepEqual(await store.newCrawlers(6001), []);
    const many = Array.from({ length: 1200 }, (_, at) => bot(`Bot ${at}`, `Bot/${at}`, 10_000 + at));
    await fill(store, many);
    const found = await store.newCrawlers(1000);
    assert.deepEqual([found.length, found[0]?.name, found.at(-1)?.name], [1000, "Bot 1199", "Bot 200"]);
  });

  check("a new record is empty, and every fact comes back", async (store) => {
    await store.write(batchOf([]));
    await store.tidy({ ...keepTraffic, limit: 10, before: 5 });
    assert.deepEqual([await listAll(store), await store.count({})], [[], 0]);
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
  });

  check("odd strings come back as they were, and can be searched for", async (store) => {
    const rows = oddStrings.map((useragent, n) => row(useragent, { lastSeen: 5000 - n }));
    for (let twice = 0; twice < 2; twice++) await store.write(batchOf(rows));
    const counted = rows.map((each) => ({ ...each, count: 2 }));
    assert.deepEqual(await listAll(store), counted);
    for (const useragent of oddStrings.filter((each) => each.length > 1)) {
      const found = useragents(await listAll(store, { q: useragent }));
      const expected = oddStrings.filter((each) => each.toLowerCase().includes(useragent.toLowerCase()));
      assert.deepEqual(found, expected, JSON.stringify(useragent));
    }
    assert.deepEqual(useragents(await listAll(store, { q: "\udc00" })), ["lone \udc00 low"]);
  });

  check("a search knows small and capital letters of every alphabet", async (store) => {
    const names = ["ÜBERtest/1", "übertest/2", "ÑÁÉ Бот ΣΊΣΥΦΟΣ/3", "ubertest/4", "A\0Ü"];
    const rows = names.map((useragent, n) => row(useragent, { lastSeen: 100 - n }));
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
      const found = expected.map((n) => rows[n]);
      assert.deepEqual(await listAll(store, { q }), found, q);
      assert.equal(await store.count({ q }), expected.length, q);
    }
  });

  check("lists by last seen, descending, over many pages and many equal times", async (store) => {
    await fill(
      store,
      numbered(1700).map((each, n) => ({ ...each, lastSeen: 1000 + (n % 5) })),
    );
    const listed = await listAll(store);
    assert.equal(new Set(useragents(listed)).size, 1700);
    assert.ok(listed.every((each, n) => n === 0 || each.lastSeen <= listed[n - 1]!.lastSeen));
  });

  check("filters by part, category and verdict, and counts the same, as far as it looks", async (store) => {
    const categories = ["ai", "seo", undefined] as const;
    const rows = numbered(6000).map((each, n): RecordedString => {
      const category = categories[n % 3];
      const useragent = `${n % 7 === 0 ? "100%_\\Sure" : "Plain"} ${n}`;
      return { ...each, useragent, crawler: category !== undefined, ...(category && { category }) };
    });
    await fill(store, rows);
    const queries: [RecordQuery, (each: RecordedString) => boolean][] = [
      [{ q: "" }, () => true],
      [{ q: "100%_\\sURE" }, (each) => each.useragent.startsWith("100%_")],
      [{ q: "1_0" }, () => false],
      [{ q: "plain 59" }, (each) => each.useragent.startsWith("Plain 59")],
      [{ category: "ai" }, (each) => each.category === "ai"],
      [{ category: "library" }, () => false],
      [{ crawler: false }, (each) => !each.crawler],
      [{ crawler: true, category: "seo", q: "7" }, (each) => each.category === "seo" && each.useragent.includes("7")],
    ];
    for (const [query, matches] of queries) {
      const expected = useragents(rows.filter(matches));
      assert.deepEqual(useragents(await listAll(store, query)), expected, JSON.stringify(query));
      assert.equal(await store.count(query), expected.length, JSON.stringify(query));
    }
    // A page ends with the last string that it looks at.
    const page = async (at: number) => store.page({ q: rows[at]!.useragent }, 0, 250);
    assert.equal((await page(scannedRows - 1)).rows.length, 1);
    const { rows: none, next } = await page(scannedRows);
    assert.deepEqual(none, []);
    assert.equal((await store.page({ q: rows[scannedRows]!.useragent }, next!, 250)).rows.length, 1);
    // One that is full ends with its last string.
    const full = await store.page({ q: "plain 5" }, 0, 2);
    const more = await store.page({ q: "plain 5" }, full.next!, 1);
    assert.deepEqual(useragents([...full.rows, ...more.rows]), ["Plain 5", "Plain 50", "Plain 51"]);
    await fill(store, numbered(4000));
    assert.equal(await store.count({ q: "plain 5998" }), 1);
    await store.write(batchOf([row("one more")]));
    assert.deepEqual([await store.count({ q: "plain 5998" }), await store.count({})], [undefined, 10_001]);
  });

  check("skips and bounds a list, with filters and without, and nothing is beyond its end", async (store) => {
    const rows = numbered(1100).map((each, n) => ({ ...each, useragent: `${n % 3 ? "Plain" : "Third"} ${n}` }));
    await fill(store, rows);
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
      assert.deepEqual(await listAll(store, { q: "third", ...bounds }), third.slice(offset, end));
    }
  });

  check("lists the most frequent and the newest strings", async (store) => {
    const rows = numbered(601).map((each, n) => {
      const facts = { count: 1 + ((n * 7) % 601), firstSeen: 1000 + ((n * 11) % 601), crawler: (n * 7) % 601 < 300 };
      return { ...each, ...facts };
    });
    await fill(store, rows);
    const by = (member: "count" | "firstSeen") => rows.toSorted((a, b) => b[member] - a[member]);
    const frequent = by("count");
    assert.deepEqual(await listAll(store, { order: "count", limit: 20 }), frequent.slice(0, 20));
    assert.deepEqual(await listAll(store, { order: "first-seen", offset: 5, limit: 20 }), by("firstSeen").slice(5, 25));
    const crawlers = frequent.filter(({ crawler }) => crawler);
    const query = { order: "count", crawler: true, offset: 3, limit: 7 } as const;
    assert.deepEqual(await listAll(store, query), crawlers.slice(3, 10));
    assert.ok(!("next" in (await store.page({ order: "count" }, 0, 250))));
  });

  check("the longest unseen leave beyond the limit, and strings that are too old", async (store) => {
    const rows = numbered(150).reverse();
    await store.write(batchOf(rows));
    await store.write(batchOf([{ ...rows[0]!, lastSeen: 200_000 }]));
    assert.equal(await store.tidy({ ...keepTraffic, limit: 100 }), 50);
    const left = [{ ...rows[0]!, count: 2, lastSeen: 200_000 }, ...rows.slice(51).reverse()];
    assert.deepEqual(await listAll(store), left);
    assert.equal(await store.tidy({ ...keepTraffic, limit: 100, before: 100_000 - 29 }), 0);
    assert.deepEqual(await listAll(store), left.slice(0, 31));
    assert.equal(await store.tidy({ ...keepTraffic, limit: 1 }), 30);
    assert.equal(await store.count({}), 1);
  });

  check("traffic adds up by hour, dimension and value, and is forgotten when tidied", async (store) => {
    const hour = 3_600_000;
    const count = (at: number, dimension: TrafficCount["dimension"], value: string, n: number): TrafficCount => {
      return { hour: at * hour, dimension, value, count: n };
    };
    const sorted = (counts: readonly TrafficCount[]) =>
      counts.toSorted((a, b) => a.hour - b.hour || b.count - a.count || (a.value < b.value ? -1 : 1));
    const odd = "odd\0 \ud800 __proto__";
    const names = Array.from({ length: 150 }, (_, n) => count(9, "name", `Bot ${n}`, 1000 - n));
    const old = count(7, "name", "Old", 1);
    const people = count(9, "crawler", "true", 4);
    await store.write(batchOf([row("A")], [old, count(8, "name", odd, 2), ...names]));
    await store.write(batchOf([row("A")], [count(8, "name", odd, 3), count(8, "spoofed", odd, 1), people]));
    const eight = [count(8, "name", odd, 5), count(8, "spoofed", odd, 1)];
    const nine = [...names, people];
    for (const [since, until, expected] of [
      [7, 10, [old, ...eight, ...nine]],
      [9, 10, nine],
      [8, 9, eight],
    ] as const)
      assert.deepEqual(sorted(await store.traffic(since * hour, until * hour)), sorted(expected));
    await store.tidy({ limit: 10, trafficBefore: 8 * hour });
    assert.deepEqual(sorted(await store.traffic(0, 10 * hour)), sorted([...eight, ...nine]));
  });

  check("a list that is being read sees no string twice while others write", async (store) => {
    await fill(store, numbered(1500));
    const seen: string[] = [];
    let time = 200_000;
    for await (const page of listPages(store, {})) {
      seen.push(...useragents(page));
      await store.write(batchOf([row("UA 1300", { lastSeen: ++time }), row(`New ${time}`, { lastSeen: time })]));
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
    for (let step = 1; step <= 40; step++) {
      const names = new Set(Array.from({ length: random(20) }, () => random(60)));
      // One time a string, since stores may order equal times as they like.
      const batch = [...names].map((n, at) =>
        row(`UA ${n}\0`, { count: 1 + random(9), lastSeen: step * 1000 + at, crawler: random(2) === 1 }),
      );
      const retention = { ...keepTraffic, limit: 30 + random(30), before: step % 10 === 0 ? step * 900 : 0 };
      for (const each of [store, model]) await each.write(batchOf(batch));
      assert.equal(await store.tidy(retention), await model.tidy(retention));
      assert.equal(await store.count({}), await model.count({}));
    }
    assert.deepEqual(await listAll(store), await listAll(model));
  });

  check("opening again at any time does no harm", async (store) => {
    await store.write(batchOf([row("A")]));
    await Promise.all([store.open(), store.write(batchOf([row("A")])).catch(() => {}), store.open()]);
    await store.open();
    assert.ok((await listAll(store))[0]!.count >= 1);
  });
}

/** What stores do whose strings outlive them, and what they do when their place fails. */
function testLasting(check: CheckLasting, faults: readonly string[]): void {
  /** Writes, again where another store's write takes longer than this one waits. */
  async function retry(store: Store, batch: Batch): Promise<void> {
    for (let isWritten = false; !isWritten; )
      isWritten = await store.write(batch).then(
        () => true,
        (error) => {
          assert.match(error.message, /\blocked\b/);
          return false;
        },
      );
  }

  check("what is written outlives the store", async ({ another }, store) => {
    await store.open();
    await store.write(
      batchOf([row("A"), row("B", { count: 5 })], [{ hour: 1, dimension: "name", value: "N", count: 2 }]),
    );
    await store.close();
    const later = another();
    await later.open();
    await later.write(batchOf([row("B", { count: 2, lastSeen: 2000 })]));
    await later.close();
    await store.open();
    assert.deepEqual(await listAll(store), [row("B", { count: 7, lastSeen: 2000 }), row("A")]);
    assert.deepEqual(await store.traffic(0, 2), [{ hour: 1, dimension: "name", value: "N", count: 2 }]);
  });

  check("stores that begin and write at once in one place add up", async ({ another, remove }, first) => {
    const stores = [first, another(), another()];
    for (let round = 0; round < 3; round++) {
      await Promise.all(stores.map((store) => store.open()));
      if (round < 2) await remove();
    }
    const rows = numbered(300);
    await Promise.all(
      stores.map(async (store, n) => {
        // Each in another order, where locking rows in the order given would be a deadlock.
        for (let round = 0; round < 6; round++)
          await retry(store, batchOf(n % 2 ? rows : [...rows.slice(n * 10), ...rows.slice(0, n * 10)].reverse()));
      }),
    );
    assert.deepEqual(
      await listAll(first),
      rows.map((each) => ({ ...each, count: 18 })),
    );
    // And when each of them evicts what others are writing.
    await Promise.all(
      stores.map(async (store, n) => {
        for (let round = 0; round < 6; round++)
          await retry(
            store,
            batchOf(rows.map((each) => ({ ...each, useragent: `${n % 2} ${round} ${each.useragent}` }))),
          );
        await store.tidy({ ...keepTraffic, limit: 250 }).catch(() => {});
      }),
    );
    await first.tidy({ ...keepTraffic, limit: 250 });
    assert.equal((await listAll(stores[1]!)).length, 250);
    await Promise.all(stores.map((store) => store.close()));
  });

  check("several processes count together, and kill -9 loses nothing that was written", async ({ address }, store) => {
    const killed = startRecording(address);
    await killed.until(({ status }) => (status?.written ?? 0) > 300);
    await killed.end("SIGKILL");
    await store.open();
    const rows = await listAll(store);
    assert.ok(rows.length >= killed.last().status!.written);
    const counts = new Map(rows.map(({ useragent, count }) => [useragent, count]));
    for (let n = 0; n < rows.length; n++) assert.equal(counts.get(`UA ${n}`), 1);

    const others = [startRecording(address, { most: 200 }), startRecording(address, { most: 200 })];
    for (const each of others) await each.until(({ closed }) => closed?.lost === 0);
    for (const { useragent, count } of await listAll(store))
      assert.equal(count, Number(useragent.slice(3)) < 200 ? 3 : 1);
  });

  check("a write does not wait for searches", async (_, store) => {
    await store.open();
    await fill(store, numbered(5000));
    let ended = 0;
    const searches = Array.from({ length: 60 }, async () => {
      assert.deepEqual((await store.page({ q: "nowhere" }, 0, 250)).rows, []);
      ended++;
    });
    await store.write(batchOf([row("A")]));
    assert.ok(ended < searches.length, `${ended} searches ended before`);
    await Promise.all(searches);
  });

  check("a batch is written whole or not at all, and what follows it is written", async (_, store) => {
    await store.open();
    const bad = { ...row("B"), count: null as unknown as number };
    await assert.rejects(store.write(batchOf([row("A"), bad, row("C")])), /NOT NULL|not-null/);
    await store.write(batchOf([row("D")]));
    assert.deepEqual(await listAll(store), [row("D")]);
    // Nor is a failure of the batch one of the place.
    await store.open();
    assert.deepEqual(await listAll(store), [row("D")]);
  });

  check("another version of the schema is refused, told what to do about, and not changed", async (place, store) => {
    await store.open();
    await store.write(batchOf([row("A")]));
    await store.close();
    for (const version of [3, 5]) {
      await place.setVersion(version);
      await assert.rejects(store.open(), new StoreError(place.refusal(version)));
      await store.close();
    }
    await place.setVersion(4);
    await store.open();
    assert.deepEqual(await listAll(store), [row("A")]);
  });

  check(
    "a place that is removed while it is used is begun anew, and answers nothing until then",
    async (place, store) => {
      await store.open();
      await store.write(batchOf([row("A")]));
      const reads = [
        () => store.count({}),
        () => store.count({ q: "u" }),
        () => store.page({}, 0, 1),
        () => store.page({ q: "u" }, 0, 1),
        () => store.traffic(0, 1),
      ];
      for (const read of reads) await read();
      await place.remove();
      for (const read of reads) await assert.rejects(read(), { name: "StoreError" });
      await assert.rejects(store.tidy({ ...keepTraffic, limit: 1 }), { name: "StoreError" });
      await assert.rejects(store.write(batchOf([row("B")])), { name: "StoreError" });
      await store.open();
      await store.write(batchOf([row("B")]));
      assert.deepEqual(await listAll(store), [row("B")]);
    },
  );

  for (const what of faults)
    check(
      `${what}: the store says so, and loses and repeats nothing when that is over`,
      async ({ another, ...place }) => {
        const { isOpen, reason, begin } = place.faults[what]!;
        const store = another(500);
        const early = isOpen ? [row("Early")] : [];
        if (isOpen) {
          await store.open();
          await store.write(batchOf(early));
        }
        const batch = batchOf([row("A", { lastSeen: 2000 })]);
        const write = async () => {
          await store.open();
          await store.write(batch);
        };
        const end = await begin();
        for (let twice = 0; twice < 2; twice++)
          await assert.rejects(write(), (error: Error) => error instanceof StoreError && reason.test(error.message));
        await end();
        await write();
        assert.deepEqual(await listAll(store), [row("A", { lastSeen: 2000 }), ...early]);
        await store.close();
      },
    );
}
