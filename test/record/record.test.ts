/** Writing, pausing and resuming, against a store whose failures are scripted; sqlite-faults and postgres-faults use real ones. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore } from "../../src/record/memory-store.ts";
import { noRecord } from "../../src/record/no-record.ts";
import { createRecord, type RecordOptions } from "../../src/record/record.ts";
import { type Batch, type Store, StoreError } from "../../src/record/store.ts";
import { listAll } from "./store-suite.ts";

/** A store in memory that runs `before` ahead of each opening and write. */
function scripted(before: (what: "open" | "write", batch?: Batch) => Promise<void> | void) {
  const memory = createMemoryStore();
  const calls: string[] = [];
  const store: Store = {
    ...memory,
    async open() {
      calls.push("open");
      await before("open");
    },
    async write(batch) {
      calls.push("write");
      await before("write", batch);
      return memory.write(batch);
    },
  };
  return { store, memory, calls };
}

function make(store: Store, options: Partial<RecordOptions> = {}) {
  const logged: string[] = [];
  const log = (level: string, message: string) => void logged.push(`${level}: ${message}`);
  return { record: createRecord({ store, clock: Date.now, flushIntervalMs: 20, log, ...options }), logged };
}

/** With more time than a busy machine needs. */
const check = (what: string, body: () => Promise<void> | void) => test(what, { timeout: 60_000 }, body);
const ua = (useragent: string) => ({ useragent, crawler: false });
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function until(what: () => boolean, timeoutMs = 20_000): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !what(); await sleep(5))
    assert.ok(Date.now() < deadline, `waited ${timeoutMs} ms for ${what}`);
}

check("notes are written by themselves, within the interval", async () => {
  const { store, memory } = scripted(() => {});
  const { record } = make(store);
  for (const useragent of ["A", "B", "A"]) record.note(ua(useragent));
  assert.equal(record.status().queued, 2);
  await until(() => record.status().written === 3);
  assert.equal(await memory.count({}), 2);
  assert.deepEqual({ ...record.status() }, { state: "recording", queued: 0, dropped: 0, written: 3, lagMs: 0 });
  await record.close();
});

check("a list has what was noted before it", async () => {
  const { record } = make(createMemoryStore(), { flushIntervalMs: 60_000 });
  record.note({ useragent: "A", crawler: true, name: "A", category: "ai" });
  record.note(ua("B"));
  assert.equal(await record.count(), 2);
  assert.deepEqual(
    (await listAll(record, { crawler: true })).map((row) => row.useragent),
    ["A"],
  );
  await record.close();
});

check("times are those of the notes, to within the interval", async () => {
  let now = 1_000_000;
  const { record } = make(createMemoryStore(), { clock: () => now, flushIntervalMs: 20 });
  record.note(ua("A"));
  await record.flush();
  now += 5000;
  record.note(ua("A"));
  const [row] = await listAll(record);
  assert.deepEqual(row, { useragent: "A", crawler: false, count: 2, firstSeen: 1_000_000, lastSeen: 1_005_000 });
  await record.close();
});

check("a store that fails pauses recording, loses nothing, and recording goes on by itself", async () => {
  let failing = true;
  const { store, memory } = scripted(() => {
    if (failing) throw new StoreError("the disk is full");
  });
  const { record, logged } = make(store);
  for (let n = 0; n < 300; n++) {
    record.note(ua(`UA ${n % 100}`));
    if (n % 30 === 0) await sleep(5);
  }
  await until(() => record.status().state === "paused");
  await sleep(300);
  assert.equal(record.status().reason, "the disk is full");
  assert.equal(record.status().queued, 100);
  assert.ok(record.status().lagMs >= 300);
  failing = false;
  await until(() => record.status().state === "recording");
  assert.equal(
    (await listAll(memory)).reduce((sum, row) => sum + row.count, 0),
    300,
  );
  assert.deepEqual(logged, ["error: recording is paused: the disk is full", "info: recording goes on"]);
  assert.equal(record.status().reason, undefined);
  await record.close();
});

check("it says that it records again although nobody asks anything", async () => {
  let failures = 3;
  const { store } = scripted((what) => {
    if (what === "open" && failures-- > 0) throw new StoreError("no answer");
  });
  const { record } = make(store);
  await until(() => record.status().state === "paused");
  await until(() => record.status().state === "recording");
  await record.close();
});

check("after a failure the store is opened again before it is written to", async () => {
  let failures = 1;
  const { store, calls } = scripted((what) => {
    if (what === "write" && failures-- > 0) throw new StoreError("connection lost");
  });
  const { record } = make(store);
  record.note(ua("A"));
  await until(() => record.status().written === 1);
  assert.deepEqual(calls, ["open", "write", "open", "write"]);
  await record.close();
});

