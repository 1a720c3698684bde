/** Requests an hour: what is counted, how it is bounded, and that it survives failures and restarts exactly. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { CrawlerVerdict, Verdict } from "../../src/detect/verdict.ts";
import { toFigures, toIntervals } from "../../src/pages/traffic/traffic-figures.ts";
import { readTraffic } from "../../src/record/paging.ts";
import { createRecord } from "../../src/record/record.ts";
import { createSqliteStore } from "../../src/record/sqlite-store.ts";
import { type Store, StoreError } from "../../src/record/store.ts";
import { type TrafficCount, TrafficCounter, toTrafficHours } from "../../src/record/traffic.ts";
import { temporaryInMemory } from "../support/temporary.ts";
import { crawler } from "../support/verdicts.ts";
import { createMemoryStore } from "./memory-store.ts";

const folder = temporaryInMemory();
const hour = 3_600_000;
const person: Verdict = { useragent: "Mozilla/5.0", crawler: false };
const bot = (name: string, facts: Partial<CrawlerVerdict> = {}): CrawlerVerdict =>
  crawler(`${name}/1.0`, { name, category: "ai", ...facts });
/** The catalogue of these tests has no entry for these. */
const hasEntry = (name: string) => !name.startsWith("Unknown");
const verification = (status: "verified" | "spoofed" | "unverifiable") => ({
  verification: { status, method: "dns", reason: "r" } as const,
});

test("hours tell who asked, by everything that verdicts know, also after a restart and a failure", async () => {
  let now = 500_000 * hour;
  const path = join(folder, "record.sqlite");
  const options = { clock: () => now, flushIntervalMs: 60_000 };
  const sqlite = createSqliteStore(path);
  let failures = 2;
  const write: Store["write"] = async (batch) => {
    if (failures-- > 0) throw new StoreError("away");
    return sqlite.write(batch);
  };
  const first = createRecord({ ...options, store: { ...sqlite, write } });
  for (let n = 0; n < 3; n++) first.note(person);
  first.note(bot("A", { purposes: ["search", "training"], operator: "Foo & Söhne", ...verification("verified") }));
  assert.equal(await first.flush(), false);
  now += hour;
  first.note(bot("A", { purposes: ["search"], ...verification("spoofed") }));
  first.note(bot("__proto__", { category: "seo" }));
  assert.deepEqual(await first.close(), { lost: 0 });
  const second = createRecord({ ...options, store: createSqliteStore(path) });
  second.note(person);
  second.note(bot("A", verification("spoofed")));
  const expected = [
    {
      hour: now - hour,
      crawlers: 1,
      people: 3,
      categories: { ai: 1 },
      purposes: { search: 1, training: 1 },
      operators: { "Foo & Söhne": 1 },
      names: { A: 1 },
      verifications: { A: { verified: 1 } },
    },
    {
      hour: now,
      crawlers: 3,
      people: 1,
      categories: { ai: 2, seo: 1 },
      purposes: { search: 1 },
      operators: {},
      names: JSON.parse('{ "A": 2, "__proto__": 1 }'),
      verifications: { A: { spoofed: 2 } },
    },
  ];
  assert.deepEqual(await second.traffic(now - hour), expected);
  assert.deepEqual(await second.traffic(now + 5), expected.slice(1));
  await second.close();
});

test("what finds no room in the record is still counted as traffic", async () => {
  const record = createRecord({ store: createMemoryStore(), clock: () => hour, bounds: { strings: 10, bytes: 1e6 } });
  for (let n = 0; n < 1000; n++) record.note({ useragent: `${n}`, crawler: false });
  assert.ok(record.status().dropped > 900);
  assert.equal((await record.traffic(0))[0]?.people, 1000);
  await record.close();
});

test("hours that wait for a store that is away are bounded", () => {
  const counter = new TrafficCounter(hasEntry);
  for (let at = 0; at < 500; at++) counter.note(person, at * hour);
  const hours = counter.take().map((each) => each.hour / hour);
  assert.deepEqual([hours.length, hours[0], hours.at(-1)], [49, 451, 499]);
});

const count = (dimension: TrafficCount["dimension"], value: string, n: number, at = 5): TrafficCount => {
  return { hour: at * hour, dimension, value, count: n };
};

