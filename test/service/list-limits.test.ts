/** Lists have bounds whatever clients and records do: so many at once, so long without being read, so long a wait for the record. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createSlots } from "../../src/http/slots.ts";
import type { RecordedString } from "../../src/record/store.ts";
import type { RecordKeeper, ServiceOptions } from "../../src/service/options.ts";
import { createService } from "../../src/service.ts";
import { get } from "./ask.ts";

const evaluated = "/RestService/List?source=evaluated";
const page: readonly RecordedString[] = Array.from({ length: 250 }, (_, row) => ({
  useragent: `Bot/${row} ${"x".repeat(200)}`,
  crawler: true,
  count: 1,
  firstSeen: 0,
  lastSeen: 0,
}));
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const never = new Promise<never>(() => {});

/** A record of three pages, each longer than a piece; `before` runs before each of them. */
function createRecord(before: (page: number) => Promise<void> = async () => {}) {
  const ended: string[] = [];
  const record: RecordKeeper = {
    note() {},
    async *list() {
      let how = "left";
      try {
        for (let number = 0; number < 3; number++) {
          await before(number);
          yield page;
        }
        how = "read";
      } finally {
        ended.push(how);
      }
    },
    count: async () => 3 * page.length,
  };
  return { record, ended };
}

const create = (record: RecordKeeper, options: Partial<ServiceOptions> = {}) =>
  createService({ detector, record, maxLists: 1, ...options });

const readerOf = (response: Response) => (response.body as ReadableStream<Uint8Array>).getReader();

async function assertProblem(response: Response, status: number, name: string, detail: string): Promise<void> {
  const problem = (await response.json()) as { type: string; detail: string };
  assert.deepEqual([response.status, problem.type, problem.detail], [status, `/docs#${name}`, detail]);
}

describe("more lists than may be made at once", () => {
  test("are told to come back; what is kept is served all the same", async () => {
    const { record } = createRecord();
    const service = create(record);
    const first = await get(service, evaluated);
    const busy = await get(service, evaluated);
    assert.equal(busy.headers.get("retry-after"), "1");
    await assertProblem(busy, 503, "too-many-lists", "The maximum number of lists is being sent; retry in one second.");
    assert.equal((await get(service, "/RestService/List?q=bot")).status, 503);
    assert.equal((await get(service, "/RestService/List?source=catalogue")).status, 200);
    assert.equal((await get(service, "/ranges?operator=Ahrefs")).status, 503);
    for (const kept of ["/ranges", "/ranges?crawler=GPTBot"]) assert.equal((await get(service, kept)).status, 200);
    assert.equal(((await first.json()) as { items: object[] }).items.length, 3 * page.length);
  });

  const ends: Readonly<Record<string, (service: ReturnType<typeof create>) => Promise<unknown>>> = {
    "has read its list": async (service) => (await get(service, evaluated)).text(),
    "has gone away": async (service) => readerOf(await get(service, evaluated)).cancel(),
    "has gone away midway": async (service) => {
      const reader = readerOf(await get(service, evaluated));
      await reader.read();
      await reader.cancel();
    },
    "has got a short list": async (service) => (await get(service, "/RestService/List?q=googlebot&limit=1")).text(),
    "has asked for the head alone": async (service) =>
      service.fetch(new Request(`http://localhost${evaluated}`, { method: "HEAD" })),
    "has read chosen ranges": async (service) => (await get(service, "/ranges?operator=Ahrefs&format=json")).text(),
    "has gone away from ranges midway": async (service) => {
      const reader = readerOf(await get(service, "/ranges?operator=Ahrefs"));
      await reader.read();
      await reader.cancel();
    },
    "has asked for the head of ranges": async (service) =>
      service.fetch(new Request("http://localhost/ranges?operator=Ahrefs", { method: "HEAD" })),
    "has made a mistake": (service) => get(service, `${evaluated}&limit=x`),
  };
  for (const [name, end] of Object.entries(ends)) {
    test(`are served when a client ${name}`, async () => {
      const service = create(createRecord().record);
      for (let times = 0; times < 3; times++) await end(service);
      assert.equal((await get(service, evaluated)).status, 200);
    });
  }

  test("are served when the record has failed, before the first piece or midway", async () => {
    let failsAt = 0;
    const { record } = createRecord(async (number) => {
      if (number === failsAt) throw new Error("secret");
    });
    const service = create(record);
    const unreadable = "The record cannot be read now; the catalogue's strings are at ?source=catalogue.";
    await assertProblem(await get(service, evaluated), 503, "record-unavailable", unreadable);
    failsAt = 1;
    await assert.rejects((await get(service, evaluated)).text());
    failsAt = -1;
    assert.equal((await get(service, evaluated)).status, 200);
  });

  test("are served when a client has taken nothing for too long, whose list breaks off", async () => {
    const { record, ended } = createRecord();
    const service = create(record, { stallMs: 30 });
    const stalled = readerOf(await get(service, evaluated));
    await stalled.read();
    while (ended.length === 0) await wait(5);
    assert.deepEqual(ended, ["left"]);
    assert.equal((await get(service, evaluated)).status, 200);
    await assert.rejects(async () => {
      while (!(await stalled.read()).done);
    });
  });

  test("wait for a client that takes its list slowly, but takes it", async () => {
    const { record, ended } = createRecord();
    const service = create(record, { stallMs: 300 });
    const reader = readerOf(await get(service, evaluated));
    let pieces = 0;
    for (; !(await reader.read()).done; pieces++) await wait(80);
    assert.ok(pieces > 3 && ended.join() === "read", `${pieces} ${ended}`);
  });
});

