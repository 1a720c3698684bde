/** When a service looks for newer data, and what it says of that. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createUpdateSchedule } from "../../src/catalogue/update-schedule.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** A schedule whose updates end as told, and whose waits end when they are told to. */
function create(outcomes: readonly (string | Error | undefined)[]) {
  const left = [...outcomes];
  const said: string[] = [];
  const warned: (readonly string[])[] = [];
  let wait: PromiseWithResolvers<{ ms: number; end: () => void }> = Promise.withResolvers();
  const schedule = createUpdateSchedule({
    intervalMs: day,
    async update() {
      const outcome = left.shift();
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    warn: () => warned.push(schedule.warnings()),
    log: (level, text) => said.push(`${level}: ${text}`),
    wait: (ms) => new Promise((end) => wait.resolve({ ms, end })),
  });
  /** The wait after the next look. */
  const next = async () => {
    const { ms, end } = await wait.promise;
    wait = Promise.withResolvers();
    return { ms, end };
  };
  return { schedule, said, warned, next };
}

describe("the schedule of updates", () => {
  it("looks at once, after each interval, and an hour after a failure", async () => {
    const { schedule, said, warned, next } = create([undefined, new Error("refused\nfor two reasons"), "1.2"]);
    schedule.start();
    const first = await next();
    assert.ok(first.ms >= day && first.ms <= 1.1 * day);
    assert.deepEqual(schedule.figures(), { updated: 0, unchanged: 1, failed: 0, isFailing: false });
    first.end();
    const second = await next();
    assert.ok(second.ms >= hour && second.ms <= 1.1 * hour);
    assert.deepEqual(schedule.figures(), { updated: 0, unchanged: 1, failed: 1, isFailing: true });
    const warning = "Newer data failed to install; the data in use stay: refused; for two reasons";
    assert.deepEqual(schedule.warnings(), [warning]);
    second.end();
    assert.ok((await next()).ms >= day);
    assert.deepEqual(schedule.figures(), { updated: 1, unchanged: 1, failed: 1, isFailing: false });
    assert.deepEqual(warned, [[], [warning], []]);
    assert.deepEqual(said, [`error: ${warning}`, "info: The data were updated: 1.2"]);
    schedule.stop();
  });
});