test("each fact of a verdict is counted, as often as it was said, in the hour in which it was", () => {
  const counter = new TrafficCounter(hasEntry);
  for (let n = 0; n < 3; n++) counter.note(person, 5 * hour);
  counter.note(person, 6 * hour - 1);
  const facts = { purposes: ["search", "training"] as const, operator: "O", ...verification("unverifiable") };
  for (let n = 0; n < 2; n++) counter.note({ ...bot("A"), ...facts }, 6 * hour);
  counter.note(crawler("?", verification("spoofed")), 6 * hour);
  for (let n = 0; n < 5; n++) counter.note({ ...bot("Unknown"), operator: "unknown.example" }, 6 * hour);
  // A clock that was set back goes on in its hour.
  counter.note(person, 5 * hour);
  assert.deepEqual(counter.take(), [
    count("crawler", "false", 4),
    count("crawler", "true", 8, 6),
    count("crawler", "false", 1, 6),
    count("category", "ai", 7, 6),
    count("category", "other", 1, 6),
    count("purpose", "search", 2, 6),
    count("purpose", "training", 2, 6),
    count("operator", "O", 2, 6),
    count("operator", "", 5, 6),
    count("name", "A", 2, 6),
    count("name", "", 6, 6),
    count("spoofed", "", 1, 6),
    count("unverifiable", "A", 2, 6),
  ]);
  counter.note(person, 6 * hour + 5);
  assert.deepEqual(counter.take(), [count("crawler", "false", 1, 6)]);
});

test("an hour counts a hundred names one by one, also over many writes, and those that come later as one", () => {
  const counter = new TrafficCounter(hasEntry);
  const namesIn = () => counter.take().filter(({ dimension }) => dimension === "name");
  for (let n = 0; n < 99; n++) counter.note(bot(`Early ${n}`), hour);
  assert.equal(namesIn().length, 99);
  for (const name of ["Late", "Later", "Latest", "Early 5"]) counter.note(bot(name), hour);
  assert.deepEqual(namesIn(), [count("name", "Early 5", 1, 1), count("name", "Late", 1, 1), count("name", "", 2, 1)]);
  assert.equal(counter.isWaiting, false);
  counter.note(bot("Later"), 2 * hour);
  assert.deepEqual(namesIn(), [count("name", "Later", 1, 2)]);
});

test("hours come in order, with what was counted in them and nothing else", () => {
  const nothing = { categories: {}, purposes: {}, operators: {}, names: {}, verifications: {} };
  const counts = [
    count("crawler", "true", 2, 7),
    count("verified", "A", 3, 6),
    count("category", "ai", 1, 6),
    count("spoofed", "A", 4, 6),
    count("unverifiable", "B", 5, 6),
    count("purpose", "agent", 6, 6),
    count("operator", "O", 7, 6),
    count("name", "", 8, 6),
    count("crawler", "false", 9, 5),
  ];
  assert.deepEqual(toTrafficHours(counts), [
    { ...nothing, hour: 5 * hour, crawlers: 0, people: 9 },
    {
      hour: 6 * hour,
      crawlers: 0,
      people: 0,
      categories: { ai: 1 },
      purposes: { agent: 6 },
      operators: { O: 7 },
      names: { "": 8 },
      verifications: { A: { verified: 3, spoofed: 4 }, B: { unverifiable: 5 } },
    },
    { ...nothing, hour: 7 * hour, crawlers: 2, people: 0 },
  ]);
});

test("traffic is read four hours at a time, from the hour asked for or five weeks ago to now", async () => {
  for (const [since, now, expected] of [
    [90.5, 100.5, [90, 94, 98]],
    [92, 100, [92, 96, 100]],
    [0, 1000, Array.from({ length: 211 }, (_, part) => 160 + 4 * part)],
    [101, 100, []],
  ] as const) {
    const asked: [number, number][] = [];
    const store = {
      async traffic(from: number, until: number) {
        asked.push([from / hour, until / hour]);
        return [count("crawler", "false", 1, from / hour)];
      },
      trafficSums: () => assert.fail("sums are read"),
    };
    const hours = await readTraffic(store, since * hour, now * hour);
    assert.deepEqual(
      asked,
      expected.map((at) => [at, at + 4]),
    );
    assert.deepEqual(
      hours.map((each) => each.hour / hour),
      expected,
    );
  }
});

test("the sums of five weeks are one question, and the same figures as those of the hours", async () => {
  const store = createMemoryStore();
  const traffic = Array.from({ length: 900 }, (_, at) => [
    count("crawler", String(at % 3 === 0), at, at),
    count("name", `Bot ${at % 7}`, 1, at),
    count("verified", `Bot ${at % 2}`, 2, at),
  ]);
  await store.write({ id: 1, rows: [], traffic: traffic.flat() });
  const asked: string[] = [];
  const watched = new Proxy(store, {
    get(target, name: keyof Store) {
      asked.push(name);
      return target[name];
    },
  });
  const [sums, hours] = [await readTraffic(watched, 0, 899 * hour, true), await readTraffic(store, 0, 899 * hour)];
  assert.deepEqual(asked, ["trafficSums"]);
  assert.deepEqual(toFigures(sums), toFigures(hours));
  assert.deepEqual(toIntervals("month", 899 * hour, sums), toIntervals("month", 899 * hour, hours));
});