check("while the store fails memory stays within the bound, and drops are counted", async () => {
  const { store, memory } = scripted(() => {
    if (failing) throw new StoreError("gone");
  });
  let failing = true;
  const { record, logged } = make(store, { bounds: { strings: 200, bytes: 1e6 } });
  for (let round = 0; round < 10; round++) {
    for (let n = 0; n < 50_000; n++) record.note(ua(`UA ${n}`));
    await sleep(5);
  }
  const { queued, dropped } = record.status();
  assert.equal(queued, 100);
  assert.equal(dropped, 10 * (50_000 - 100));
  failing = false;
  await until(() => record.status().queued === 0, 8000);
  const rows = await listAll(memory);
  assert.ok(rows.length === 100 && rows.every((row) => row.count === 10));
  assert.equal(logged.filter((line) => line.startsWith("warn: ")).length, 1);
  await record.close();
});

check("where new strings only push out others, fewer of them are taken, until that is over", async () => {
  const { record } = make(createMemoryStore(), { limit: 5000, flushIntervalMs: 60_000 });
  const flood = (name: string) => {
    for (let n = 0; n < 20_000; n++) record.note(ua(`${name} ${n}`));
    return record.status().queued;
  };
  await record.flush();
  // The first fills the record, the second finds no place there that is not another's.
  for (const name of ["a", "b"]) {
    assert.equal(flood(name), 8192);
    await record.flush();
  }
  assert.equal(flood("c"), 2048);
  // So many would be written ahead of time if it were worth it.
  await sleep(100);
  assert.equal(record.status().queued, 2048);
  await record.flush();
  assert.equal(flood("d"), 2048);
  await record.flush();
  for (let n = 0; n < 300; n++) record.note(ua(`d ${n}`));
  await record.flush();
  assert.equal(flood("e"), 8192);
  await record.close();
});

check("a store that hangs is reported, takes no notes with it, and does not hold up a list for long", async () => {
  let release = () => {};
  const { store, memory } = scripted((what) => {
    if (what === "write")
      return new Promise((resolve) => {
        release = resolve;
      });
  });
  const { record } = make(store);
  record.note(ua("A"));
  await sleep(60);
  for (let n = 0; n < 10; n++) record.note(ua("B"));
  const began = Date.now();
  assert.deepEqual(await listAll(record), []);
  assert.ok(Date.now() - began < 2000);
  await until(() => record.status().state === "paused");
  assert.equal(record.status().reason, "the store does not answer");
  assert.ok(record.status().lagMs >= 1000);
  assert.equal(record.status().queued, 2);
  release();
  await sleep(60);
  release();
  await until(() => record.status().queued === 0);
  assert.equal(
    (await listAll(memory)).reduce((sum, row) => sum + row.count, 0),
    11,
  );
  await record.close();
});

check(
  "a batch that failed comes again as it was, so that a store knows it, and what came meanwhile follows",
  async () => {
    const batches: (Batch | undefined)[] = [];
    const { store, memory } = scripted((what, batch) => {
      if (what === "write" && batches.push(batch) <= 3) throw new StoreError("connection lost");
    });
    const { record } = make(store);
    record.note(ua("A"));
    await until(() => record.status().state === "paused");
    for (const useragent of ["A", "B"]) record.note(ua(useragent));
    assert.equal(record.status().queued, 2);
    await until(() => record.status().queued === 0);
    assert.deepEqual(batches.slice(1, 4), [batches[0], batches[0], batches[0]]);
    assert.ok(batches[4]!.id > batches[0]!.id);
    assert.deepEqual((await listAll(memory)).map(({ useragent, count }) => [useragent, count]).sort(), [
      ["A", 2],
      ["B", 1],
    ]);
    assert.equal(record.status().written, 3);
    await record.close();
  },
);

check("a flush that finds another one running writes what that one has not", async () => {
  const waiting: (() => void)[] = [];
  const { store, memory } = scripted((what) => {
    if (what === "write") return new Promise((resolve) => void waiting.push(resolve));
  });
  const { record } = make(store, { flushIntervalMs: 60_000 });
  await record.flush();
  record.note(ua("A"));
  const first = record.flush();
  await until(() => waiting.length === 1);
  record.note(ua("B"));
  const second = record.flush();
  waiting[0]!();
  assert.equal(await first, true);
  assert.equal(await memory.count({}), 1);
  await until(() => waiting.length === 2);
  waiting[1]!();
  assert.equal(await second, true);
  assert.equal(await memory.count({}), 2);
  await record.close();
});

check("closing does not wait for a backoff, since the store may be back", async () => {
  let isFailing = true;
  const { store, calls } = scripted((what) => {
    if (what === "write" && isFailing) throw new StoreError("away");
  });
  const { record, logged } = make(store, { flushIntervalMs: 1 });
  record.note(ua("A"));
  const began = performance.now();
  // Each failure doubles the backoff: before the fifth they were 1.1 s at least, after it there is one of 1.2 s.
  await until(() => calls.filter((call) => call === "write").length === 5);
  assert.ok(performance.now() - began > 1000);
  isFailing = false;
  assert.deepEqual(await record.close(500), { lost: 0 });
  assert.equal(logged.at(-1), "info: recording goes on");
});

