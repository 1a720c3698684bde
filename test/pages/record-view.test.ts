/** What pages read of the record, and how often. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { RequestContext } from "../../src/http/context.ts";
import { showRecord } from "../../src/pages/traffic/record-view.ts";
import type { RecordedString, RecordQuery } from "../../src/record/store.ts";
import type { TrafficHour } from "../../src/record/traffic.ts";

const row = (useragent: string, firstSeen: number): RecordedString => ({
  ...{ useragent, crawler: true, name: "A", count: 3 },
  ...{ firstSeen, lastSeen: firstSeen },
});

function open() {
  const asked: unknown[] = [];
  const answers: { strings: readonly RecordedString[] | Error } = { strings: [row("new", 2000), row("old", 1999)] };
  const record = {
    note() {},
    async *list(query: RecordQuery) {
      asked.push(query);
      if (answers.strings instanceof Error) throw answers.strings;
      if (answers.strings.length > 0) yield answers.strings;
    },
    async traffic(sinceMs: number) {
      asked.push(sinceMs);
      return [
        { hour: 1, names: { A: 2, B: 1 } },
        { hour: 2, names: { A: 3 } },
        { hour: 3, names: { B: 1 } },
      ] as unknown as TrafficHour[];
    },
    newCrawlers: async () =>
      ["A", "Unknown"].map((name) => ({ name, category: "ai" as const, count: 7, firstSeen: 0 })),
  };
  const view = showRecord({ record }, (name) => name !== "Unknown")!.viewOf({} as RequestContext)!;
  return { view, asked, answers };
}

it("strings are read once in ten seconds, and again after a failure", async () => {
  const { view, asked, answers } = open();
  answers.strings = new Error("broken");
  await assert.rejects(view.frequent(5), /broken/);
  const both = [row("new", 2000), row("old", 1999)];
  answers.strings = both;
  assert.deepEqual(await view.frequent(5), both);
  assert.deepEqual(await view.fresh(2000, 5), both.slice(0, 1));
  assert.deepEqual(await view.fresh(1999, 5), both);
  await view.frequent(5);
  await view.frequent(6);
  assert.deepEqual(asked, [
    { order: "count", limit: 5 },
    { order: "count", limit: 5 },
    { order: "first-seen", crawler: true, limit: 5 },
    { order: "count", limit: 6 },
  ]);
  answers.strings = [];
  assert.deepEqual(await view.frequent(7), []);
});

it("answers to a limited number of questions are kept", async () => {
  const { view, asked } = open();
  for (let limit = 0; limit < 500; limit++) await view.frequent(limit);
  await view.frequent(499);
  assert.equal(asked.length, 500);
  await view.frequent(0);
  assert.equal(asked.length, 501);
});

it("the strings of a crawler are no others that contain its name", async () => {
  const { view, asked, answers } = open();
  answers.strings = [row("A/1", 1), { ...row("Another/1", 2), name: "Another" }];
  assert.deepEqual(await view.stringsOf("A"), [row("A/1", 1)]);
  assert.deepEqual(asked, [{ q: "A", crawler: true, order: "count", limit: 50 }]);
});

it("a crawler was seen in the hours of five weeks, one without an entry since its first string", async () => {
  const { view, asked } = open();
  const hours = (...all: [hour: number, count: number][]) => ({
    count: all.reduce((sum, [, n]) => sum + n, 0),
    hours: all,
  });
  const expected = [
    ["A", hours([1, 2], [2, 3])],
    ["B", hours([1, 1], [3, 1])],
    ["Unknown", { count: 7, hours: [] }],
  ] as const;
  for (let twice = 0; twice < 2; twice++) assert.deepEqual([...(await view.sightings())], expected);
  assert.equal(asked.length, 1);
  const age = (Date.now() - (asked[0] as number)) / 3_600_000;
  assert.ok(age >= 35 * 24 && age <= 35 * 24 + 1 && (asked[0] as number) % 3_600_000 === 0);
});

it("a record that cannot be read is none", () => {
  const note = () => {};
  for (const read of [{}, { record: { note } }, { record: { note, async *list() {} } }])
    assert.equal(
      showRecord(read, () => true),
      undefined,
    );
});
