/** Lists have bounds whatever clients and records do: so many at once, so long without being read, so long a wait for the record. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { IncomingRequest } from "../../src/http/context.ts";
import type { RecordedString } from "../../src/record/store.ts";
import type { RecordKeeper } from "../../src/service/options.ts";
import type { Options } from "../../src/service.ts";
import { fakeTime } from "../support/fake-time.ts";
import { open } from "./open.ts";

const list = "/RestService/List";
const evaluated = `${list}?source=evaluated`;
const ranges = "/ranges?operator=Ahrefs";
const strings = detector.strings().length;
const page: readonly RecordedString[] = Array.from({ length: 250 }, (_, row) => ({
  ...{ useragent: `Bot/${row} ${"x".repeat(200)}`, crawler: true, count: 1, firstSeen: 0, lastSeen: 0 },
}));
const never = new Promise<never>(() => {});
const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** A service with room for one list, whose record has three pages, each longer than a piece; `before` runs before each of them. */
function create(
  before: (page: number) => Promise<void> = async () => {},
  options: Options = {},
  more: Partial<RecordKeeper> = {},
) {
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
    ...more,
  };
  const own = open({ record, maxLists: 1, ...options });
  const readerOf = async (path: string) => (await own.ask(path)).body!.getReader();
  const head = async (path: string) => (await own.ask(path, {}, undefined, "HEAD")).status;
  return { ...own, ended, readerOf, head };
}

async function assertProblem(response: Response, status: number, name: string, detail: string): Promise<void> {
  const problem = await response.json();
  assert.deepEqual([response.status, problem.type, problem.detail], [status, `/docs#${name}`, detail]);
}

describe("more lists than may be made at once", () => {
  test("are told to come back; what is kept is served all the same", async () => {
    const { ask, statusOf } = create();
    const first = await ask(evaluated);
    const busy = await ask(evaluated);
    assert.equal(busy.headers.get("retry-after"), "1");
    await assertProblem(busy, 503, "too-many-lists", "The maximum number of lists is being sent; retry in one second.");
    for (const path of [`${list}?q=bot`, ranges]) assert.equal(await statusOf(path), 503, path);
    for (const path of [`${list}?source=catalogue`, "/ranges", "/ranges?crawler=GPTBot"])
      assert.equal((await ask(path)).status, 200, path);
    assert.equal((await first.json()).items.length, 3 * page.length);
  });

  test("are as many as there are slots, half of them for one client", async () => {
    const addressOf = ({ headers }: Pick<IncomingRequest, "headers">) => headers.get("x-client") ?? undefined;
    const { ask } = create(undefined, { maxLists: 5, guards: { addressOf } });
    const statuses: number[] = [];
    for (const client of [
      "192.0.2.1",
      "192.0.2.1",
      "192.0.2.1",
      "2001:db8::1",
      "2001:db8::2",
      "2001:db8::3",
      "192.0.2.2",
      "192.0.2.3",
    ])
      statuses.push((await ask(evaluated, { "x-client": client })).status);
    assert.deepEqual(statuses, [200, 200, 503, 200, 200, 503, 200, 503]);
  });

  type Own = ReturnType<typeof create>;
  const readOne = async ({ readerOf }: Own, path: string) => {
    const reader = await readerOf(path);
    await reader.read();
    await reader.cancel();
  };
  const ends: Readonly<Record<string, (own: Own) => Promise<unknown>>> = {
    "has read its list": ({ text }) => text(evaluated),
    "has gone away": ({ statusOf }) => statusOf(evaluated),
    "has gone away midway": (own) => readOne(own, evaluated),
    "has got a short list": ({ text }) => text(`${list}?q=googlebot&limit=1`),
    "has asked for the head alone": ({ head }) => head(evaluated),
    "has read chosen ranges": ({ text }) => text(`${ranges}&format=json`),
    "has gone away from ranges midway": (own) => readOne(own, ranges),
    "has asked for the head of ranges": ({ head }) => head(ranges),
    "has made a mistake": ({ ask }) => ask(`${evaluated}&limit=x`),
  };
  for (const [name, end] of Object.entries(ends))
    test(`are served when a client ${name}`, async () => {
      const own = create();
      for (let times = 0; times < 3; times++) await end(own);
      assert.equal(await own.statusOf(evaluated), 200);
    });

  test("are served when the record has failed, before the first piece or midway", async () => {
    let failsAt = 0;
    const { ask, text, statusOf } = create(async (number) => {
      if (number === failsAt) throw new Error("secret");
    });
    const unreadable =
      "The record cannot be read at the moment; the catalogue's strings are available with ?source=catalogue.";
    await assertProblem(await ask(evaluated), 503, "record-unavailable", unreadable);
    failsAt = 1;
    await assert.rejects(text(evaluated));
    failsAt = -1;
    assert.equal(await statusOf(evaluated), 200);
  });

  test("are served when a client has taken nothing for too long, whose list breaks off", async () => {
    using time = fakeTime();
    const { readerOf, statusOf, ended } = create(undefined, { stallMs: 30 });
    const stalled = await time.passUntil(readerOf(evaluated));
    await time.passUntil(stalled.read());
    await time.pass(29);
    assert.deepEqual(ended, []);
    await time.pass(1);
    assert.deepEqual(ended, ["left"]);
    assert.equal(await time.passUntil(statusOf(evaluated)), 200);
    await assert.rejects(async () => {
      while (!(await time.passUntil(stalled.read())).done);
    });
  });

  test("wait for a client that takes its list slowly, but takes it", async () => {
    using time = fakeTime();
    const { readerOf, ended } = create(undefined, { stallMs: 300 });
    const reader = await time.passUntil(readerOf(evaluated));
    let pieces = 0;
    for (; !(await time.passUntil(reader.read())).done; pieces++) await time.pass(299);
    assert.ok(pieces > 3 && ended.join() === "read", `${pieces} ${ended}`);
  });
});

