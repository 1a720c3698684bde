/** Time limits that share a timer: each ends, in the order in which they began, unless it was called off. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Deadlines } from "../../src/server/listen/deadlines.ts";
import { until } from "../support/until.ts";

it("deadlines end in their order, those that begin later or after a pause too, but none that was called off", async () => {
  const deadlines = new Deadlines(30);
  const ended: string[] = [];
  const begin = (name: string) => deadlines.begin(() => ended.push(name));
  begin("first");
  const callOff = begin("called off");
  await sleep(15);
  begin("second");
  callOff();
  await until(
    () => ended.length === 2,
    () => `only ${ended} ended`,
  );
  await sleep(40);
  begin("third");
  await until(
    () => ended.length === 3,
    () => `only ${ended} ended`,
  );
  assert.deepEqual(ended, ["first", "second", "third"]);
});
