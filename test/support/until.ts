/** Waiting for what another process or a timer brings about. */
import assert from "node:assert/strict";

type Found<Value> = Exclude<Value, undefined | false>;

/**
 * Looks after 10 ms, then less and less often, at least every 100 ms, until it finds something; after 30 s it fails with `what` is missing.
 */
export async function until<Value>(
  find: () => Value | Promise<Value>,
  what: string | (() => string) = () => String(find),
): Promise<Found<Value>> {
  const deadline = Date.now() + 30_000;
  for (let pauseMs = 10; ; pauseMs = Math.min(100, 1.5 * pauseMs)) {
    const found = await find();
    if (found !== undefined && found !== false) return found as Found<Value>;
    assert.ok(Date.now() < deadline, typeof what === "string" ? what : what());
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
