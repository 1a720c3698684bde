/**
 * When the record writes, pauses and goes on, to the millisecond, against a store whose failures are scripted; sqlite-faults
 * and postgres-faults use real ones.
 */
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { createMemoryStore } from "../../src/record/memory-store.ts";
import { createRecord, noRecord, type RecordOptions, type UserAgentRecord } from "../../src/record/record.ts";
import { type Batch, type Retention, type Store, StoreError } from "../../src/record/store.ts";
import { crawler } from "../support/verdicts.ts";
import { fakeTime } from "./fake-time.ts";
import { listAll } from "./store-suite.ts";

let time = fakeTime();
beforeEach(() => {
  time.restore();
  time = fakeTime();
});
after(() => time.restore());

/** What the store is asked, and when. */
type Call = readonly [ms: number, what: "open" | "write" | "tidy" | "close"];

/** A store in memory that runs `before` ahead of what it is asked. */
function scripted(before: (what: Call[1], batch?: Batch) => Promise<void> | void = () => {}) {
  const memory = createMemoryStore();
  const calls: Call[] = [];
  const retentions: Retention[] = [];
  const ask = async (what: Call[1], batch?: Batch) => {
    calls.push([time.now(), what]);
    await before(what, batch);
  };
  const store: Store = {
    ...memory,
    open: () => ask("open"),
    async write(batch) {
      await ask("write", batch);
      return memory.write(batch);
    },
    async tidy(retention) {
      await ask("tidy");
      retentions.push(retention);
      return memory.tidy(retention);
    },
    close: () => ask("close"),
  };
  /** When it was asked this. */
  const timesOf = (what: Call[1]) => calls.filter((call) => call[1] === what).map(([ms]) => ms);
  return { store, memory, calls, retentions, timesOf };
}

/** The time, in ms since 1970, at which these tests begin. */
const began = 1_700_000_000_000;

function make(store: Store, options: Partial<RecordOptions> = {}) {
  const logged: string[] = [];
  const log = (level: string, message: string) => void logged.push(`${level}: ${message}`);
  return { record: createRecord({ store, clock: () => began + time.now(), log, ...options }), logged };
}

const ua = (useragent: string) => ({ useragent, crawler: false }) as const;
const noteMany = (record: UserAgentRecord, count: number, name = "UA") => {
  for (let n = 0; n < count; n++) record.note(ua(`${name} ${n}`));
};
const countsOf = async (store: Pick<Store, "page" | "count">) =>
  Object.fromEntries((await listAll(store)).map(({ useragent, count }) => [useragent, count]));
/** A promise that a test settles. */
function gate() {
  let open = () => {};
  let fail = (_error: Error) => {};
  const promise = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}
/** Closes a record whose store may not answer. */
async function giveUp(record: UserAgentRecord): Promise<void> {
  const closing = record.close(0);
  await time.pass(1000);
  await closing;
}
const isPending = async (promise: Promise<unknown>) => {
  let over = false;
  void promise.then(
    () => (over = true),
    () => (over = true),
  );
  await time.settle();
  return !over;
};

test("notes are written every half a second", async () => {
  const { store, memory, timesOf } = scripted();
  const { record, logged } = make(store);
  assert.deepEqual(record.status(), { state: "opening", queued: 0, dropped: 0, written: 0, lagMs: 0 });
  await time.pass(100);
  for (const useragent of ["A", "B", "A"]) record.note(ua(useragent));
  await time.pass(399);
  assert.deepEqual(record.status(), { state: "recording", queued: 2, dropped: 0, written: 0, lagMs: 399 });
  await time.pass(1);
  assert.deepEqual(await countsOf(memory), { A: 2, B: 1 });
  assert.deepEqual(record.status(), { state: "recording", queued: 0, dropped: 0, written: 3, lagMs: 0 });
  await time.pass(2000);
  record.note(ua("C"), 5);
  await time.pass(2000);
  assert.equal(record.status().written, 8);
  assert.deepEqual(timesOf("write"), [500, 3000]);
  assert.deepEqual(logged, []);
  await record.close();
});

