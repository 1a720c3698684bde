/** One timer ends the bodies that are late. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createBodyDeadline } from "../../src/server/listen/body-deadline.ts";
import { fakeTime } from "../support/fake-time.ts";

describe("the deadline of bodies", () => {
  const time = fakeTime();
  after(time.restore);

  it("ends what is late once, and nothing that is done", async () => {
    const deadline = createBodyDeadline(100);
    const given: string[] = [];
    deadline.watch(() => given.push("late"));
    deadline.watch(() => given.push("done"))();
    // More than are looked at in one go: those that are done leave, the others stay.
    for (let read = 0; read < 2000; read++) deadline.watch(() => given.push("read"))();
    for (let stuck = 0; stuck < 600; stuck++) deadline.watch(() => given.push("stuck"));
    await time.pass(99);
    assert.equal(given.length, 0);
    await time.pass(100);
    assert.deepEqual([given.length, given[0], given.filter((what) => what === "stuck").length], [601, "late", 600]);
    deadline.watch(() => given.push("stopped"));
    deadline.stop();
    await time.pass(200);
    assert.equal(given.length, 601);
  });
});
