/**
 * The record between notes and a store that may fail at any time: nothing is lost or counted twice; when it writes, tidies, waits and gives
 * up.
 */
import assert from "node:assert/strict";
import { after, afterEach, beforeEach, test } from "node:test";
import fc from "fast-check";
import { type RecordOptions, UserAgentRecord } from "../../src/record/record.ts";
import { type Batch, type Retention, type Store, StoreError } from "../../src/record/store.ts";
import { fakeTime } from "../support/fake-time.ts";
import { crawler } from "../support/verdicts.ts";
import { createMemoryStore } from "./memory-store.ts";
import { residentBytes } from "./resident.ts";
import { listAll } from "./store-suite.ts";

let time = fakeTime();
const restart = () => {
  time.restore();
  time = fakeTime();
};
const started: UserAgentRecord[] = [];
beforeEach(restart);
afterEach(async () => {
  for (const record of started.splice(0)) await soon(record.close(0));
});
after(() => time.restore());

/** Lets time pass until the promise settles. */
async function soon<T>(promise: Promise<T>, maxMs = 1000): Promise<T> {
  await time.pass(maxMs);
  return promise;
}

/** The time, in ms since 1970, at which these tests begin. */
const began = 1_700_000_000_000;

/** What the store is asked. */
type What = "open" | "write" | "tidy" | "close";
type Before = (what: What, batch?: Batch) => Promise<void> | void;

/** Starts a record over a store in memory, which runs `before` ahead of what it is asked. */
function start(before: Before = () => {}, options: Partial<RecordOptions> = {}) {
  const memory = createMemoryStore();
  const calls: { readonly ms: number; readonly what: What; readonly batch?: Batch | undefined }[] = [];
  const retentions: Retention[] = [];
  const ask = async (what: What, batch?: Batch) => {
    calls.push({ ms: time.now(), what, batch });
    await before(what, batch);
  };
  let last = 0;
  const store: Store = {
    ...memory,
    open: () => ask("open"),
    async write(batch) {
      await ask("write", batch);
      if (batch.id === last) return;
      last = batch.id;
      await memory.write(batch);
    },
    async tidy(retention) {
      await ask("tidy");
      retentions.push(retention);
      return memory.tidy(retention);
    },
    close: () => ask("close"),
  };
  /** When it was asked this. */
  const timesOf = (what: What) => calls.filter((call) => call.what === what).map(({ ms }) => ms);
  const logged: string[] = [];
  const log = (level: string, message: string) => void logged.push(`${level}: ${message}`);
  const record = new UserAgentRecord({ store, clock: () => began + time.now(), log, flushIntervalMs: 500, ...options });
  started.push(record);
  return { record, logged, store, memory, calls, retentions, timesOf };
}

/** The same with a store of which `what` fails while it is away. */
function startFailing(
  message: string,
  what: readonly What[] = ["open", "write", "tidy"],
  options?: Partial<RecordOptions>,
) {
  const state = { isAway: true };
  const before: Before = (asked) => {
    if (state.isAway && what.includes(asked)) throw new StoreError(message);
  };
  return { ...start(before, options), state };
}