test("an interval of one's own holds, and times are those of the notes", async () => {
  const { store, memory, timesOf } = scripted();
  const { record } = make(store, { flushIntervalMs: 20 });
  await time.pass(5);
  record.note(ua("A"));
  await time.pass(40);
  record.note(ua("A"));
  await time.pass(40);
  assert.deepEqual(timesOf("write"), [20, 60]);
  assert.deepEqual(await listAll(memory), [{ ...ua("A"), count: 2, firstSeen: began + 5, lastSeen: began + 45 }]);
  await record.close();
});

test("what would fill memory is written at once, also when it comes while another write runs", async () => {
  for (const [what, many, text, bounds] of [
    ["strings", 2048, "", undefined],
    // 320 bytes and two for each of 2000 characters: a quarter of 1,000,000 bytes.
    ["bytes", 58, "x".repeat(1995), { strings: 16_384, bytes: 1_000_000 }],
  ] as const) {
    const held = gate();
    const { store, timesOf } = scripted((call) => (call === "write" ? held.promise : undefined));
    const start = time.now();
    const { record } = make({ ...store, batchRows: 5000 }, bounds && { bounds });
    const noteTo = (from: number, to: number) => {
      for (let n = from; n < to; n++) record.note(ua(String(n).padStart(5, "0") + text));
    };
    await time.pass(10);
    noteTo(0, many - 1);
    await time.pass(10);
    assert.deepEqual(timesOf("write"), [], what);
    noteTo(many - 1, many);
    await time.pass(10);
    assert.deepEqual(timesOf("write"), [start + 20], what);
    // What waits now is not what is written, and comes after it and after as much rest.
    noteTo(many, 2 * many);
    await time.pass(20);
    assert.equal(timesOf("write").length, 1, what);
    held.open();
    await time.pass(29);
    assert.equal(timesOf("write").length, 1, what);
    await time.pass(1);
    assert.deepEqual(timesOf("write"), [start + 20, start + 80], what);
    assert.equal(record.status().written, 2 * many);
    await giveUp(record);
  }
});

test("writing takes half of the time at most, but waits no longer than its interval", async () => {
  for (const [takesMs, next] of [
    [200, 400],
    [1200, 1700],
  ] as const) {
    const { store, timesOf } = scripted((what) => {
      if (what === "write") return new Promise((resolve) => void setTimeout(resolve, takesMs));
    });
    const { record } = make({ ...store, batchRows: 5000 });
    const start = time.now();
    await time.pass(0);
    for (const name of ["a", "b"]) {
      noteMany(record, 2048, name);
      await time.pass(10);
    }
    await time.pass(3000);
    assert.deepEqual(
      timesOf("write").map((ms) => ms - start),
      [0, next],
    );
    await giveUp(record);
  }
});

test("the total is known at once, with what waits to be written", async () => {
  const { record } = make(scripted().store);
  assert.equal(record.total(), undefined);
  await record.flush();
  for (const useragent of ["A", "B", "A"]) record.note(ua(useragent));
  assert.equal(record.total(), 2);
  await record.flush();
  for (const useragent of ["A", "C"]) record.note(ua(useragent));
  assert.equal(record.total(), 3);
  await record.flush();
  assert.equal(record.total(), await record.count());
  await record.close();
  assert.equal(record.total(), undefined);
  const { total: _, ...store } = createMemoryStore();
  const other = make(store).record;
  await other.flush();
  assert.equal(other.total(), undefined);
});

