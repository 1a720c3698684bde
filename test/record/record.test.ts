/** When the record writes, pauses and goes on, to the millisecond, against a store whose failures are scripted. */
import assert from "node:assert/strict";
import { after, afterEach, beforeEach, test } from "node:test";
import { createRecord, noRecord, type RecordOptions, type UserAgentRecord } from "../../src/record/record.ts";
import { type Batch, type Retention, type Store, StoreError } from "../../src/record/store.ts";
import { fakeTime } from "../support/fake-time.ts";
import { crawler } from "../support/verdicts.ts";
import { createMemoryStore } from "./memory-store.ts";
import { residentBytes } from "./resident.ts";
import { listAll } from "./store-suite.ts";

let time = fakeTime();
const started: UserAgentRecord[] = [];
beforeEach(() => {
  time.restore();
  time = fakeTime();
});
afterEach(async () => {
  for (const record of started.splice(0)) {
    // Its store may not answer.
    const closing = record.close(0);
    await time.pass(1000);
    await closing;
  }
});
after(() => time.restore());

/** The time, in ms since 1970, at which these tests begin. */
const began = 1_700_000_000_000;

/** What the store is asked, and when. */
type Call = readonly [ms: number, what: "open" | "write" | "tidy" | "close"];
type Before = (what: Call[1], batch?: Batch) => Promise<void> | void;
type Options = Partial<RecordOptions> & { readonly methods?: Partial<Store> };

/** Starts a record over a store in memory, which runs `before` ahead of what it is asked, and has `methods` of its own. */
function start(before: Before = () => {}, { methods, ...options }: Options = {}) {
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
    ...methods,
  };
  /** When it was asked this. */
  const timesOf = (what: Call[1]) => calls.filter((call) => call[1] === what).map(([ms]) => ms);
  const logged: string[] = [];
  const log = (level: string, message: string) => void logged.push(`${level}: ${message}`);
  const record = createRecord({ store, clock: () => began + time.now(), log, flushIntervalMs: 500, ...options });
  started.push(record);
  return { record, logged, store, memory, calls, retentions, timesOf };
}

/** The same with a store of which `what` fails while it is away. */
function startFailing(message: string, what: readonly Call[1][], options?: Options) {
  const state = { isAway: true };
  const before: Before = (asked) => {
    if (state.isAway && what.includes(asked)) throw new StoreError(message);
  };
  return { ...start(before, options), state };
}
const wholly = ["open", "write", "tidy"] as const;

const ua = (useragent: string) => ({ useragent, crawler: false }) as const;
const noteAll = (record: UserAgentRecord, ...useragents: readonly string[]) => {
  for (const useragent of useragents) record.note(ua(useragent));
};
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
/** Asserts that `promise` settles after `ms`, no sooner and no later; resolves to its value. */
async function settlesAfter<T>(ms: number, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  void promise.then(settle, settle);
  await time.pass(ms - 1);
  assert.equal(isSettled, false);
  await time.pass(1);
  assert.equal(isSettled, true);
  return promise;
}

test("notes are written every half a second", async () => {
  const { record, logged, memory, timesOf } = start();
  assert.deepEqual(record.status(), { state: "opening", queued: 0, dropped: 0, written: 0, lagMs: 0 });
  await time.pass(100);
  noteAll(record, "A", "B", "A");
  await time.pass(399);
  assert.deepEqual(record.status(), { state: "recording", queued: 2, dropped: 0, written: 0, lagMs: 399 });
  await time.pass(1);
  assert.deepEqual(await countsOf(memory), { A: 2, B: 1 });
  assert.deepEqual(record.status(), { state: "recording", queued: 0, dropped: 0, written: 3, lagMs: 0 });
  await time.pass(2000);
  for (let n = 0; n < 5; n++) record.note(ua("C"));
  await time.pass(2000);
  assert.equal(record.status().written, 8);
  assert.deepEqual(timesOf("write"), [500, 3000]);
  assert.deepEqual(logged, []);
});

test("writing rests for half of its interval at least", async () => {
  for (const [takesMs, next] of [
    [200, 1000],
    [300, 1050],
    [1200, 1950],
  ] as const) {
    const begin = time.now();
    const { record, timesOf } = start((what) => {
      if (what === "write") return new Promise((resolve) => void setTimeout(resolve, takesMs));
    });
    await time.pass(0);
    record.note(ua("A"));
    await time.pass(500);
    record.note(ua("B"));
    await time.pass(3000);
    assert.deepEqual(
      timesOf("write").map((ms) => ms - begin),
      [500, next],
    );
  }
});