check("a read that fails says so, and does not stop recording", async () => {
  const { store, memory } = scripted(() => {});
  let broken = true;
  store.count = async (query) => {
    if (broken) throw new StoreError("the file is corrupt");
    return memory.count(query);
  };
  const { record } = make(store);
  await record.flush();
  await assert.rejects(record.count(), StoreError);
  record.note(ua("A"));
  await until(() => record.status().written === 1);
  broken = false;
  assert.equal(await record.count(), 1);
  await record.close();
});

check("a list from a store that cannot be opened is refused, not empty", async () => {
  const { store } = scripted(() => {
    throw new StoreError("no such host");
  });
  const { record } = make(store);
  await assert.rejects(listAll(record), /no such host/);
  await record.close(50);
});

check("a list beyond the last string reads nothing", async () => {
  const memory = createMemoryStore();
  const { record } = make({ ...memory, page: () => assert.fail("a page was read") });
  record.note(ua("A"));
  for (const offset of [1, 999_999_999]) assert.deepEqual(await listAll(record, { q: "a", offset }), []);
  await record.close();
});

check("a list ends when its time is over, and recording goes on", async () => {
  const { record } = make(createMemoryStore());
  for (let n = 0; n < 1000; n++) record.note(ua(`UA ${n}`));
  const aborter = new AbortController();
  const pages = record.list({}, aborter.signal)[Symbol.asyncIterator]();
  assert.equal((await pages.next()).value?.length, 250);
  aborter.abort(new Error("out of time"));
  await assert.rejects(async () => pages.next(), /out of time/);
  assert.equal(record.status().state, "recording");
  await record.close();
});

check("long strings are written ahead of time, before they fill the memory they may take", async () => {
  const { record } = make(createMemoryStore(), {
    flushIntervalMs: 60_000,
    bounds: { strings: 16_384, bytes: 1024 * 1024 },
  });
  await record.flush();
  for (let n = 0; n < 100; n++) record.note(ua(`${n} ${"x".repeat(2000)}`));
  await until(() => record.status().written === 100);
  assert.equal(record.status().dropped, 0);
  await record.close();
});

check("closing writes everything, and later notes are dropped", async () => {
  const { store, memory } = scripted(() => sleep(5));
  const { record } = make(store, { flushIntervalMs: 60_000 });
  for (let n = 0; n < 2000; n++) record.note(ua(`UA ${n}`));
  const late: unknown[] = [];
  memory.close = async () => {};
  store.close = async () => void late.push(await memory.count({}));
  assert.deepEqual(await record.close(), { lost: 0 });
  assert.deepEqual(late, [2000]);
  record.note(ua("late"));
  assert.equal(record.status().dropped, 1);
  assert.equal(record.status().state, "closed");
  assert.deepEqual(await record.close(), { lost: 0 });
  await assert.rejects(record.count(), /closed/);
  assert.equal(await record.flush(), false);
});

check("closing tries again while the store fails, for as long as it may, and says what was lost", async () => {
  let failures = 3;
  const first = scripted((what) => {
    if (what === "write" && failures-- > 0) throw new StoreError("locked");
  });
  const patient = make(first.store, { flushIntervalMs: 60_000 }).record;
  patient.note(ua("A"));
  assert.deepEqual(await patient.close(), { lost: 0 });

  const second = scripted((what) => {
    if (what === "write") throw new StoreError("full");
  });
  const { record } = make(second.store, { flushIntervalMs: 60_000 });
  for (const useragent of ["A", "B", "A"]) record.note(ua(useragent));
  const began = Date.now();
  assert.deepEqual(await record.close(300), { lost: 3 });
  assert.ok(Date.now() - began < 2000);

  const third = make(scripted((what) => (what === "write" ? new Promise(() => {}) : undefined)).store).record;
  third.note(ua("A"));
  assert.deepEqual(await third.close(200), { lost: 1 });
});

check("strings unseen for longer than the time to live leave", async () => {
  let now = 1_000_000;
  const { record } = make(createMemoryStore(), { clock: () => now, ttlMs: 2000 });
  record.note(ua("A"));
  await record.flush();
  now += 1500;
  record.note(ua("B"));
  await record.flush();
  now += 1500;
  await sleep(1200);
  assert.deepEqual(
    (await listAll(record)).map((row) => row.useragent),
    ["B"],
  );
  await record.close();
});

check("whatever is noted, note does not throw", () => {
  const { record } = make(createMemoryStore());
  for (const useragent of [undefined, null, 5, {}, Symbol("s")]) record.note({ useragent, crawler: true } as never);
  record.note(undefined as never);
  void record.close();
});

check("a record that is off keeps nothing", async () => {
  noRecord.note(ua("A"));
  assert.equal(await noRecord.flush(), true);
  assert.equal(await noRecord.count(), 0);
  assert.deepEqual(await listAll({ list: () => noRecord.list() }), []);
  assert.equal(noRecord.status().state, "off");
  assert.deepEqual(await noRecord.close(), { lost: 0 });
});
