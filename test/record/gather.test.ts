/** Counting in memory: nothing is lost within the bound, and nothing goes beyond it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "../../src/detect/verdict.ts";
import { Gather } from "../../src/record/gather.ts";
import { residentBytes } from "./resident.ts";

const bounds = { strings: 1000, bytes: 1024 * 1024 };
const verdict = (useragent: string, facts: Partial<Verdict> = {}): Verdict => ({ useragent, crawler: false, ...facts });

test("counts, first and last time are those of the notes", () => {
  const gather = new Gather(bounds, () => {});
  gather.now = 100;
  gather.note(verdict("A", { crawler: true, name: "A", operator: "O", category: "ai", pattern: "p", match: "m" }));
  gather.now = 200;
  gather.note(verdict("B"));
  gather.note(verdict("A"));
  assert.equal(gather.queued, 2);
  assert.equal(gather.waiting, 3);
  assert.equal(gather.oldest, 100);
  assert.deepEqual(gather.take(10), [
    {
      useragent: "A",
      crawler: true,
      name: "A",
      operator: "O",
      category: "ai",
      count: 2,
      firstSeen: 100,
      lastSeen: 200,
    },
    { useragent: "B", crawler: false, count: 1, firstSeen: 200, lastSeen: 200 },
  ]);
  assert.equal(gather.queued, 0);
  assert.equal(gather.oldest, undefined);
});

test("a string noted while it is being written waits again, and comes back whole when writing fails", () => {
  const gather = new Gather(bounds, () => {});
  gather.now = 100;
  for (const useragent of ["A", "A", "B"]) gather.note(verdict(useragent));
  const rows = gather.take(10);
  gather.now = 200;
  gather.note(verdict("A"));
  gather.restore(rows);
  assert.deepEqual(
    gather.take(10).map(({ useragent, count, firstSeen, lastSeen }) => [useragent, count, firstSeen, lastSeen]),
    [
      ["A", 3, 100, 200],
      ["B", 1, 100, 100],
    ],
  );
});

test("the owner hears of each string that joins, and may set the clock for it", () => {
  const heard: number[] = [];
  const gather = new Gather(bounds, (queued) => {
    heard.push(queued);
    gather.now = 7;
  });
  for (const useragent of ["A", "A", "B"]) gather.note(verdict(useragent));
  assert.deepEqual(heard, [1, 2]);
  assert.equal(gather.oldest, 7);
});

test("a string beyond 2 KiB is counted by what is recorded of it", () => {
  const gather = new Gather(bounds, () => {});
  const long = "x".repeat(2048);
  for (const end of ["a", "b", "c".repeat(60_000)]) gather.note(verdict(long + end));
  assert.deepEqual(gather.take(10), [
    { useragent: long, cut: true, crawler: false, count: 3, firstSeen: 0, lastSeen: 0 },
  ]);
});

test("a million new strings stay within the bound, and known strings keep being counted", () => {
  const gather = new Gather(bounds, () => {});
  for (let n = 0; n < 100; n++) gather.note(verdict(`known ${n}`));
  gather.wrote(gather.take(1000));
  let known = 0;
  let taken = 0;
  for (let n = 0; n < 1_000_000; n++) {
    gather.note(verdict(`random ${n} ${"x".repeat(n % 50)}`));
    if (n % 10 === 0) gather.note(verdict(`known ${n % 100}`));
    if (n % 50_000 === 0) {
      const rows = gather.take(10_000);
      for (const row of rows) if (row.useragent.startsWith("known")) known += row.count;
      taken += rows.length;
      gather.wrote(rows);
      assert.ok(gather.held <= bounds.strings / 2);
    }
    assert.ok(gather.held <= bounds.strings && gather.bytes <= bounds.bytes);
  }
  known += gather.take(10_000).reduce((sum, row) => sum + (row.useragent.startsWith("known") ? row.count : 0), 0);
  assert.equal(known, 100_000);
  assert.ok(taken > 5000 && gather.dropped > 900_000);
});

test("strings seen twice are bounded as well", () => {
  const gather = new Gather(bounds, () => {});
  for (let n = 0; n < 20_000; n++) {
    for (let twice = 0; twice < 2; twice++) gather.note(verdict(`string ${n}`));
    if (n % 100 === 0) gather.wrote(gather.take(1000));
  }
  assert.equal(gather.dropped, 0);
  assert.ok(gather.held <= bounds.strings / 2 + 100);
});

test("long strings are bounded by their bytes", () => {
  const gather = new Gather(bounds, () => {});
  for (let n = 0; n < 5000; n++) gather.note(verdict(`${n} ${"\u20ac".repeat(3000)}`));
  assert.ok(gather.bytes <= bounds.bytes);
  assert.ok(gather.held > 100 && gather.dropped > 4000);
});

test("what it holds does not keep the bodies alive that the strings were cut from", async () => {
  const gather = new Gather({ strings: 10_000, bytes: 8 * 1024 * 1024 }, () => {});
  const before = await residentBytes();
  for (let n = 0; n < 300; n++) {
    // Parsed, as bodies are, since a string that was put together would be copied anyway.
    const body: string = JSON.parse(`"${n} ${String.fromCharCode(97 + (n % 26)).repeat(1024 * 1024)}"`);
    gather.note(verdict(body, { name: body.slice(0, 40) }));
    gather.note(verdict(body.slice(0, 100), { name: body.slice(50, 90) }));
  }
  const grownMb = ((await residentBytes()) - before) / 1e6;
  assert.equal(gather.held, 600);
  assert.ok(grownMb < 100, `${grownMb.toFixed(0)} MB held of 300 MB`);
});