test("a store that fails pauses recording, loses nothing, and recording goes on by itself, also when nothing waits", async () => {
  const { record, logged, memory, state } = startFailing("the disk is full", wholly);
  noteMany(record, 100);
  await time.pass(300);
  noteMany(record, 100);
  await time.pass(30_000);
  const paused = { state: "paused", reason: "the disk is full", dropped: 0 } as const;
  assert.deepEqual(record.status(), { ...paused, queued: 100, written: 0, lagMs: 30_300 });
  state.isAway = false;
  await time.pass(7000);
  const recording = { state: "recording", queued: 0, dropped: 0, written: 200, lagMs: 0 } as const;
  assert.deepEqual(record.status(), recording);
  assert.ok(Object.values(await countsOf(memory)).every((count) => count === 2));
  state.isAway = true;
  await time.pass(60_000);
  assert.equal(record.status().state, "paused");
  state.isAway = false;
  await time.pass(7000);
  assert.deepEqual(record.status(), recording);
  const lines = ["error: recording is paused: the disk is full", "info: recording goes on"];
  assert.deepEqual(logged, [...lines, ...lines]);
});

test("each reason is logged once, whatever was thrown", async () => {
  const reasons: unknown[] = [new StoreError("a"), new StoreError("a"), new Error("b"), "c"];
  const { logged } = start(() => {
    if (reasons.length > 0) throw reasons.shift();
  });
  await time.pass(10_000);
  assert.deepEqual(logged, [
    "error: recording is paused: a",
    "error: recording is paused: b",
    "error: recording is paused: c",
    "info: recording goes on",
  ]);
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
    const { record, timesOf, state } = startFailing("away", wholly, { flushIntervalMs: 5 });
    await time.pass(attempts.at(-1)!);
    assert.deepEqual(timesOf("open"), attempts);
    assert.equal(await record.flush(), false);
    assert.deepEqual(timesOf("open"), attempts);
    state.isAway = false;
    await time.pass(6250);
    assert.equal(record.status().state, "recording");
    state.isAway = true;
    record.note(ua("A"));
    await time.pass(200);
    const failedAt = timesOf("write")[0] ?? 0;
    assert.equal(
      timesOf("open").find((ms) => ms > failedAt),
      failedAt + (chance ? 125 : 75),
    );
  }
});

test("while the store fails memory stays within the bound, and drops are logged once a minute", async () => {
  const { record, logged, memory, state } = startFailing("gone", wholly, { bounds: { strings: 100, bytes: 1e6 } });
  noteMany(record, 150);
  assert.deepEqual([record.status().queued, record.status().dropped], [100, 50]);
  await time.pass(30_000);
  noteMany(record, 110);
  await time.pass(29_999);
  for (let n = 0; n < 7; n++) record.note(ua("D"));
  assert.equal(record.status().dropped, 67);
  const drops = (count: number) => `warn: ${count} evaluations were dropped because the buffer was full`;
  const dropped = () => logged.filter((line) => line.startsWith("warn"));
  assert.deepEqual(dropped(), [drops(50)]);
  await time.pass(10_000);
  assert.deepEqual(dropped(), [drops(50), drops(17)]);
  state.isAway = false;
  await time.pass(200_000);
  assert.deepEqual(dropped(), [drops(50), drops(17)]);
  const counts = Object.values(await countsOf(memory));
  assert.ok(counts.length === 100 && counts.every((count) => count === 2));
});

test("a batch that is being written counts for the bound until the store has it", async () => {
  const held = gate();
  // 320 bytes a string, and two for each unit of it and of its name: eight strings, of which two come later.
  const bounds = { strings: 1000, bytes: 8 * 324 };
  const { record } = start((what) => (what === "write" ? held.promise : undefined), { bounds });
  const note = (useragent: string) => record.note(crawler(useragent, { name: "N" }));
  await time.pass(0);
  for (const useragent of "abcdef") note(useragent);
  await time.pass(500);
  for (const useragent of "abgh") note(useragent);
  assert.deepEqual([record.status().queued, record.status().dropped], [8, 2]);
  held.open();
  await time.pass(500);
  for (const useragent of "ghijklmno") note(useragent);
  assert.deepEqual([record.status().queued, record.status().dropped, record.status().written], [8, 3, 8]);
});

