/** What signals mean for a service: which are one order to end, what a later one does to requests in flight, and what happens to clients. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { it } from "node:test";
import { Worker } from "node:worker_threads";
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

it("requests over connections that the system has established before the end are answered", async () => {
  const listener = await listen({ service: open().service, host: "127.0.0.1", port: 0 });
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { port: listener.port, count: 24, head: toHead("GET /healthz"), sent };
  const clients = new Worker(new URL("early-clients.ts", import.meta.url), { workerData });
  const answered = once(clients, "message");
  await once(clients, "online");
  // Nothing is accepted meanwhile.
  Atomics.wait(sent, 0, 0);
  const closing = listener.close();
  assert.deepEqual(await answered, [24]);
  assert.equal(await closing, true);
});

it("a connection over which no request has come is idle", async () => {
  const listener = await listen({ service: open().service, host: "127.0.0.1", port: 0 });
  const unused = await begin(listener.port);
  assert.equal(await listener.close(), true);
  unused.socket.destroy();
});
