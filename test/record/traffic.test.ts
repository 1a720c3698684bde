/** Requests an hour: what is counted, how it is bounded, and that it survives failures and restarts exactly. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Verdict } from "../../src/detect/verdict.ts";
import { createMemoryStore } from "../../src/record/memory-store.ts";
import { createRecord } from "../../src/record/record.ts";
import { createSqliteStore } from "../../src/record/sqlite-store.ts";
import { type Store, StoreError } from "../../src/record/store.ts";
import { foldTraffic, TrafficCounter } from "../../src/record/traffic.ts";
import { temporaryFolder } from "./temporary.ts";

const folder = temporaryFolder();
after(() => rmSync(folder, { recursive: true, force: true }));

const hour = 3_600_000;
const person: Verdict = { useragent: "Mozilla/5.0", crawler: false };
const bot = (name: string, facts: Partial<Verdict> = {}): Verdict => {
  return { useragent: `${name}/1.0`, crawler: true, name, category: "ai", ...facts } as Verdict;
};
const verification = (status: "verified" | "spoofed") => ({
  verification: { status, method: "dns", reason: "r" } as const,
});

test("hours tell who asked, by everything that verdicts know, also after a restart and a failure", async () => {
  let now = 500_000 * hour;
  const path = join(folder, "record.sqlite");
  const options = { clock: () => now, flushIntervalMs: 60_000 };
  const sqlite = createSqliteStore({ path });
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
  const second = createRecord({ ...options, store: createSqliteStore({ path }) });
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

test("any number of names stays within a bound, the frequent ones keep theirs, and no request is forgotten", () => {
  const counter = new TrafficCounter();
  for (let n = 0; n < 50_000; n++) {
    counter.note(bot(`Random ${n}`), 5 * hour);
    counter.note(bot(`Regular ${n % 10}`), 5 * hour);
  }
  // Memory holds a thousand until they are written; whoever comes later in that time is one of the others.
  for (let n = 0; n < 5000; n++) counter.note(bot("Late"), 5 * hour);
  const names = counter.take().filter(({ dimension }) => dimension === "name");
  assert.equal(names.length, 101);
  assert.equal(
    names.reduce((sum, { count }) => sum + count, 0),
    105_000,
  );
  for (let n = 0; n < 10; n++) assert.equal(names.find(({ value }) => value === `Regular ${n}`)?.count, 5000);
  assert.equal(
    names.find(({ value }) => value === "Late"),
    undefined,
  );
  assert.deepEqual(foldTraffic(names), names);
  assert.deepEqual(counter.take(), []);
});

test("hours that wait for a store that is away are bounded", () => {
  const counter = new TrafficCounter();
  for (let at = 0; at < 500; at++) counter.note(person, at * hour);
  const hours = counter.take().map((each) => each.hour / hour);
  assert.deepEqual([hours.length, hours[0], hours.at(-1)], [49, 451, 499]);
});
