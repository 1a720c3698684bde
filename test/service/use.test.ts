/** A service that is given another detector: what has begun ends as it began, all else is answered with the new one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RecordedString } from "../../src/record/store.ts";
import { createService } from "../../src/service.ts";
import { createOwnDetector } from "../support/own-detector.ts";
import { check, get } from "./ask.ts";

const one = createOwnDetector("1.0.0+one", "OneMonitor/");
const two = createOwnDetector("1.0.0+two", "TwoMonitor/");
const row: RecordedString = { useragent: "x", crawler: false, count: 1, firstSeen: 0, lastSeen: 0 };

describe("a service with another detector", () => {
  it("ends a list with the catalogue that it began with, which goes on holding its place", async () => {
    const gate = Promise.withResolvers<void>();
    const record = {
      note() {},
      async *list() {
        yield Array.from({ length: 500 }, () => row);
        await gate.promise;
        yield [{ ...row, useragent: "the last" }];
      },
      count: async () => undefined,
    };
    const service = createService({ detector: one, record, maxLists: 1 });
    const list = await get(service, "/RestService/List/json");
    const reader = list.body!.getReader();
    const pieces = [(await reader.read()).value];
    service.use({ detector: two });
    assert.equal((await get(service, "/RestService/List/json")).status, 503);
    gate.resolve();
    for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
    const text = new TextDecoder().decode(Buffer.concat(pieces.map((piece) => piece!)));
    assert.deepEqual(
      [JSON.parse(text).version, /the last/.test(text), /TwoMonitor/.test(text)],
      [one.version, true, false],
    );
    const later = await (await get(service, "/RestService/List/json")).json();
    assert.equal((later as { version: string }).version, two.version);
  });

  it("forgets the answers and policies of the one before", async () => {
    const service = createService({ detector: one });
    const crawler = async () => ((await (await check(service, "OneMonitor/1")).json()) as { crawler: boolean }).crawler;
    const auth = async () => (await get(service, "/auth?block=monitor", { "user-agent": "OneMonitor/1" })).status;
    const answers = async () => [await crawler(), await auth()];
    assert.deepEqual(await answers(), [true, 403]);
    service.use({ detector: two });
    assert.deepEqual(await answers(), [false, 204]);
    service.use({ detector: one });
    assert.deepEqual(await answers(), [true, 403]);
  });
});
