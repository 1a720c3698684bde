/** What pages read of the record, and how often. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { RequestContext } from "../../src/http/context.ts";
import { showRecord } from "../../src/pages/traffic/record-view.ts";
import type { RecordedString, RecordQuery } from "../../src/record/store.ts";

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
    traffic: {
      sums: () => assert.fail("sums"),
      news: () => assert.fail("news"),
      async sightings() {
        asked.push("sightings");
        return [
          { name: "A", count: 5, lastHour: 2 },
          { name: "Unknown", count: 7 },
        ];
      },
      async hoursOf(name: string) {
        asked.push(name);
        return [{ hour: 2, crawlers: 5, people: 0 }];
      },
    },
  };
  const view = showRecord({ record })!.viewOf({} as RequestContext)!;
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

it("sightings, and the hours of a crawler, are read once in ten seconds", async () => {
  const { view, asked } = open();
  for (let twice = 0; twice < 2; twice++) {
    assert.deepEqual(
      await view.sightings(),
      new Map([
        ["A", { name: "A", count: 5, lastHour: 2 }],
        ["Unknown", { name: "Unknown", count: 7 }],
      ]),
    );
    assert.deepEqual(await view.hoursOf("A"), [{ hour: 2, crawlers: 5, people: 0 }]);
  }
  await view.hoursOf("B");
  assert.deepEqual(asked, ["sightings", "A", "B"]);
});

it("a record that cannot be read is none", () => {
  const note = () => {};
  for (const read of [{}, { record: { note } }, { record: { note, async *list() {} } }])
    assert.equal(showRecord(read), undefined);
});
