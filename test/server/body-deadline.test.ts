/** One timer ends the bodies that are late. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBodyDeadline } from "../../src/server/listen/body-deadline.ts";

describe("the deadline of bodies", () => {
  it("ends what is late once, and nothing that is done", async () => {
    const deadline = createBodyDeadline(100);
    const started = performance.now();
    const given: string[] = [];
    const late = new Promise<number>((resolve) => {
      deadline.watch(() => {
        given.push("late");
        resolve(performance.now() - started);
      });
    });
    deadline.watch(() => given.push("done"))();
    // More than are looked at in one go: those that are done leave, the others stay.
    for (let read = 0; read < 2000; read++) deadline.watch(() => given.push("read"))();
    for (let stuck = 0; stuck < 600; stuck++) deadline.watch(() => given.push("stuck"));
    const ms = await late;
    assert.ok(ms >= 90, `${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 120));
    assert.deepEqual([given.length, given[0], given.filter((what) => what === "stuck").length], [601, "late", 600]);
    deadline.watch(() => given.push("stopped"));
    deadline.stop();
    await new Promise((resolve) => setTimeout(resolve, 160));
    assert.equal(given.length, 601);
  });
});