test("a string beyond 2 KiB is counted by what is recorded of it", async () => {
  const { record, memory } = start();
  const long = "x".repeat(2048);
  for (const end of ["a", "b", "c".repeat(60_000)]) record.note(ua(long + end));
  await record.flush();
  assert.deepEqual(await listAll(memory), [{ ...ua(long), cut: true, count: 3, firstSeen: began, lastSeen: began }]);
});

test("what waits does not keep the bodies alive that the strings were cut from", async () => {
  time.restore();
  const { record } = start(() => new Promise(() => {}));
  const before = await residentBytes();
  for (let n = 0; n < 300; n++) {
    // Parsed, as bodies are, since a string that was put together would be copied anyway.
    const body: string = JSON.parse(`"${n} ${String.fromCharCode(97 + (n % 26)).repeat(1024 * 1024)}"`);
    record.note(crawler(body, { name: body.slice(0, 40) }));
    record.note(crawler(body.slice(0, 100), { name: body.slice(50, 90) }));
  }
  const grownMb = ((await residentBytes()) - before) / 1e6;
  assert.equal(record.status().queued, 600);
  assert.ok(grownMb < 100, `${grownMb.toFixed(0)} MB held of 300 MB`);
  time = fakeTime();
});

test("the record is tidied when it opens, every minute, and when a twentieth of its limit is new", async () => {
  const { record, timesOf, retentions } = start(() => {}, { limit: 200 });
  await time.pass(200_000);
  assert.deepEqual(timesOf("tidy"), [0, 54_000, 108_000, 162_000]);
  const trafficBefore = began - 35 * 24 * 3_600_000;
  assert.deepEqual(retentions.slice(0, 2), [
    { limit: 200, trafficBefore },
    { limit: 200, trafficBefore: trafficBefore + 54_000 },
  ]);
  for (const [noted, tidied] of [
    [10, 4],
    [1, 5],
    [10, 5],
  ] as const) {
    noteMany(record, noted);
    await record.flush();
    assert.equal(timesOf("tidy").length, tidied);
  }
  await record.close();
  const unbounded = start();
  await unbounded.record.flush();
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
    const { timesOf, retentions } = start(() => {}, { ttlMs });
    await time.pass(9999);
    assert.deepEqual(timesOf("tidy"), tidied);
    assert.equal(retentions.at(-1)?.before, began + tidied.at(-1)! - ttlMs);
  }
});

test("a store that hangs is reported, takes no notes with it, and does not hold up a list for long", async () => {
  const held = gate();
  const { record, logged, memory } = start((what) => (what === "write" ? held.promise : undefined));
  await time.pass(0);
  record.note(ua("A"));
  await time.pass(500);
  for (let n = 0; n < 10; n++) record.note(ua("B"));
  const listing = listAll(record);
  assert.deepEqual(await settlesAfter(1000, listing), []);
  // It has written since 500.
  await time.pass(1999);
  assert.equal(record.status().state, "recording");
  await time.pass(3501);
  assert.equal(record.status().reason, "the store does not answer");
  assert.deepEqual(logged, ["error: recording is paused: the store does not answer"]);
  assert.deepEqual([record.status().lagMs, record.status().queued], [7000, 2]);
  held.open();
  await time.pass(500);
  assert.deepEqual(await countsOf(memory), { A: 1, B: 10 });
  assert.equal(logged[1], "info: recording goes on");
});

test("a batch that failed comes again as it was to a store that is opened again, and what came meanwhile follows", async () => {
  const batches: (Batch | undefined)[] = [];
  const { record, memory, calls } = start((what, batch) => {
    if (what === "write" && batches.push(batch) <= 3) throw new StoreError("connection lost");
  });
  record.note(ua("A"));
  await time.pass(500);
  assert.equal(record.status().state, "paused");
  noteAll(record, "A", "B");
  assert.equal(record.status().queued, 3);
  await time.pass(5000);
  assert.deepEqual(batches.slice(1, 4), [batches[0], batches[0], batches[0]]);
  assert.deepEqual(
    batches.map((batch) => batch?.id),
    [1, 1, 1, 1, 2],
  );
  const asked = calls.map(([, what]) => what).join(" ");
  assert.equal(asked, "open write open write open write open write write tidy");
  assert.deepEqual(await countsOf(memory), { A: 2, B: 1 });
  assert.equal(record.status().written, 3);
});