test("a list has what was noted before it", async () => {
  const { record } = make(createMemoryStore());
  record.note(crawler("A", { name: "A", category: "ai" }));
  record.note(ua("B"));
  assert.equal(await record.count(), 2);
  record.note(ua("C"));
  assert.equal(await record.count({ crawler: false }), 2);
  assert.deepEqual(
    (await listAll(record, { crawler: true })).map((row) => row.useragent),
    ["A"],
  );
  await record.close();
});

test("a store that fails pauses recording, loses nothing, and recording goes on by itself", async () => {
  let failing = true;
  const { store, memory } = scripted(() => {
    if (failing) throw new StoreError("the disk is full");
  });
  const { record, logged } = make(store);
  noteMany(record, 100);
  await time.pass(300);
  noteMany(record, 100);
  await time.pass(30_000);
  assert.deepEqual(record.status(), {
    state: "paused",
    reason: "the disk is full",
    queued: 100,
    dropped: 0,
    written: 0,
    lagMs: 30_300,
  });
  failing = false;
  await time.pass(7000);
  assert.deepEqual(record.status(), { state: "recording", queued: 0, dropped: 0, written: 200, lagMs: 0 });
  assert.ok(Object.values(await countsOf(memory)).every((count) => count === 2));
  assert.deepEqual(logged, ["error: recording is paused: the disk is full", "info: recording goes on"]);
  await record.close();
});

test("each reason is logged once, whatever was thrown", async () => {
  const reasons: unknown[] = [new StoreError("a"), new StoreError("a"), new Error("b"), "c"];
  const { store } = scripted(() => {
    if (reasons.length > 0) throw reasons.shift();
  });
  const { record, logged } = make(store);
  await time.pass(10_000);
  assert.deepEqual(logged, [
    "error: recording is paused: a",
    "error: recording is paused: b",
    "error: recording is paused: c",
    "info: recording goes on",
  ]);
  await record.close();
});

test("attempts come half as often each time, by chance, up to every five seconds, and often again after a success", async () => {
  // Of the backoffs 100, 200, 400 … 5000: three quarters at least, five quarters at most.
  for (const [chance, attempts] of [
    [0, [0, 75, 225, 525, 1125, 2325, 4725, 8475, 12_225]],
    [1, [0, 125, 375, 875, 1875, 3875, 7875, 14_125, 20_375]],
  ] as const) {
    time.restore();
    time = fakeTime();
    time.chance(chance);
    let failing = true;
    const { store, timesOf } = scripted(() => {
      if (failing) throw new StoreError("away");
    });
    const { record } = make(store, { flushIntervalMs: 5 });
    await time.pass(attempts.at(-1)!);
    assert.deepEqual(timesOf("open"), attempts);
    assert.equal(await record.flush(), false);
    assert.deepEqual(timesOf("open"), attempts);
    failing = false;
    await time.pass(6250);
    assert.equal(record.status().state, "recording");
    failing = true;
    record.note(ua("A"));
    await time.pass(200);
    const failedAt = timesOf("write")[0] ?? 0;
    assert.equal(
      timesOf("open").find((ms) => ms > failedAt),
      failedAt + (chance ? 125 : 75),
    );
    await giveUp(record);
  }
});

test("after a failure the store is opened again before it is written to", async () => {
  let failures = 1;
  const { store, calls } = scripted((what) => {
    if (what === "write" && failures-- > 0) throw new StoreError("connection lost");
  });
  const { record } = make(store);
  await record.flush();
  record.note(ua("A"));
  await time.pass(2000);
  assert.deepEqual(
    calls.map(([, what]) => what),
    ["open", "tidy", "write", "open", "write"],
  );
  await record.close();
});