describe("the wait for the record", () => {
  const slow = "The search takes too long; request fewer strings, or use no filters.";

  test("ends with a problem where a page or the number does not come", async () => {
    const { ask, ended } = create(() => never, { listTimeoutMs: 20 });
    await assertProblem(await ask(evaluated), 503, "list-timeout", slow);
    assert.deepEqual(ended, []);
    const uncounted = create(undefined, { listTimeoutMs: 20 }, { count: () => never });
    await assertProblem(await uncounted.ask(`${list}?limit=1`), 503, "list-timeout", slow);
  });

  test("is one for the whole list, and does not count the time that the client takes", async () => {
    using time = fakeTime();
    const response = await time.passUntil(create(() => wait(40), { listTimeoutMs: 70 }).ask(evaluated), 1);
    assert.deepEqual([response.status, time.now()], [200, 40]);
    await time.pass(500);
    await assert.rejects(time.passUntil(response.text(), 1));
    assert.equal(time.now(), 570);
    const reader = await time.passUntil(create(undefined, { listTimeoutMs: 100 }).readerOf(evaluated));
    for (let isDone = false; !isDone; isDone = (await time.passUntil(reader.read())).done) await time.pass(90);
  });
});

test("limits longer than any timer are no limits: for the record, and for a client that takes its list slowly", async () => {
  for (const limitMs of [30 * 86_400_000, Number.POSITIVE_INFINITY]) {
    const own = create(() => wait(20), { listTimeoutMs: limitMs, stallMs: limitMs });
    const reader = await own.readerOf(evaluated);
    while (!(await reader.read()).done) await wait(20);
    assert.deepEqual(own.ended, ["read"]);
  }
});

test("the number of strings is absent where counting takes long, or the record does not count", async () => {
  const facts = { version: detector.version, offset: 0, limit: 2 };
  for (const count of [async () => undefined, undefined] as const) {
    const own = create(undefined, {}, { count } as Partial<RecordKeeper>);
    const { items, ...found } = await own.json(`${evaluated}&limit=2`);
    assert.deepEqual(found, facts);
  }
});

test("the record is asked for what the catalogue leaves of the list", async () => {
  const asked: object[] = [];
  const { text } = create(
    undefined,
    {},
    {
      async *list(query = {}) {
        asked.push(query);
        yield [];
      },
    },
  );
  const queries = ["limit=0", "limit=2", `limit=2&offset=${strings - 1}`, `offset=${strings + 5}&limit=3`, "q=zz-none"];
  for (const query of queries) await text(`${list}?${query}`);
  assert.deepEqual(asked, [
    { offset: 0, limit: 1 },
    { offset: 5, limit: 3 },
    { q: "zz-none", offset: 0, limit: Number.POSITIVE_INFINITY },
  ]);
});

test("recorded strings are hidden from those who may not see them, who are told so where they ask for them", async () => {
  const { ask, json, fieldsOf } = create(undefined, { mayRead: (authorization) => authorization === "Bearer me" });
  const me = { authorization: "Bearer me" };
  const all = 3 * page.length;
  for (const [query, headers, total] of [
    ["", {}, strings],
    ["", me, strings + all],
    ["&source=catalogue", me, strings],
    ["&source=evaluated", me, all],
  ] as const)
    assert.equal((await json(`${list}?limit=0${query}`, headers)).total, total);
  const refused = await ask(evaluated);
  assert.equal(refused.headers.get("www-authenticate"), "Bearer");
  const hidden = "Recorded strings are shown only to callers with a token: Authorization: Bearer …";
  await assertProblem(refused, 401, "unauthorized", hidden);
  for (const headers of [{}, me])
    assert.deepEqual(await fieldsOf("vary", `${list}?limit=1`, headers), ["Accept, Authorization, Accept-Encoding"]);
});