const ua = (useragent: string) => ({ useragent, crawler: false }) as const;
const noteMany = (record: UserAgentRecord, count: number, name = "UA") => {
  for (let n = 0; n < count; n++) record.note(ua(`${name} ${n}`));
};
const sumOf = (rows: readonly { readonly count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0);
const hoursOf = async (store: Pick<Store, "traffic">) => sumOf(await store.traffic(0, Number.MAX_SAFE_INTEGER));

test("whatever happens to the store, each note is written once or counted as dropped or lost, and hours count all", async () => {
  const action = fc.oneof(
    fc.record({ first: fc.nat(700), notes: fc.integer({ min: 1, max: 400 }) }),
    fc.record({ passes: fc.integer({ min: 1, max: 9000 }) }),
    fc.record({ store: fc.constantFrom("works", "works", "fails", "fails after it has written") }),
    fc.record({ reads: fc.constantFrom("list", "count") }),
  );
  const strings = 500;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), fc.boolean(), async (actions, isBack) => {
      restart();
      let how = "works";
      let workedSince = 0;
      let last = 0;
      let noted = 0;
      let isOpen = false;
      const fail = (at: string) => {
        if (how !== at) return;
        isOpen = false;
        throw new StoreError("away");
      };
      const before: Before = (what) => {
        fail("fails");
        if (what === "open") isOpen = true;
      };
      const { record, store, memory, logged } = start(before, { bounds: { strings, bytes: 1e6 } });
      store.write = async (batch) => {
        fail("fails");
        assert.ok(isOpen, "a store that failed is opened again first");
        if (batch.id > last) await memory.write(batch);
        last = batch.id;
        fail("fails after it has written");
      };
      for (const each of actions) {
        if ("notes" in each)
          for (let n = 0; n < each.notes; n++, noted++) record.note(ua(`UA ${(each.first + n) % 700}`));
        else if ("passes" in each) await time.pass(each.passes);
        else if ("store" in each) {
          if (how !== "works") workedSince = time.now();
          how = each.store;
        } else if (how === "works") await soon<unknown>(each.reads === "list" ? listAll(record) : record.count(), 20);
        const { state, queued, lagMs } = record.status();
        assert.ok(queued <= strings, `${queued} wait`);
        // The longest pause between two attempts.
        const isHealed = how === "works" && time.now() - workedSince > 6250 + 10;
        if (isHealed) assert.deepEqual([state, lagMs <= 500], ["recording", true]);
      }
      if (isBack) how = "works";
      const { lost } = await soon(record.close(3000), 5000);
      const { state, written, dropped } = record.status();
      assert.deepEqual([state, written + dropped + lost], ["closed", noted]);
      const stored = sumOf(await listAll(memory));
      // What was written without an answer counts as lost, but never twice.
      assert.ok(stored >= written && stored <= noted - dropped, `${stored} of ${noted}`);
      if (!actions.some((each) => "store" in each && each.store.endsWith("written"))) assert.equal(stored, written);
      if (how === "works") assert.deepEqual([lost, await hoursOf(memory)], [0, noted]);
      const states = logged.filter((line) => !line.startsWith("warn"));
      const expected = ["error: recording is paused: away", "info: recording has resumed"];
      for (const [at, line] of states.entries()) assert.equal(line, expected[at % 2]);
    }),
    { numRuns: 60 },
  );
});

test("notes are written every half a second, or after half of it where writing takes long", async () => {
  for (const [takesMs, next] of [
    [0, 1000],
    [200, 1000],
    [300, 1050],
    [1200, 1950],
  ] as const) {
    restart();
    const { record, timesOf } = start((what) => {
      if (what === "write") return new Promise((resolve) => void setTimeout(resolve, takesMs));
    });
    assert.deepEqual(record.status(), { state: "opening", queued: 0, dropped: 0, written: 0, lagMs: 0 });
    await time.pass(100);
    record.note(ua("A"));
    await time.pass(399);
    assert.deepEqual(record.status(), { state: "recording", queued: 1, dropped: 0, written: 0, lagMs: 399 });
    await time.pass(1);
    record.note(ua("B"));
    await time.pass(3000);
    assert.deepEqual(timesOf("write"), [500, next]);
  }
});

test("each reason is logged once, whatever was thrown, and recording has resumed by itself, also when nothing waits", async () => {
  const reasons: unknown[] = [new StoreError("a"), new StoreError("a"), new Error("b"), "c"];
  const { logged } = start(() => {
    if (reasons.length > 0) throw reasons.shift();
  });
  await time.pass(10_000);
  const paused = ["a", "b", "c"].map((reason) => `error: recording is paused: ${reason}`);
  assert.deepEqual(logged, [...paused, "info: recording has resumed"]);
});

