/** New crawlers and spikes of the record: what counts as one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecord } from "../../src/record/record.ts";
import { hourMs, type TrafficHour } from "../../src/record/traffic.ts";
import { findSpikes, readNews } from "../../src/record/traffic-news.ts";
import { rowsOf } from "../support/table.ts";
import { crawler } from "../support/verdicts.ts";
import { createMemoryStore } from "./memory-store.ts";

const start = 500_000 * hourMs;

/** `40 A:50 B:1`: the hour that is 40 hours after the start, with requests by name. */
function hourOf(text: string): TrafficHour {
  const [at, ...counts] = text.split(" ");
  const names = Object.fromEntries(counts.map((count) => count.split(":")).map(([name, n]) => [name, Number(n)]));
  return {
    ...{ hour: start + Number(at) * hourMs, crawlers: 0, people: 0 },
    ...{ categories: {}, purposes: {}, operators: {}, names, verifications: {} },
  };
}

/** What is tried, hours, and the spikes in them 200 hours after the start: name, hour, requests, and requests before. */
for (const [title, hours = "", spikes = ""] of rowsOf(`
  no hours | |
  three times as many | 40 A:50, 200 A:150 | A 200 150 50
  less than three times as many | 40 A:50, 200 A:149 |
  fewer than 100 | 40 A:1, 200 A:99 |
  none before | 40 B:1, 200 A:100 | A 200 100 0
  more than seven days before | 31 A:900, 32 A:10, 200 A:100 | A 200 100 10
  the 24 hours before | 100 A:1, 176 A:1, 177 A:500 | A 177 500 1
  longer ago | 100 A:1, 176 A:500 |
  a record of less than a day | 177 A:1, 200 A:500 |
  a record of a day | 176 A:1, 200 A:500 | A 200 500 1
  a crawler that goes on | 100 A:10, 198 A:300, 199 A:400 | A 198 300 10
  several | 100 A:10, 198 A:300, 199 A:900 B:1000 | B 199 1000 0, A 199 900 300
  names of objects | 100 x:1, 199 __proto__:100 constructor:101 | constructor 199 101 0, __proto__ 199 100 0
  crawlers without an entry | 100 A:10 :90, 200 A:100 :500 | A 200 100 10
`))
  test(`spikes: ${title}`, () => {
    const found = findSpikes(hours.split(", ").filter(Boolean).map(hourOf), start + 200 * hourMs + 5);
    const shown = found.map((spike) =>
      [spike.name, (spike.hour - start) / hourMs, spike.requests, spike.before].join(" "),
    );
    assert.equal(shown.join(", "), spikes);
  });

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
