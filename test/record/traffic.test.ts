/** Requests an hour: what is counted, how it is bounded, and that it survives failures and restarts exactly. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { CrawlerVerdict, Verdict } from "../../src/detect/verdict.ts";
import { toFigures } from "../../src/pages/traffic/traffic-figures.ts";
import { UserAgentRecord } from "../../src/record/record.ts";
import { createSqliteStore } from "../../src/record/sqlite-store.ts";
import { type Store, StoreError } from "../../src/record/store.ts";
import { type TrafficCount, TrafficCounter, toTrafficSums } from "../../src/record/traffic.ts";
import { temporaryInMemory } from "../support/temporary.ts";
import { crawler } from "../support/verdicts.ts";
import { createMemoryStore } from "./memory-store.ts";

const folder = temporaryInMemory();
/** Reads have all notes, however busy the machine is. */
const readWaitMs = Infinity;
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
  const options = { clock: () => now, flushIntervalMs: 60_000, readWaitMs };
  const sqlite = createSqliteStore(path);
  let failures = 2;
  const write: Store["write"] = async (batch) => {
    if (failures-- > 0) throw new StoreError("away");
    return sqlite.write(batch);
  };
  const first = new UserAgentRecord({ ...options, store: { ...sqlite, write } });
  for (let n = 0; n < 3; n++) first.note(person);
  first.note(bot("A", { purposes: ["search", "training"], operator: "Foo & Söhne", ...verification("verified") }));
  assert.equal(await first.flush(), false);
  now += hour;
  first.note(bot("A", { purposes: ["search"], ...verification("spoofed") }));
  first.note(bot("__proto__", { category: "seo" }));
  assert.deepEqual(await first.close(), { lost: 0 });
  const second = new UserAgentRecord({ ...options, store: createSqliteStore(path) });
  second.note(person);
  second.note(bot("A", verification("spoofed")));
  const sums = async (sinceMs: number) => {
    const read = await second.traffic.sums(sinceMs);
    return {
      ...read,
      sums: Object.entries(read.sums).flatMap(([dimension, values]) =>
        [...values].sort().map((value) => [dimension, ...value].join(" ")),
      ),
    };
  };
  const last = { hour: now, crawlers: 3, people: 1 };
  assert.deepEqual(await sums(now - hour), {
    hours: [{ hour: now - hour, crawlers: 1, people: 3 }, last],
    sums: [
      ...["crawler false 4", "crawler true 4", "category ai 3", "category seo 1", "purpose search 2"],
      ...["purpose training 1", "operator Foo & S\u00f6hne 1", "name A 3", "name __proto__ 1"],
      ...["verified A 1", "spoofed A 2"],
    ],
  });
  assert.deepEqual(await sums(now + 5), {
    hours: [last],
    sums: [
      ...["crawler false 1", "crawler true 3", "category ai 2", "category seo 1", "purpose search 1"],
      ...["name A 2", "name __proto__ 1", "spoofed A 2"],
    ],
  });
  assert.deepEqual(await second.traffic.sightings(), [
    { name: "A", count: 3, lastHour: now },
    { name: "__proto__", count: 1, lastHour: now },
  ]);
  assert.deepEqual(await second.traffic.hoursOf("A"), [
    { hour: now - hour, crawlers: 1, people: 0 },
    { hour: now, crawlers: 2, people: 0 },
  ]);
  await second.close();
});

test("what finds no room in the record is still counted as traffic", async () => {
  const record = new UserAgentRecord({
    store: createMemoryStore(),
    clock: () => hour,
    readWaitMs,
    bounds: { strings: 10, bytes: 1e6 },
  });
  for (let n = 0; n < 1000; n++) record.note({ useragent: `${n}`, crawler: false });
  assert.ok(record.status().dropped > 900);
  assert.equal((await record.traffic.sums(0)).hours[0]?.people, 1000);
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

test("an hour counts a name from its hundredth request on, behind the first hundred, and 300 names at most", () => {
  const counter = new TrafficCounter(hasEntry);
  const names = () => {
    const taken = counter.take().filter(({ dimension }) => dimension === "name");
    return new Map(taken.map(({ value, count }) => [value, count]));
  };
  const note = (name: string, times: number) => {
    for (let n = 0; n < times; n++) counter.note(bot(name), hour);
  };
  for (let n = 0; n < 100; n++) note(`Early ${n}`, 1);
  note("Often", 60);
  note("Seldom", 99);
  names();
  note("Often", 5000);
  note("Unknown", 5000);
  assert.deepEqual([...names()].sort(), [
    ["", 5039],
    ["Often", 4961],
  ]);
  for (let n = 0; n < 400; n++) note(`Flood ${n}`, 150);
  // Of the 300, the early ones and the frequent one come no more.
  assert.equal(names().size, 300 - 101);
  counter.note(bot("Often"), 2 * hour);
  assert.deepEqual([...names()], [["Often", 1]]);
});

test("hours come in order, with what was counted in them, and rankings with what was counted in all", () => {
  const counts = [
    count("crawler", "true", 2, 7),
    count("verified", "A", 3),
    count("category", "ai", 1),
    count("spoofed", "A", 4),
    count("unverifiable", "B", 5),
    count("purpose", "agent", 6),
    count("operator", "O", 7),
    count("operator", "P", 9),
    count("name", "", 8),
    count("name", "N", 1),
    count("crawler", "false", 9, 5),
  ];
  const sums = toTrafficSums(counts);
  const hours = [
    { hour: 5 * hour, crawlers: 0, people: 9 },
    { hour: 7 * hour, crawlers: 2, people: 0 },
  ];
  assert.deepEqual(sums.hours, hours);
  assert.deepEqual(toFigures(sums), {
    ...{ crawlers: 2, people: 9, categories: [["ai", 1]], purposes: [["agent", 6]] },
    operators: [
      ["P", 9],
      ["O", 7],
    ],
    names: [
      ["N", 1],
      ["", 8],
    ],
    verifications: [
      ["unverifiable", 5],
      ["spoofed", 4],
      ["verified", 3],
    ],
    verified: [
      [
        "A",
        new Map([
          ["verified", 3],
          ["spoofed", 4],
        ]),
      ],
      ["B", new Map([["unverifiable", 5]])],
    ],
  });
});

test("each of the questions of a page is one of the store", async () => {
  const store = createMemoryStore();
  const asked: string[] = [];
  const watched = new Proxy(store, {
    get(target, name: keyof Store) {
      asked.push(name);
      return target[name];
    },
  });
  const record = new UserAgentRecord({ store: watched, clock: () => 900 * hour, readWaitMs });
  const { traffic } = record;
  await traffic.sums(0);
  await traffic.sightings();
  await traffic.hoursOf("A");
  await traffic.news();
  assert.deepEqual(
    asked.filter((name) => !["open", "write", "tidy"].includes(name)),
    ["traffic", "newCrawlers", "sightings", "hoursOf", "firstHour"],
  );
  await record.close();
});
