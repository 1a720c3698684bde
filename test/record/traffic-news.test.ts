/** New crawlers and spikes of the record: what counts as one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { UserAgentRecord } from "../../src/record/record.ts";
import { createSqliteStore } from "../../src/record/sqlite-store.ts";
import { hourMs, type TrafficCount } from "../../src/record/traffic.ts";
import { readNews } from "../../src/record/traffic-news.ts";
import { rowsOf } from "../support/table.ts";
import { crawler } from "../support/verdicts.ts";
import { createMemoryStore } from "./memory-store.ts";

const start = 500_000 * hourMs;

/** `40 A:50 B:1`: the counts of the hour that is 40 hours after the start, by name. */
function countsOf(text: string): TrafficCount[] {
  const [at, ...counts] = text.split(" ");
  return counts.map((each) => {
    const [value = "", count] = each.split(":");
    return { hour: start + Number(at) * hourMs, dimension: "name", value, count: Number(count) };
  });
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
  test(`spikes: ${title}`, async () => {
    const store = createSqliteStore(":memory:");
    await store.open();
    await store.write({ id: 1, rows: [], traffic: hours.split(", ").filter(Boolean).flatMap(countsOf) });
    const news = await readNews(store, start + 200 * hourMs + 5);
    await store.close();
    const shown = news.spikes.map((spike) =>
      [spike.name, (spike.hour - start) / hourMs, spike.requests, spike.before].join(" "),
    );
    assert.equal(shown.join(", "), spikes);
  });

test("news of a record", async () => {
  let time = start;
  const store = createMemoryStore();
  const record = new UserAgentRecord({ store, clock: () => time });
  const read = async () => {
    await record.flush();
    return readNews(store, time);
  };
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