test("attempts come half as often each time, by chance, up to every five seconds, and often again after a success", async () => {
  // Of the backoffs 100, 200, 400 … 5000: three quarters at least, five quarters at most.
  for (const [chance, attempts] of [
    [0, [0, 75, 225, 525, 1125, 2325, 4725, 8475, 12_225]],
    [1, [0, 125, 375, 875, 1875, 3875, 7875, 14_125, 20_375]],
  ] as const) {
    restart();
    time.chance(chance);
    const { record, timesOf, state } = startFailing("away", undefined, { flushIntervalMs: 5 });
    await time.pass(attempts.at(-1)!);
    assert.equal(await record.flush(), false);
    assert.deepEqual(timesOf("open"), attempts);
    state.isAway = false;
    await time.pass(6250);
    assert.equal(record.status().state, "recording");
    state.isAway = true;
    record.note(ua("A"));
    await time.pass(200);
    const failedAt = timesOf("write")[0]!;
    assert.equal(
      timesOf("open").find((ms) => ms > failedAt),
      failedAt + (chance ? 125 : 75),
    );
  }
});

test("while the store fails, drops are logged once a minute", async () => {
  const { record, logged } = startFailing("gone", undefined, { bounds: { strings: 100, bytes: 1e6 } });
  noteMany(record, 150);
  await time.pass(30_000);
  noteMany(record, 110);
  await time.pass(29_999);
  for (let n = 0; n < 7; n++) record.note(ua("D"));
  assert.deepEqual([record.status().queued, record.status().dropped], [100, 67]);
  const drops = (count: number) => `warn: ${count} evaluations were dropped because the buffer was full`;
  const dropped = () => logged.filter((line) => line.startsWith("warn"));
  assert.deepEqual(dropped(), [drops(50)]);
  await time.pass(200_000);
  assert.deepEqual(dropped(), [drops(50), drops(17)]);
});

test("a batch that is being written counts for the bound until the store has it", async () => {
  const held = Promise.withResolvers<void>();
  // 320 bytes a string, and two for each unit of it and of its name: eight strings, of which two come later.
  const bounds = { strings: 1000, bytes: 8 * 324 };
  const { record } = start((what) => (what === "write" ? held.promise : undefined), { bounds });
  const noteEach = (useragents: string) => {
    for (const useragent of useragents) record.note(crawler(useragent, { name: "N" }));
    const { queued, dropped } = record.status();
    return [queued, dropped];
  };
  await time.pass(0);
  noteEach("abcdef");
  await time.pass(500);
  assert.deepEqual(noteEach("abgh"), [8, 2]);
  held.resolve();
  await time.pass(500);
  assert.deepEqual([noteEach("ghijklmno"), record.status().written], [[8, 3], 8]);
});

