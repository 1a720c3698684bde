/** Time limits that share a timer: each ends, in the order in which they began, unless it was called off. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { Deadlines } from "../../src/server/listen/deadlines.ts";
import { fakeTime } from "../support/fake-time.ts";

it("deadlines end in their order, those that begin later or after a pause too, but none that was called off", async () => {
  using time = fakeTime();
  const deadlines = new Deadlines(30);
  const ended: string[] = [];
  const begin = (name: string) => deadlines.begin(() => ended.push(`${name} at ${time.now()}`));
  begin("first");
  const callOff = begin("called off");
  await time.pass(15);
  begin("second");
  callOff();
  await time.pass(100);
  begin("third");
  await time.pass(30);
  assert.deepEqual([ended, time.waiting()], [["first at 30", "second at 45", "third at 145"], 0]);
});
