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
import { until } from "../support/until.ts";
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
  /** Runs statements of SQL in it. */
  run(sql: string): unknown;
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
  "\ufffd",
  "a\ufffdb\ufffd",
  "lone \ufffd low",
  "pair \u{1f980} and lone \ufffd end",
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

export interface TestedStore {
  /** Why its tests must be skipped, or false. */
  readonly skip?: string | false;
  /** The faults that its places know. */
  readonly faults?: readonly string[];
}

/** Tests the stores of the places that `makePlace` makes, each of them empty. */
export function testStore(
  name: string,
  { skip = false, faults = [] }: TestedStore,
  makePlace: () => Promise<Place>,
): void {
  const check: Check = (what, body) =>
    test(`${name}: ${what}`, { skip }, async () => {
      const place = await makePlace();
      await body(place.store, place).finally(() => place.store.close());
    });
  // One store does for all of the contract where it can be emptied: starting its threads takes longer than most checks.
  let kept: Place | undefined;
  after(() => kept?.store.close());
  testContract((what, body) =>
    test(`${name}: ${what}`, { skip }, async () => {
      const place = kept ?? (await makePlace());
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
  check("a new record is empty, and every fact comes back", async (store) => {
    await store.write(batchOf([]));
    await store.tidy({ ...keepTraffic, limit: 10, before: 5 });
    assert.deepEqual([await listAll(store), await store.count({})], [[], 0]);
    const whole = row("FooBot/1.0", {
      cut: true,
      crawler: true,
      name: "FooBot\ufffd\ufffd",
      operator: "Foo & Söhne",
      category: "search-engine",
      count: 2 ** 40,
      firstSeen: 1_700_000_000_000,
      lastSeen: 1_800_000_000_000,
    });
    await store.write(batchOf([whole, row("Mozilla/5.0")]));
    assert.deepEqual(await listAll(store), [whole, row("Mozilla/5.0")]);
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
    assert.deepEqual(useragents(await listAll(store, { q: "lone \udc00 l" })), ["lone \ufffd low"]);
  });

  check("a search knows small and capital letters of every alphabet", async (store) => {
    const names = ["ÜBERtest/1", "übertest/2", "ÑÁÉ Бот ΣΊΣΥΦΟΣ/3", "ubertest/4", "A\ufffdÜ"];
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

  check("does what the oracle does, on random writes and questions", async (store) => {
    const oracle = createMemoryStore();
    let seed = 42;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;
    const categories = ["ai", "seo", undefined] as const;
    const dimensions = ["name", "crawler", "category", "spoofed"] as const;
    for (let step = 1; step <= 60; step++) {
      const numbers = new Set(Array.from({ length: random(batchRows) }, () => random(900)));
      // One time and one count a string, since stores may order equal ones as they like.
      const rows = [...numbers].map((n, at): RecordedString => {
        // Some batches come late.
        const time = random(3) === 0 ? (step - 3) * 1000 + 500 : step * 1000;
        const [name, category] = [pick(["Bot \ufffd\ufffd 'é", "Bot", undefined]), pick(categories)];
        return row(`${pick(["UA", "ÜA"])} ${n}\ufffd`, {
          ...(category && { crawler: true, category: name ? "ai" : category }),
          ...(name && category && { name: `${name} ${random(1000)}` }),
          ...(random(5) === 0 && { cut: true as const, operator: "Foo & Söhne" }),
          count: 1 + random(2 ** 30),
          firstSeen: time - at,
          lastSeen: time + at,
        });
      });
      const traffic = new Map(
        Array.from({ length: 9 }, () => [pick(dimensions), random(4), step - random(3)] as const).map((each) => [
          each.join(),
          {
            ...{ hour: each[2], dimension: each[0], count: 1 + random(9) },
            value: each[1] === 0 ? "" : `__proto__\ufffd ${each[1]}`,
          },
        ]),
      );
      const batch = batchOf(rows, [...traffic.values()]);
      const retention = {
        limit: 300 + random(600),
        trafficBefore: step - 5,
        ...(step % 10 === 0 && { before: (step - 9) * 1000 }),
      };
      const query: RecordQuery = {
        ...pick([
          {},
          { q: pick(["ua", "Üa 1", "7\0", "x"]) },
          { category: "ai" },
          { crawler: random(2) === 1 },
        ] as const),
        ...pick([{}, { order: pick(["count", "first-seen"] as const), limit: 200 }, { limit: random(600) }]),
        ...pick([{}, { offset: random(400) }]),
      };
      for (const each of [store, oracle]) await each.write(batch);
      assert.equal(await store.tidy(retention), await oracle.tidy(retention));
      assert.deepEqual(await listAll(store, query), await listAll(oracle, query), JSON.stringify(query));
      assert.equal(await store.count(query), await oracle.count(query));
      const since = random(step * 1000);
      assert.deepEqual(await store.newCrawlers(since), await oracle.newCrawlers(since));
      const sorted = async (of: Store) =>
        (await of.traffic(step - 7, step)).map((each) => JSON.stringify(Object.entries(each).sort())).sort();
      assert.deepEqual(await sorted(store), await sorted(oracle));
      const terms = { since: step - 2, until: step - random(2), requests: random(20), factor: random(4), beforeMs: 2 };
      const ask = async (of: Store) => [
        await Promise.all([of.firstHour(0), of.firstHour(step - 1), of.firstHour(step + 1)]),
        await of.sightings(step - 3),
        await of.hoursOf("__proto__\ufffd 1", step - 3),
        await of.spikes(terms),
      ];
      assert.deepEqual(await ask(store), await ask(oracle));
    }
    assert.deepEqual(await listAll(store), await listAll(oracle));
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
    assert.deepEqual(await store.traffic(0, 2), [{ hour: 0, dimension: "name", value: "N", count: 2 }]);
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
    for (const version of [2, 5]) {
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
        const write = async (batch: Batch) => {
          await store.open();
          await store.write(batch);
        };
        /** Also on a machine that is too busy for the time that the store waits. */
        const writeAtLast = (batch: Batch) =>
          until(() =>
            write(batch).then(
              () => true,
              () => false,
            ),
          );
        if (isOpen) await writeAtLast(batchOf(early));
        const batch = batchOf([row("A", { lastSeen: 2000 })]);
        const end = await begin();
        for (let twice = 0; twice < 2; twice++)
          await assert.rejects(
            write(batch),
            (error: Error) => error instanceof StoreError && reason.test(error.message),
          );
        await end();
        await writeAtLast(batch);
        await store.close();
        const later = another();
        await later.open();
        assert.deepEqual(await listAll(later), [row("A", { lastSeen: 2000 }), ...early]);
        await later.close();
      },
    );
}
