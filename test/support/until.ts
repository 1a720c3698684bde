/** Waiting for what another process or a timer brings about; in real time, also beside fake-time.ts. */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

type Found<Value> = Exclude<Value, undefined | false>;

const toldAfterMs = 30_000;

/**
 * Looks after 10 ms, then less and less often, at least every 100 ms, until it finds something. No time is too long, because machines are
 * busy: the wait ends in vain when the process `by`, which is to bring it about, has ended, or with the runner's limit. After half a minute
 * it prints once that `what` is missing, for whoever reads why a test has hung.
 */
export async function until<Value>(
  find: () => Value | Promise<Value>,
  what: string | (() => string) = () => String(find),
  by?: ChildProcess,
): Promise<Found<Value>> {
  const missing = () => (typeof what === "string" ? what : what());
  let waitedMs = 0;
  for (let pauseMs = 10; ; pauseMs = Math.min(100, 1.5 * pauseMs)) {
    const isLast = by !== undefined && hasEnded(by);
    const found = await find();
    if (found !== undefined && found !== false) return found as Found<Value>;
    assert.ok(!isLast, `the process has ended: ${isLast && missing()}`);
    if (waitedMs < toldAfterMs && waitedMs + pauseMs >= toldAfterMs) console.error(`still waiting: ${missing()}`);
    waitedMs += pauseMs;
    await sleep(pauseMs);
  }
}

export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
