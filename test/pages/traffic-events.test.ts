/** The events that keep /traffic current: for so many pages at once; more come back later. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { detector } from "../../src/detect/default.ts";
import { createTrafficRoutes, type TrafficSource } from "../../src/pages/traffic-routes.ts";
import { createMemoryStore } from "../../src/record/memory-store.ts";
import { createRecord } from "../../src/record/record.ts";
import { createService } from "../../src/service/create-service.ts";
import { get } from "../service/ask.ts";

test("the 51st page is told to come back, in words that browsers obey", async () => {
  const record = createRecord({ store: createMemoryStore(), clock: Date.now });
  const source: TrafficSource = {
    mayRead: () => true,
    hasSignIn: false,
    hours: (sinceMs) => record.traffic(sinceMs),
    frequent: async () => [],
    fresh: async () => [],
    sightingsOf: async () => ({ count: 0, lastHour: undefined }),
    now: Date.now,
  };
  const show = async () => ({ status: 200, headers: {}, body: "" });
  const service = createService({ detector, routes: createTrafficRoutes(source, show, "") });
  const follow = async () => {
    const response = await get(service, "/traffic/events");
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    return { reader, type: response.headers.get("content-type"), event: new TextDecoder().decode(value) };
  };

  const followers = await Promise.all(Array.from({ length: 50 }, follow));
  assert.ok(followers.every(({ event }) => event === "data: []\n\n"));
  const { reader, type, event } = await follow();
  assert.deepEqual([type, event], ["text/event-stream", "retry: 60000\n\n"]);
  assert.equal((await reader.read()).done, true);
  await followers[0]?.reader.cancel();
  const next = await follow();
  assert.equal(next.event, "data: []\n\n");
  for (const each of [...followers, next]) await each.reader.cancel();
  await record.close();
});
