/** Counting in memory: nothing is lost within the bound, and nothing goes beyond it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "../../src/detect/verdict.ts";
import { WriteBuffer } from "../../src/record/write-buffer.ts";
import { crawler } from "../support/verdicts.ts";
import { residentBytes } from "./resident.ts";

const bounds = { strings: 1000, bytes: 1024 * 1024 };
const verdict = (useragent: string): Verdict => ({ useragent, crawler: false });

let now = 0;
const make = (size = bounds) => new WriteBuffer(size, () => now);

test("counts, first and last time are those of the notes", () => {
  const buffer = make();
  now = 100;
  buffer.note(crawler("A", { name: "A", operator: "O", category: "ai" }));
  now = 200;
  buffer.note(verdict("B"));
  buffer.note(verdict("A"));
  assert.deepEqual([buffer.queued, buffer.waiting, buffer.oldest], [2, 3, 100]);
  const facts = { crawler: true, name: "A", operator: "O", category: "ai" };
  assert.deepEqual(buffer.take(10).rows, [
    { useragent: "A", ...facts, count: 2, firstSeen: 100, lastSeen: 200 },
    { useragent: "B", crawler: false, count: 1, firstSeen: 200, lastSeen: 200 },
  ]);
  assert.deepEqual([buffer.queued, buffer.waiting, buffer.oldest], [2, 3, 100]);
  assert.equal(buffer.confirm(), 3);
  assert.deepEqual([buffer.queued, buffer.waiting, buffer.oldest], [0, 0, undefined]);
});

const write = (buffer: WriteBuffer, most: number) => {
  buffer.take(most);
  buffer.confirm();
};
test("a string noted while it is written waits again, with what the store lacks", () => {
  const buffer = make();
  now = 100;
  for (const useragent of ["A", "A", "B"]) buffer.note(verdict(useragent));
  assert.equal(buffer.take(10).rows.length, 2);
  now = 200;
  for (const useragent of ["A", "C"]) buffer.note(verdict(useragent));
  assert.deepEqual([buffer.queued, buffer.waiting], [3, 5]);
  assert.equal(buffer.confirm(), 3);
  assert.deepEqual(
    buffer.take(10).rows.map(({ useragent, count, firstSeen, lastSeen }) => [useragent, count, firstSeen, lastSeen]),
    [
      ["C", 1, 200, 200],
      ["A", 1, 200, 200],
    ],
  );
});

test("a string beyond 2 KiB is counted by what is recorded of it", () => {
  now = 0;
  const buffer = make();
  const long = "x".repeat(2048);
  for (const end of ["a", "b", "c".repeat(60_000)]) buffer.note(verdict(long + end));
  assert.deepEqual(buffer.take(10).rows, [
    { useragent: long, cut: true, crawler: false, count: 3, firstSeen: 0, lastSeen: 0 },
  ]);
});

/** Whether the buffer holds each of these strings: noting one that it does not hold makes it hold one more, or drop it. */
const holds = (buffer: WriteBuffer, useragents: readonly string[]) =>
  useragents.map((useragent) => {
    const before = buffer.held.strings + buffer.dropped;
    buffer.note(verdict(useragent));
    return buffer.held.strings + buffer.dropped === before;
  });
const named = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

test("half of the strings may wait, and a string that was noted once leaves when it is written", () => {
  const buffer = make({ strings: 10, bytes: 1e6 });
  for (const useragent of named("a", 6)) buffer.note(verdict(useragent), 2);
  assert.deepEqual([buffer.queued, buffer.dropped, buffer.unwritten], [5, 2, 5]);
  write(buffer, 100);
  assert.deepEqual([buffer.queued, buffer.waiting, buffer.unwritten], [0, 0, 0]);
  assert.equal(buffer.held.strings, 5);
  for (const useragent of named("b", 6)) buffer.note(verdict(useragent));
  assert.deepEqual([buffer.queued, buffer.dropped, buffer.unwritten], [5, 3, 5]);
  write(buffer, 100);
  assert.equal(buffer.held.strings, 5);
  assert.deepEqual(holds(buffer, named("a", 5)), [true, true, true, true, true]);
});

test("of strings noted twice and more, those that came first leave, but none that waits", () => {
  const buffer = make({ strings: 10, bytes: 1e6 });
  for (const useragent of named("a", 5)) buffer.note(verdict(useragent), 2);
  write(buffer, 100);
  for (const useragent of named("b", 4)) for (let twice = 0; twice < 2; twice++) buffer.note(verdict(useragent));
  buffer.note(verdict("a0"));
  buffer.take(100);
  buffer.note(verdict("b0"));
  buffer.note(verdict("a1"));
  buffer.confirm();
  // a2 to a4 and the first of the rest; a1 and b0 wait.
  assert.deepEqual([buffer.held.strings, buffer.queued], [5, 2]);
  assert.deepEqual(holds(buffer, ["a1", "b0", "b1", "b2", "b3"]), [true, true, true, true, true]);
});

test("a string that came again while it was written is one that was noted twice", () => {
  const buffer = make({ strings: 10, bytes: 1e6 });
  buffer.note(verdict("regular"));
  buffer.take(100);
  buffer.note(verdict("regular"));
  buffer.confirm();
  for (const useragent of named("a", 4)) buffer.note(verdict(useragent));
  write(buffer, 100);
  for (const useragent of named("b", 5)) buffer.note(verdict(useragent));
  write(buffer, 100);
  assert.deepEqual(holds(buffer, ["regular"]), [true]);
});

test("memory is 320 bytes a string, and two for each unit of it and of its name", () => {
  const buffer = make({ strings: 1000, bytes: 3240 });
  for (let n = 0; n < 9; n++) buffer.note(crawler(`${n}`, { name: "N" }));
  assert.deepEqual({ ...buffer.held }, { strings: 9, bytes: 9 * 324 });
  buffer.note(verdict("xy"));
  assert.deepEqual({ ...buffer.held, dropped: buffer.dropped }, { strings: 10, bytes: 3240, dropped: 0 });
  buffer.note(verdict(""));
  assert.equal(buffer.dropped, 1);
  // A quarter of the bytes are two and a half of them.
  assert.equal(buffer.isPressing, true);
  buffer.take(7);
  assert.equal(buffer.isPressing, true);
  buffer.confirm();
  buffer.take(1);
  assert.equal(buffer.isPressing, false);
  buffer.confirm();
  // Only half of the bytes are for what is written.
  assert.deepEqual({ ...buffer.held }, { strings: 5, bytes: 4 * 324 + 324 });
  write(buffer, 10);
  assert.deepEqual({ ...buffer.held }, { strings: 5, bytes: 3 * 324 + 648 });
  assert.equal(buffer.isPressing, false);
});

test("what it holds does not keep the bodies alive that the strings were cut from", async () => {
  const buffer = make({ strings: 10_000, bytes: 8 * 1024 * 1024 });
  const before = await residentBytes();
  for (let n = 0; n < 300; n++) {
    // Parsed, as bodies are, since a string that was put together would be copied anyway.
    const body: string = JSON.parse(`"${n} ${String.fromCharCode(97 + (n % 26)).repeat(1024 * 1024)}"`);
    buffer.note(crawler(body, { name: body.slice(0, 40) }));
    buffer.note(crawler(body.slice(0, 100), { name: body.slice(50, 90) }));
  }
  const grownMb = ((await residentBytes()) - before) / 1e6;
  assert.equal(buffer.held.strings, 600);
  assert.ok(grownMb < 100, `${grownMb.toFixed(0)} MB held of 300 MB`);
});