describe("places of lists", () => {
  test("are as many as were made, however often one is given back", () => {
    const take = createSlots(2, 1000);
    const [first, second] = [take(), take()];
    assert.ok(first && second && take() === undefined);
    first.release();
    first.release();
    assert.ok(take());
    assert.equal(take(), undefined);
  });
});

describe("the wait for the record", () => {
  const slow = "The search takes too long; request fewer strings, or none of the filters.";

  test("ends with a problem where a page or the number does not come", async () => {
    const { record, ended } = createRecord(() => never);
    const list = await get(create(record, { listTimeoutMs: 20 }), evaluated);
    await assertProblem(list, 503, "list-timeout", slow);
    assert.deepEqual(ended, []);
    const uncounted = create({ ...record, count: () => never }, { listTimeoutMs: 20 });
    await assertProblem(await get(uncounted, "/RestService/List?limit=1"), 503, "list-timeout", slow);
  });

  test("is one for the whole list", async () => {
    const service = create(createRecord(() => wait(40)).record, { listTimeoutMs: 70 });
    const response = await get(service, evaluated);
    // On a slow machine the first page may take all of it.
    if (response.status === 200) await assert.rejects(response.text());
    else assert.equal(response.status, 503);
  });

  test("does not count the time that the client takes", async () => {
    const service = create(createRecord().record, { listTimeoutMs: 100 });
    const reader = readerOf(await get(service, evaluated));
    for (let isDone = false; !isDone; isDone = (await reader.read()).done) await wait(30);
  });
});

describe("the number of strings", () => {
  test("is absent where counting takes long, or the record does not count", async () => {
    const { record } = createRecord();
    const { count: _, ...uncounted } = record;
    for (const own of [{ ...record, count: async () => undefined }, uncounted]) {
      const list = (await (await get(create(own), `${evaluated}&limit=2`)).json()) as Record<string, unknown>;
      const { items, ...facts } = list;
      assert.deepEqual(facts, { version: detector.version, offset: 0, limit: 2 });
    }
  });
});

test("the record is asked for what the catalogue leaves of the list", async () => {
  const asked: object[] = [];
  const { record } = createRecord();
  const own = create({
    ...record,
    async *list(query) {
      asked.push(query);
      yield [];
    },
  });
  const known = detector.strings().length;
  for (const query of ["limit=0", "limit=2", `limit=2&offset=${known - 1}`, `offset=${known + 5}&limit=3`, "q=zz-none"])
    await get(own, `/RestService/List?${query}`);
  assert.deepEqual(asked, [
    { offset: 0, limit: 1 },
    { offset: 5, limit: 3 },
    { q: "zz-none", offset: 0, limit: Number.POSITIVE_INFINITY },
  ]);
});

describe("recorded strings that only some may see", () => {
  const record: RecordKeeper = {
    note() {},
    async *list() {
      yield page.slice(0, 1);
    },
    count: async () => 1,
  };
  const service = createService({ detector, record, mayRead: (authorization) => authorization === "Bearer me" });
  const me = { authorization: "Bearer me" };
  const totalOf = async (query: string, headers = {}) =>
    ((await (await get(service, `/RestService/List?limit=0${query}`, headers)).json()) as { total: number }).total;

  test("are hidden from others, who are told so where they ask for them", async () => {
    const known = detector.strings().length;
    assert.deepEqual(
      [await totalOf(""), await totalOf("", me), await totalOf("&source=catalogue", me)],
      [known, known + 1, known],
    );
    assert.equal(await totalOf("&source=evaluated", me), 1);
    const refused = await get(service, evaluated);
    assert.equal(refused.headers.get("www-authenticate"), "Bearer");
    const hidden = "Recorded strings are shown to callers with a token: Authorization: Bearer …";
    await assertProblem(refused, 401, "unauthorized", hidden);
    for (const headers of [{}, me]) {
      const { headers: told } = await get(service, "/RestService/List?limit=1", headers);
      assert.equal(told.get("vary"), "Accept, Authorization, Accept-Encoding");
    }
  });
});