test("what databases refuse is U+FFFD, and strings that differ only in that share a row", async () => {
  const { record, memory } = start();
  for (const useragent of ["a\0b", "a\ud800b", "a\ufffdb"]) record.note(crawler(useragent, { name: useragent }));
  await soon(record.flush());
  assert.deepEqual(
    (await listAll(memory)).map(({ useragent, name, count }) => [useragent, name, count]),
    [["a\ufffdb", "a\ufffdb", 3]],
  );
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

test("the record is tidied when it opens, by time, and when a twentieth of its limit is new", async () => {
  // Every minute, or in half of the time to live, but not more often than a second.
  for (const [ttlMs, passed, tidied] of [
    [undefined, 200_000, [0, 54_000, 108_000, 162_000]],
    [10_000, 9999, [0, 4500, 9000]],
    [20, 9999, [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000]],
    [86_400_000, 9999, [0]],
  ] as const) {
    restart();
    const { timesOf, retentions } = start(() => {}, { ...(ttlMs && { ttlMs }) });
    await time.pass(passed);
    assert.deepEqual(timesOf("tidy"), tidied);
    const now = began + tidied.at(-1)!;
    const trafficBefore = now - 35 * 24 * 3_600_000;
    assert.deepEqual(retentions.at(-1), { limit: 100_000, trafficBefore, ...(ttlMs && { before: now - ttlMs }) });
  }
  const { record, timesOf } = start(() => {}, { limit: 200 });
  await record.flush();
  for (const [noted, tidied] of [
    [10, 1],
    [1, 2],
    [10, 2],
  ] as const) {
    noteMany(record, noted);
    await record.flush();
    assert.equal(timesOf("tidy").length, tidied);
  }
});

test("a store that hangs is reported, takes no notes with it, and does not hold up a list for long", async () => {
  const held = Promise.withResolvers<void>();
  const { record, logged, memory } = start((what) => (what === "write" ? held.promise : undefined), {
    readWaitMs: 700,
  });
  await time.pass(0);
  record.note(ua("A"));
  await time.pass(500);
  for (let n = 0; n < 10; n++) record.note(ua("B"));
  assert.deepEqual(await soon(listAll(record), 700), []);
  // It has written since 500.
  await time.pass(2299);
  assert.equal(record.status().state, "recording");
  await time.pass(3501);
  const { reason, lagMs, queued } = record.status();
  assert.deepEqual([reason, lagMs, queued], ["the store does not answer", 7000, 2]);
  held.resolve();
  await time.pass(500);
  assert.equal(sumOf(await listAll(memory)), 11);
  assert.deepEqual(logged, ["error: recording is paused: the store does not answer", "info: recording has resumed"]);
});

test("a flush writes what one that runs has not, in batches that the store takes, and not what comes meanwhile", async () => {
  const sizes: number[] = [];
  const { record, memory } = start(async (what, batch) => {
    if (what !== "write") return;
    sizes.push(batch!.rows.length);
    record.note(ua(`meanwhile ${sizes.length}`));
    await new Promise((resolve) => void setTimeout(resolve, 10));
  });
  await record.flush();
  noteMany(record, 600);
  const first = record.flush();
  await time.settle();
  record.note(ua("B"));
  const others = Promise.all([record.flush(), record.flush()]);
  assert.equal(await soon(first, 30), true);
  assert.equal(await memory.count({}), 603);
  assert.deepEqual(await soon(others, 10), [true, true]);
  assert.deepEqual([sizes, record.status().queued], [[250, 250, 103, 1], 1]);
});

test("a read that fails says so, and does not stop recording; the next attempt finds out whether writing fails, too", async () => {
  for (const [thrown, message] of [
    [new StoreError("the file is corrupt"), "the file is corrupt"],
    [new Error("bug"), "the record cannot be read"],
  ] as const) {
    restart();
    const { record, logged, store, memory, timesOf } = start();
    const fail = () => Promise.reject(thrown);
    Object.assign(store, { count: fail, page: fail, traffic: fail });
    await record.flush();
    for (const read of [() => record.count(), () => listAll(record), () => record.traffic.sums(began)])
      await assert.rejects(read(), (error: Error) => {
        assert.deepEqual([error.name, error.message], ["StoreError", message]);
        assert.equal(error instanceof StoreError && error.cause, thrown instanceof StoreError ? undefined : thrown);
        return true;
      });
    const tidied = timesOf("tidy").length;
    await time.pass(500);
    assert.equal(timesOf("tidy").length, tidied + 1);
    Object.assign(store, memory, { write: store.write });
    record.note(ua("A"));
    assert.equal(await record.count(), 1);
    assert.deepEqual([record.status().state, timesOf("open").length, logged], ["recording", 1, []]);
  }
});

test("a list from a store that cannot be opened is refused, not empty, and one ends when its time is over", async () => {
  await assert.rejects(listAll(startFailing("no such host").record), new StoreError("no such host"));
  const { record, timesOf } = start();
  noteMany(record, 1000);
  const aborter = new AbortController();
  const pages = record.list({}, aborter.signal)[Symbol.asyncIterator]();
  assert.equal((await pages.next()).value?.length, 250);
  aborter.abort(new Error("out of time"));
  await assert.rejects(async () => pages.next(), new Error("out of time"));
  await time.pass(1000);
  assert.deepEqual([timesOf("open").length, record.status().state], [1, "recording"]);
});

test("closing writes everything before the store is closed, once, and later notes are dropped", async () => {
  const { record, store, memory } = start();
  noteMany(record, 2000);
  const late: unknown[] = [];
  store.close = async () => void late.push(await memory.count({}));
  for (let times = 0; times < 2; times++) assert.deepEqual(await record.close(), { lost: 0 });
  for (let n = 0; n < 2; n++) record.note(ua("late"));
  const { state, dropped, queued } = record.status();
  assert.deepEqual([late, state, dropped, queued], [[2000], "closed", 2, 0]);
  for (const read of [record.count(), listAll(record)])
    await assert.rejects(read, new StoreError("the record is closed"));
  assert.equal(await record.flush(), false);
});

test("closing waits for no backoff, tries for as long as it may, says what was lost, and nothing is done then", async () => {
  time.chance(0);
  const back = startFailing("away", ["write"]);
  back.record.note(ua("A"));
  // The sixth attempt fails at 3800 and makes the next wait for 2400.
  await time.pass(5000);
  back.state.isAway = false;
  assert.deepEqual(await back.record.close(), { lost: 0 });
  assert.equal(back.logged.at(-1), "info: recording has resumed");
  for (const [timeoutMs, given] of [
    [5000, undefined],
    [300, 300],
  ] as const) {
    const { record, logged, calls } = startFailing("full", ["write"]);
    await record.flush();
    noteMany(record, 5000);
    record.note(ua("UA 1"));
    const begin = time.now();
    const closing = record.close(given);
    let tookMs = Number.POSITIVE_INFINITY;
    void closing.then(() => {
      tookMs = time.now() - begin;
    });
    assert.deepEqual(await soon(closing, 6000), { lost: 5001 });
    assert.ok(tookMs === timeoutMs && calls.length > timeoutMs / 200, `${tookMs} ms, ${calls.length} calls`);
    const asked = calls.length;
    await time.pass(10_000);
    assert.deepEqual([time.waiting(), calls.length, logged], [0, asked, ["error: recording is paused: full"]]);
  }
});

test("closing waits for no store that is away where nothing waits, and counts people's requests whose strings are not kept as lost", async () => {
  const idle = startFailing("away");
  await time.pass(1000);
  let isClosed = false;
  void idle.record.close(5000).then(() => {
    isClosed = true;
  });
  await time.pass(300);
  assert.ok(isClosed);
  const { record } = startFailing("full", ["write"], { people: "off" });
  await record.flush();
  noteMany(record, 3);
  record.note(crawler("Some-bot/1.0"));
  assert.deepEqual(await soon(record.close(200), 1200), { lost: 4 });
});

test("closing waits neither for a write that hangs nor for a store that does not close, and stays closed", async () => {
  for (const isWritten of [true, false]) {
    const held = Promise.withResolvers<void>();
    const { record, logged } = start((what) => {
      if (what === "write") return held.promise;
      if (what === "close") return new Promise(() => {});
    });
    await record.flush();
    record.note(ua("A"));
    assert.deepEqual(await soon(record.close(200), 1200), { lost: 1 });
    if (isWritten) held.resolve();
    else held.reject(new Error("late"));
    await time.pass(10_000);
    assert.deepEqual([record.status().state, logged], ["closed", []]);
  }
  assert.deepEqual(await startFailing("no", ["close"]).record.close(), { lost: 0 });
});

test("whatever is noted, note does not throw, and counts it as dropped; a long string is counted by what is recorded of it", async () => {
  const { record, memory } = start();
  for (const useragent of [undefined, null, Symbol("s")]) record.note({ useragent, crawler: true } as never);
  record.note(undefined as never);
  assert.equal(record.status().dropped, 4);
  const long = "x".repeat(2048);
  for (const end of ["a", "b", "c".repeat(60_000)]) {
    record.note(ua(long + end));
    await time.pass(100);
  }
  await record.flush();
  const row = { ...ua(long), cut: true, count: 3, firstSeen: began, lastSeen: began + 200 };
  assert.deepEqual(await listAll(memory), [row]);
});

test("of people no strings are written where that is set, and all requests are counted in hours, also where no string waits", async () => {
  const { record, memory } = start(undefined, { people: "off" });
  for (let n = 0; n < 2; n++) record.note(ua("Mozilla/5.0 jane"));
  await time.pass(600);
  assert.deepEqual([await listAll(memory), await hoursOf(memory)], [[], 2]);
  record.note(crawler("AnyBot"));
  assert.deepEqual(
    (await listAll(record)).map(({ useragent }) => useragent),
    ["AnyBot"],
  );
  const [hour] = (await record.traffic.sums(0)).hours;
  assert.deepEqual([hour?.people, hour?.crawlers, record.status().dropped], [2, 1, 0]);
});