test("while the store fails memory stays within the bound, and drops are logged once a minute", async () => {
  let failing = true;
  const { store, memory } = scripted(() => {
    if (failing) throw new StoreError("gone");
  });
  const { record, logged } = make(store, { bounds: { strings: 200, bytes: 1e6 } });
  noteMany(record, 150);
  assert.deepEqual([record.status().queued, record.status().dropped], [100, 50]);
  await time.pass(30_000);
  noteMany(record, 110);
  await time.pass(29_999);
  record.note(ua("D"), 7);
  assert.equal(record.status().dropped, 67);
  const drops = (count: number) => `warn: ${count} evaluations were dropped because the buffer was full`;
  const dropped = () => logged.filter((line) => line.startsWith("warn"));
  assert.deepEqual(dropped(), [drops(50)]);
  await time.pass(10_000);
  assert.deepEqual(dropped(), [drops(50), drops(17)]);
  failing = false;
  await time.pass(200_000);
  assert.deepEqual(dropped(), [drops(50), drops(17)]);
  const counts = Object.values(await countsOf(memory));
  assert.ok(counts.length === 100 && counts.every((count) => count === 2));
  await record.close();
});

test("where new strings only push out others, fewer of them are taken, until that is over", async () => {
  const { store, timesOf } = scripted();
  const { record } = make(store, { limit: 5000 });
  const flood = (name: string) => {
    noteMany(record, 20_000, name);
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
  const writes = timesOf("write").length;
  await time.pass(499);
  assert.equal(timesOf("write").length, writes);
  await time.pass(1);
  assert.ok(timesOf("write").length > writes);
  assert.equal(flood("d"), 2048);
  await record.flush();
  noteMany(record, 300, "d");
  await record.flush();
  assert.equal(flood("e"), 8192);
  await record.close();
});

test("fewer are taken only where half of what was written pushed out others", async () => {
  for (const [pushed, queued] of [
    [50, 2048],
    [49, 8192],
  ]) {
    const store: Store = { ...createMemoryStore(), tidy: async () => pushed! };
    const { record } = make(store, { limit: 1000 });
    await record.flush();
    noteMany(record, 100);
    await record.flush();
    noteMany(record, 20_000, "more");
    assert.equal(record.status().queued, queued);
    await giveUp(record);
  }
});

test("the record is tidied when it opens, every minute, and when a twentieth of its limit is new", async () => {
  const { store, timesOf, retentions } = scripted();
  const { record } = make(store, { limit: 200 });
  await time.pass(200_000);
  assert.deepEqual(timesOf("tidy"), [0, 54_000, 108_000, 162_000]);
  const hourMs = 3_600_000;
  const trafficOf = (now: number) => ({ trafficOpen: now - 3 * hourMs, trafficBefore: now - 35 * 24 * hourMs });
  assert.deepEqual(retentions.slice(0, 2), [
    { limit: 200, ...trafficOf(began) },
    { limit: 200, ...trafficOf(began + 54_000) },
  ]);
  noteMany(record, 10);
  await record.flush();
  assert.equal(timesOf("tidy").length, 4);
  noteMany(record, 1);
  await record.flush();
  assert.equal(timesOf("tidy").length, 5);
  noteMany(record, 10);
  await record.flush();
  assert.equal(timesOf("tidy").length, 5);
  await record.close();
  const unbounded = scripted();
  await make(unbounded.store).record.flush();
  assert.equal(unbounded.retentions[0]?.limit, 100_000);
});

test("strings unseen for longer than the time to live leave, in half of that time, but not more often than a second", async () => {
  for (const [ttlMs, tidied] of [
    [10_000, [0, 4500, 9000]],
    [20, [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000]],
    [86_400_000, [0]],
  ] as const) {
    time.restore();
    time = fakeTime();
    const { store, timesOf, retentions } = scripted();
    const { record } = make(store, { ttlMs });
    await time.pass(9999);
    assert.deepEqual(timesOf("tidy"), tidied);
    assert.equal(retentions.at(-1)?.before, began + tidied.at(-1)! - ttlMs);
    await record.close();
  }
});

test("a store that hangs is reported, takes no notes with it, and does not hold up a list for long", async () => {
  const held = gate();
  const { store, memory } = scripted((what) => (what === "write" ? held.promise : undefined));
  const { record, logged } = make(store);
  await time.pass(0);
  record.note(ua("A"));
  await time.pass(500);
  for (let n = 0; n < 10; n++) record.note(ua("B"));
  const listing = listAll(record);
  await time.pass(999);
  assert.ok(await isPending(listing));
  await time.pass(1);
  assert.deepEqual(await listing, []);
  // It has written since 500.
  await time.pass(2000);
  assert.equal(record.status().state, "recording");
  await time.pass(500);
  await time.pass(3000);
  assert.equal(record.status().reason, "the store does not answer");
  assert.deepEqual(logged, ["error: recording is paused: the store does not answer"]);
  assert.deepEqual([record.status().lagMs, record.status().queued], [7000, 2]);
  held.open();
  await time.pass(500);
  assert.deepEqual(await countsOf(memory), { A: 1, B: 10 });
  assert.equal(logged[1], "info: recording goes on");
  await record.close();
});

test("a batch that failed comes again as it was, so that a store knows it, and what came meanwhile follows", async () => {
  const batches: (Batch | undefined)[] = [];
  const { store, memory } = scripted((what, batch) => {
    if (what === "write" && batches.push(batch) <= 3) throw new StoreError("connection lost");
  });
  const { record } = make(store);
  record.note(ua("A"));
  await time.pass(500);
  assert.equal(record.status().state, "paused");
  for (const useragent of ["A", "B"]) record.note(ua(useragent));
  assert.equal(record.status().queued, 2);
  await time.pass(5000);
  assert.deepEqual(batches.slice(1, 4), [batches[0], batches[0], batches[0]]);
  assert.deepEqual(
    batches.map((batch) => batch?.id),
    [1, 1, 1, 1, 2],
  );
  assert.deepEqual(await countsOf(memory), { A: 2, B: 1 });
  assert.equal(record.status().written, 3);
  await record.close();
});

test("a flush that finds another one running writes what that one has not", async () => {
  const waiting: (() => void)[] = [];
  const { store, memory } = scripted((what) => {
    if (what === "write") return new Promise((resolve) => void waiting.push(resolve));
  });
  const { record } = make(store);
  await record.flush();
  record.note(ua("A"));
  const first = record.flush();
  await time.settle();
  record.note(ua("B"));
  const second = record.flush();
  const third = record.flush();
  waiting[0]!();
  assert.equal(await first, true);
  assert.equal(await memory.count({}), 1);
  await time.settle();
  waiting[1]!();
  assert.deepEqual(await Promise.all([second, third]), [true, true]);
  assert.equal(await memory.count({}), 2);
  assert.equal(waiting.length, 2);
  await record.close();
});

test("more than a store takes at once is written in batches, but not what comes meanwhile", async () => {
  const batches: number[] = [];
  const { store } = scripted((what, batch) => {
    if (what !== "write") return;
    batches.push(batch!.rows.length);
    record.note(ua(`meanwhile ${batches.length}`));
  });
  const { record } = make(store);
  await record.flush();
  noteMany(record, 600);
  assert.equal(await record.flush(), true);
  assert.deepEqual(batches, [250, 250, 102]);
  assert.equal(record.status().queued, 1);
  await record.close();
});

test("closing does not wait for a backoff, since the store may be back", async () => {
  let isFailing = true;
  const { store } = scripted((what) => {
    if (what === "write" && isFailing) throw new StoreError("away");
  });
  time.chance(0);
  const { record, logged } = make(store);
  await time.pass(0);
  record.note(ua("A"));
  // The sixth attempt fails at 3800 and makes the next wait for 2400.
  await time.pass(5000);
  isFailing = false;
  const closing = record.close();
  assert.ok(!(await isPending(closing)));
  assert.deepEqual(await closing, { lost: 0 });
  assert.equal(logged.at(-1), "info: recording goes on");
});

test("a read that fails says so, and does not stop recording; the store is opened again", async () => {
  for (const [thrown, message] of [
    [new StoreError("the file is corrupt"), "the file is corrupt"],
    [new Error("bug"), "the record cannot be read"],
  ] as const) {
    const { store, memory, timesOf } = scripted();
    let broken = true;
    const failIfBroken = async () => {
      if (broken) throw thrown;
    };
    store.count = async (query) => failIfBroken().then(() => memory.count(query));
    store.page = async (...page) => failIfBroken().then(() => memory.page(...page));
    store.traffic = async (...hours) => failIfBroken().then(() => memory.traffic(...hours));
    const { record, logged } = make(store);
    await record.flush();
    for (const read of [() => record.count(), () => listAll(record), () => record.traffic(began)]) {
      const opened = timesOf("open").length;
      await assert.rejects(read(), (error: Error) => {
        assert.deepEqual([error.name, error.message], ["StoreError", message]);
        assert.equal(error instanceof StoreError && error.cause, thrown instanceof StoreError ? undefined : thrown);
        return true;
      });
      await time.pass(1);
      assert.equal(timesOf("open").length, opened + 1);
    }
    record.note(ua("A"));
    await time.pass(500);
    broken = false;
    assert.equal(await record.count(), 1);
    assert.equal(record.status().state, "recording");
    assert.deepEqual(logged, []);
    await record.close();
  }
});

test("a list from a store that cannot be opened is refused, not empty", async () => {
  const { store } = scripted((what) => {
    if (what === "open") throw new StoreError("no such host");
  });
  const { record } = make(store);
  await assert.rejects(listAll(record), new StoreError("no such host"));
  const closing = record.close(50);
  await time.pass(200);
  assert.deepEqual(await closing, { lost: 0 });
});

test("a list beyond the last string reads nothing", async () => {
  const memory = createMemoryStore();
  const { record } = make({ ...memory, page: () => assert.fail("a page was read") });
  record.note(ua("A"));
  for (const offset of [1, 999_999_999]) assert.deepEqual(await listAll(record, { q: "a", offset }), []);
  await record.close();
});

test("a list ends when its time is over, and recording goes on", async () => {
  const { store, timesOf } = scripted();
  const { record } = make(store);
  noteMany(record, 1000);
  const aborter = new AbortController();
  const pages = record.list({}, aborter.signal)[Symbol.asyncIterator]();
  assert.equal((await pages.next()).value?.length, 250);
  aborter.abort(new Error("out of time"));
  await assert.rejects(async () => pages.next(), new Error("out of time"));
  await time.pass(1000);
  assert.deepEqual(timesOf("open"), [0]);
  assert.equal(record.status().state, "recording");
  await record.close();
});

test("closing writes everything, and later notes are dropped", async () => {
  const { store, memory } = scripted();
  const { record } = make(store);
  noteMany(record, 2000);
  const late: unknown[] = [];
  store.close = async () => void late.push(await memory.count({}));
  assert.deepEqual(await record.close(), { lost: 0 });
  assert.deepEqual(late, [2000]);
  record.note(ua("late"), 2);
  const { state, dropped, queued } = record.status();
  assert.deepEqual([state, dropped, queued], ["closed", 2, 0]);
  assert.deepEqual(await record.close(), { lost: 0 });
  await assert.rejects(record.count(), new StoreError("the record is closed"));
  assert.equal(await record.flush(), false);
  assert.equal(late.length, 1);
});

test("closing tries again while the store fails, for as long as it may, and says what was lost", async () => {
  let failures = 3;
  const back = scripted((what) => {
    if (what === "write" && failures-- > 0) throw new StoreError("locked");
  });
  const patient = make(back.store).record;
  await patient.flush();
  patient.note(ua("A"));
  const closing = patient.close();
  await time.pass(299);
  assert.ok(await isPending(closing));
  await time.pass(1);
  assert.deepEqual(await closing, { lost: 0 });
  assert.deepEqual(back.timesOf("write"), [0, 100, 200, 300]);

  for (const [timeoutMs, given] of [
    [5000, undefined],
    [300, 300],
  ] as const) {
    const gone = scripted((what) => {
      if (what === "write") throw new StoreError("full");
    });
    const { record, logged } = make(gone.store);
    await record.flush();
    for (const useragent of ["A", "B", "A"]) record.note(ua(useragent));
    const ending = record.close(given);
    await time.pass(timeoutMs - 1);
    assert.ok(await isPending(ending));
    await time.pass(1);
    assert.deepEqual(await ending, { lost: 3 });
    assert.deepEqual(logged, ["error: recording is paused: full"]);
    const asked = gone.calls.length;
    await time.pass(10_000);
    assert.equal(gone.calls.length, asked);
  }
});

test("nothing is done after the end, whatever was lost", async () => {
  const { store, calls } = scripted((what) => {
    if (what === "write") throw new StoreError("full");
  });
  const { record, logged } = make(store);
  await record.flush();
  noteMany(record, 5000);
  const closing = record.close(50);
  await time.pass(200);
  assert.deepEqual(await closing, { lost: 5000 });
  await time.pass(1000);
  const asked = calls.length;
  record.note(ua("late"));
  await assert.rejects(listAll(record), new StoreError("the record is closed"));
  assert.equal(time.waiting(), 0);
  await time.pass(10_000);
  assert.deepEqual([calls.length, logged.length], [asked, 1]);
});

test("a store that is away comes back although nobody asks anything", async () => {
  let failing = false;
  const { store } = scripted(() => {
    if (failing) throw new StoreError("away");
  });
  const { record, logged } = make(store, { limit: 10 });
  await time.pass(1000);
  failing = true;
  await time.pass(60_000);
  assert.equal(record.status().state, "paused");
  failing = false;
  await time.pass(7000);
  assert.equal(record.status().state, "recording");
  assert.equal(logged.length, 2);
  await record.close();
});

test("closing waits neither for a write that hangs nor for a store that does not close, and stays closed", async () => {
  for (const [how, state] of [
    ["open", "closed"],
    ["fail", "closed"],
  ] as const) {
    const held = gate();
    const { store } = scripted((what) => {
      if (what === "write") return held.promise;
      if (what === "close") return new Promise(() => {});
    });
    const { record, logged } = make(store);
    await record.flush();
    record.note(ua("A"));
    const closing = record.close(200);
    await time.pass(1199);
    assert.ok(await isPending(closing));
    await time.pass(1);
    assert.deepEqual(await closing, { lost: 1 });
    held[how](new Error("late"));
    await time.pass(10_000);
    assert.equal(record.status().state, state);
    assert.deepEqual(logged, []);
  }
  const failing = scripted((what) => {
    if (what === "close") throw new Error("no");
  });
  assert.deepEqual(await make(failing.store).record.close(), { lost: 0 });
});

test("whatever is noted, note does not throw, and counts it as dropped", async () => {
  const { record } = make(createMemoryStore());
  for (const useragent of [undefined, null, Symbol("s")]) record.note({ useragent, crawler: true } as never, 2);
  record.note(undefined as never);
  assert.equal(record.status().dropped, 7);
  await record.close();
});

test("a record that is off keeps nothing", async () => {
  noRecord.note(ua("A"));
  assert.equal(await noRecord.flush(), true);
  assert.equal(await noRecord.count(), 0);
  assert.equal(noRecord.total(), 0);
  assert.deepEqual(await noRecord.traffic(0), []);
  assert.deepEqual(await listAll({ list: () => noRecord.list() }), []);
  assert.deepEqual(noRecord.status(), { state: "off", queued: 0, dropped: 0, written: 0, lagMs: 0 });
  assert.deepEqual(await noRecord.close(), { lost: 0 });
});