test("a flush that finds another one running writes what that one has not", async () => {
  const waiting: (() => void)[] = [];
  const { record, memory } = start((what) => {
    if (what === "write") return new Promise((resolve) => void waiting.push(resolve));
  });
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
});

test("more than a store takes at once is written in batches, but not what comes meanwhile", async () => {
  const batches: number[] = [];
  const { record } = start((what, batch) => {
    if (what !== "write") return;
    batches.push(batch!.rows.length);
    record.note(ua(`meanwhile ${batches.length}`));
  });
  await record.flush();
  noteMany(record, 600);
  assert.equal(await record.flush(), true);
  assert.deepEqual(batches, [250, 250, 102]);
  assert.equal(record.status().queued, 1);
});

test("closing does not wait for a backoff, since the store may be back", async () => {
  time.chance(0);
  const { record, logged, state } = startFailing("away", ["write"]);
  await time.pass(0);
  record.note(ua("A"));
  // The sixth attempt fails at 3800 and makes the next wait for 2400.
  await time.pass(5000);
  state.isAway = false;
  assert.deepEqual(await record.close(), { lost: 0 });
  assert.equal(logged.at(-1), "info: recording goes on");
});

test("a read that fails says so, and does not stop recording; the next attempt finds out whether writing fails, too", async () => {
  for (const [thrown, message] of [
    [new StoreError("the file is corrupt"), "the file is corrupt"],
    [new Error("bug"), "the record cannot be read"],
  ] as const) {
    const { record, logged, store, memory, timesOf } = start();
    let broken = true;
    const failIfBroken = async () => {
      if (broken) throw thrown;
    };
    store.count = async (query) => failIfBroken().then(() => memory.count(query));
    store.page = async (...page) => failIfBroken().then(() => memory.page(...page));
    store.traffic = async (...hours) => failIfBroken().then(() => memory.traffic(...hours));
    await record.flush();
    for (const read of [() => record.count(), () => listAll(record), () => record.traffic(began)]) {
      await assert.rejects(read(), (error: Error) => {
        assert.deepEqual([error.name, error.message], ["StoreError", message]);
        assert.equal(error instanceof StoreError && error.cause, thrown instanceof StoreError ? undefined : thrown);
        return true;
      });
    }
    const tidied = timesOf("tidy").length;
    await time.pass(500);
    assert.equal(timesOf("tidy").length, tidied + 1);
    broken = false;
    record.note(ua("A"));
    assert.equal(await record.count(), 1);
    assert.equal(record.status().state, "recording");
    assert.deepEqual([timesOf("open").length, logged], [1, []]);
  }
});

test("a list from a store that cannot be opened is refused, not empty", async () => {
  const { record } = startFailing("no such host", wholly);
  await assert.rejects(listAll(record), new StoreError("no such host"));
});

test("a list ends when its time is over, and recording goes on", async () => {
  const { record, timesOf } = start();
  noteMany(record, 1000);
  const aborter = new AbortController();
  const pages = record.list({}, aborter.signal)[Symbol.asyncIterator]();
  assert.equal((await pages.next()).value?.length, 250);
  aborter.abort(new Error("out of time"));
  await assert.rejects(async () => pages.next(), new Error("out of time"));
  await time.pass(1000);
  assert.deepEqual(timesOf("open"), [0]);
  assert.equal(record.status().state, "recording");
});

test("closing writes everything, and later notes are dropped", async () => {
  const { record, store, memory } = start();
  noteMany(record, 2000);
  const late: unknown[] = [];
  store.close = async () => void late.push(await memory.count({}));
  assert.deepEqual(await record.close(), { lost: 0 });
  assert.deepEqual(late, [2000]);
  for (let n = 0; n < 2; n++) record.note(ua("late"));
  const { state, dropped, queued } = record.status();
  assert.deepEqual([state, dropped, queued], ["closed", 2, 0]);
  assert.deepEqual(await record.close(), { lost: 0 });
  await assert.rejects(record.count(), new StoreError("the record is closed"));
  assert.equal(await record.flush(), false);
  assert.equal(late.length, 1);
});

