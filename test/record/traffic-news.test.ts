/** New crawlers and spikes of the record: what counts as one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecord } from "../../src/record/record.ts";
import { hourMs, type TrafficHour } from "../../src/record/traffic.ts";
import { findSpikes, readNews } from "../../src/record/traffic-news.ts";
import { crawler } from "../support/verdicts.ts";
import { createMemoryStore } from "./memory-store.ts";

const start = 500_000 * hourMs;
/** The hour that is `at` hours after the start, with requests by name. */
const hourAt = (at: number, names: Readonly<Record<string, number>>): TrafficHour => ({
  ...{ hour: start + at * hourMs, crawlers: 0, people: 0 },
  ...{ categories: {}, purposes: {}, operators: {}, names, verifications: {} },
});
const now = start + 200 * hourMs + 5;
const spike = (name: string, at: number, requests: number, before: number) => ({
  ...{ name, hour: start + at * hourMs, requests, before },
});

const rows: readonly (readonly [title: string, hours: readonly TrafficHour[], spikes: readonly object[]])[] = [
  ["no hours", [], []],
  ["three times as many", [hourAt(40, { A: 50 }), hourAt(200, { A: 150 })], [spike("A", 200, 150, 50)]],
  ["less than three times as many", [hourAt(40, { A: 50 }), hourAt(200, { A: 149 })], []],
  ["fewer than 100", [hourAt(40, { A: 1 }), hourAt(200, { A: 99 })], []],
  ["none before", [hourAt(40, { B: 1 }), hourAt(200, { A: 100 })], [spike("A", 200, 100, 0)]],
  [
    "more than seven days before",
    [hourAt(31, { A: 900 }), hourAt(32, { A: 10 }), hourAt(200, { A: 100 })],
    [spike("A", 200, 100, 10)],
  ],
  [
    "the 24 hours before",
    [hourAt(100, { A: 1 }), hourAt(177, { A: 500 }), hourAt(176, { A: 1 })].sort((a, b) => a.hour - b.hour),
    [spike("A", 177, 500, 1)],
  ],
  ["longer ago", [hourAt(100, { A: 1 }), hourAt(176, { A: 500 })], []],
  ["a record of less than a day", [hourAt(177, { A: 1 }), hourAt(200, { A: 500 })], []],
  ["a record of a day", [hourAt(176, { A: 1 }), hourAt(200, { A: 500 })], [spike("A", 200, 500, 1)]],
  [
    "a crawler that goes on",
    [hourAt(100, { A: 10 }), hourAt(198, { A: 300 }), hourAt(199, { A: 400 })],
    [spike("A", 198, 300, 10)],
  ],
  [
    "several",
    [hourAt(100, { A: 10 }), hourAt(198, { A: 300 }), hourAt(199, { A: 900, B: 1000 })],
    [spike("B", 199, 1000, 0), spike("A", 199, 900, 300)],
  ],
  [
    "names of objects",
    [hourAt(100, { x: 1 }), hourAt(199, JSON.parse('{ "__proto__": 100, "constructor": 101 }'))],
    [spike("constructor", 199, 101, 0), spike("__proto__", 199, 100, 0)],
  ],
  [
    "crawlers without an entry",
    [hourAt(100, { A: 10, "": 90 }), hourAt(200, { A: 100, "": 500 })],
    [spike("A", 200, 100, 10)],
  ],
];
for (const [title, hours, spikes] of rows)
  test(`spikes: ${title}`, () => assert.deepEqual(findSpikes(hours, now), spikes));

test("news of a record", async () => {
  let time = start;
  const record = createRecord({ store: createMemoryStore(), clock: () => time });
  const read = () => readNews(record, time);
  const bot = (name: string) => crawler(`${name}/1.0`, { name, category: "ai" });
  record.note(bot("Known"));
  assert.deepEqual(await read(), { isKnown: false, newCrawlers: [], spikes: [] });
  time = start + 48 * hourMs;
  for (let n = 0; n < 700; n++) record.note(bot("Known"));
  for (let n = 0; n < 2; n++) record.note(bot("New"));
  const { isKnown, newCrawlers, spikes } = await read();
  assert.deepEqual(
    [isKnown, newCrawlers, spikes.map(({ name, requests, before }) => [name, requests, before])],
    [true, [{ name: "New", category: "ai", count: 2, firstSeen: time }], [["Known", 700, 1]]],
  );
  await record.close();
});
