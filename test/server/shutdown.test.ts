/** What signals mean for a service, on a fake clock: which are one order to end, and what a later one does to requests in flight. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { listen } from "../../src/server/listen/listen.ts";
import { awaitShutdown } from "../../src/server/process-signals.ts";
import { begin, toHead } from "../contract/socket-client.ts";
import { open } from "../service/open.ts";
import { fakeTime } from "../support/fake-time.ts";

const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

it("a signal within two seconds of the first is the same order; a later one cuts the requests that are left", async () => {
  const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
  using time = fakeTime();
  const order = awaitShutdown();
  const listener = await listen({ service: open().service, host: "127.0.0.1", port: 0 });
  const stuck = await begin(
    listener.port,
    toHead("POST /RestService/Check", "Content-Type: application/json", "Content-Length: 9"),
  );
  const read = await begin(listener.port, toHead("GET /healthz", "Connection: close"));
  await read.closed();
  const happened: string[] = [];
  const note = (what: string) => () => void happened.push(what);
  void order.given.then(note("given"));
  void order.repeated.then(note("repeated"));
  const closing = listener.close(undefined, order.repeated);
  for (const [afterMs, signal, expected] of [
    [0, "SIGINT", ["given"]],
    [0, "SIGTERM", ["given"]],
    [2000, "SIGINT", ["given"]],
    [1, "SIGTERM", ["given", "repeated"]],
  ] as const) {
    await time.pass(afterMs);
    process.emit(signal);
    await time.settle();
    assert.deepEqual(happened, expected, `${signal} at ${time.now()}`);
  }
  await time.pass(0);
  assert.equal(await closing, false);
  assert.equal(await stuck.closed(), "");
  for (const signal of signals)
    for (const added of process.listeners(signal))
      if (!before.get(signal)!.includes(added)) process.removeListener(signal, added);
});