test("closing tries again while the store fails, for as long as it may, says what was lost, and nothing is done then", async () => {
  // So that no attempt of the record's own comes between.
  time.chance(1);
  let failures = 3;
  const back = start((what) => {
    if (what === "write" && failures-- > 0) throw new StoreError("locked");
  });
  await back.record.flush();
  back.record.note(ua("A"));
  assert.deepEqual(await settlesAfter(300, back.record.close()), { lost: 0 });
  assert.deepEqual(back.timesOf("write"), [0, 100, 200, 300]);

  for (const [timeoutMs, given] of [
    [5000, undefined],
    [300, 300],
  ] as const) {
    const { record, logged, calls } = startFailing("full", ["write"]);
    await record.flush();
    noteMany(record, 5000);
    record.note(ua("UA 1"));
    assert.deepEqual(await settlesAfter(timeoutMs, record.close(given)), { lost: 5001 });
    const asked = calls.length;
    record.note(ua("late"));
    await assert.rejects(listAll(record), new StoreError("the record is closed"));
    await time.pass(1000);
    assert.equal(time.waiting(), 0);
    await time.pass(10_000);
    assert.equal(calls.length, asked);
    assert.deepEqual(logged, ["error: recording is paused: full"]);
  }
});

test("closing waits neither for a write that hangs nor for a store that does not close, and stays closed", async () => {
  for (const how of ["open", "fail"] as const) {
    const held = gate();
    const { record, logged } = start((what) => {
      if (what === "write") return held.promise;
      if (what === "close") return new Promise(() => {});
    });
    await record.flush();
    record.note(ua("A"));
    assert.deepEqual(await settlesAfter(1200, record.close(200)), { lost: 1 });
    held[how](new Error("late"));
    await time.pass(10_000);
    assert.deepEqual([record.status().state, logged], ["closed", []]);
  }
  assert.deepEqual(await startFailing("no", ["close"]).record.close(), { lost: 0 });
});

test("whatever is noted, note does not throw, and counts it as dropped", async () => {
  const { record } = start();
  for (const useragent of [undefined, null, Symbol("s")]) record.note({ useragent, crawler: true } as never);
  record.note(undefined as never);
  assert.equal(record.status().dropped, 4);
});

test("a record that is off keeps nothing", async () => {
  noRecord.note(ua("A"));
  assert.equal(await noRecord.flush(), true);
  assert.equal(await noRecord.count(), 0);
  assert.deepEqual(await noRecord.traffic(0), []);
  assert.deepEqual(await listAll({ list: () => noRecord.list() }), []);
  assert.deepEqual(noRecord.status(), { state: "off", queued: 0, dropped: 0, written: 0, lagMs: 0 });
  assert.deepEqual(await noRecord.close(), { lost: 0 });
});

test("of people no strings are written, and all requests are counted in hours", async () => {
  const { record } = start(undefined, { people: "off" });
  for (let n = 0; n < 2; n++) record.note(ua("Mozilla/5.0 jane"));
  record.note(crawler("AnyBot"));
  assert.deepEqual(
    (await listAll(record)).map(({ useragent }) => useragent),
    ["AnyBot"],
  );
  const [hour] = await record.traffic(0);
  assert.deepEqual([hour?.people, hour?.crawlers, record.status().dropped], [2, 1, 0]);
});

test("hours are written when no string waits, and again after a failure", async () => {
  const state = { isAway: false };
  const { record, memory } = start(
    (what) => {
      if (what === "write" && state.isAway) throw new StoreError("away");
    },
    { people: "off" },
  );
  const count = async () =>
    (await memory.traffic(0, Number.MAX_SAFE_INTEGER)).reduce((sum, { count }) => sum + count, 0);
  await record.flush();
  record.note({ useragent: "x", crawler: false });
  await time.pass(600);
  assert.equal(await count(), 1);
  state.isAway = true;
  record.note({ useragent: "y", crawler: false });
  await time.pass(600);
  assert.equal(await count(), 1);
  state.isAway = false;
  await time.pass(6000);
  assert.equal(await count(), 2);
});
