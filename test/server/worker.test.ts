/** A worker whose supervisor is this test: what it says unasked, what it asks, how long it waits, and how it ends. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { after, describe, it } from "node:test";
import { parseConfiguration } from "../../src/server/settings/configuration.ts";
import type { FromWorker, ToWorker } from "../../src/server/workers/worker-messages.ts";
import { root, runtimes } from "../cli/command-line.ts";

/** The catalogue of the package. */
const builtIn = { version: "1", entries: 1, warnings: [], dataWarnings: [] };

type Said<Type extends FromWorker["type"]> = Extract<FromWorker, { type: Type }>;

const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** Starts one; `settings` are those that its supervisor tells it. */
async function startWorker(settings: Readonly<Record<string, string>> = {}) {
  const child = spawn(runtimes.Bun, [`${root}src/cli/main.ts`, "serve"], {
    env: { ...process.env, WHOCRAWLS_WORKER_OF: String(process.pid) },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  children.push(child);
  const said: FromWorker[] = [];
  let wake = () => {};
  child.on("message", (message: FromWorker) => {
    said.push(message);
    wake();
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  let hasEnded = false;
  const ended = new Promise<number | string | null>((resolve) =>
    child.on("close", (code, signal) => {
      hasEnded = true;
      wake();
      resolve(code ?? signal);
    }),
  );
  const tell = (message: ToWorker) => child.send(message);
  /** The first message of a type from the `from`th on. */
  async function heard<Type extends FromWorker["type"]>(type: Type, from = 0): Promise<Said<Type>> {
    for (;;) {
      const found = said.slice(from).find((message) => message.type === type);
      if (found !== undefined) return found as Said<Type>;
      assert.ok(!hasEnded, stderr);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  await heard("waiting");
  const environment = {
    HOST: "127.0.0.1",
    PORT: "0",
    WHOCRAWLS_RECORD: "memory:",
    WHOCRAWLS_LOG: "error",
    WHOCRAWLS_VERIFY_REFRESH: "off",
    ...settings,
  };
  tell({ type: "start", configuration: parseConfiguration({ environment }), file: builtIn, warnings: [] });
  return { child, said, tell, heard, ended, stderr: () => stderr };
}

const urlOf = ({ banner }: Said<"listening">) => /http:\/\/[^;]+/.exec(banner)?.[0] ?? "";

describe("a worker", () => {
  it("asks its supervisor for metrics and for what clients may ask, tells its figures, and drains", async () => {
    const worker = await startWorker({ WHOCRAWLS_RATE_LIMIT: "100/h", WHOCRAWLS_TRUST_PROXY: "1" });
    const listening = await worker.heard("listening");
    assert.match(listening.banner, /^whocrawls listens on http:\/\/127\.0\.0\.1:\d+; catalogue /);
    const url = urlOf(listening);
    const ask = (client: string) =>
      fetch(`${url}/RestService/RegExp`, { headers: { "x-forwarded-for": client, connection: "close" } });

    // This one is left without an answer: it fails after three seconds, while other things are tried.
    const unanswered = fetch(`${url}/metrics`, { headers: { connection: "close" } });
    const first = await worker.heard("metrics");
    const before = worker.said.length;
    const metrics = fetch(`${url}/metrics`, { headers: { connection: "close" } });
    const second = await worker.heard("metrics", before);
    assert.notEqual(first.id, second.id);
    worker.tell({ type: "metrics", id: 1000, contentType: "text/plain", text: "of another" });
    worker.tell({ type: "metrics", id: second.id, contentType: "text/plain", text: "figures" });
    assert.ok((await (await metrics).text()).startsWith("figures\n"));

    const asking = worker.said.length;
    const limited = ask("192.0.2.1");
    const limit = await worker.heard("limit", asking);
    const rate = { count: 100, windowMs: 3_600_000 };
    assert.deepEqual(limit, { type: "limit", id: limit.id, of: "client", key: "192.0.2.1", rate, most: 2 });
    const allowance = { quota: 100, windowSeconds: 3600, remaining: 0, resetSeconds: 36 };
    worker.tell({ type: "allowance", id: limit.id + 1000, taken: 1, allowance: { ...allowance, isAllowed: true } });
    worker.tell({ type: "allowance", id: limit.id, taken: 0, allowance: { ...allowance, isAllowed: false } });
    const refused = await limited;
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "36"]);
    // Without an answer a request is allowed.
    assert.equal((await ask("192.0.2.2")).status, 200);

    const known = worker.said.length;
    worker.tell({ type: "read" });
    const { snapshot } = await worker.heard("snapshot", known);
    assert.equal(snapshot.record.state, "recording");
    assert.ok(snapshot.counts.requests.some(([route, , status]) => route === "/RestService/RegExp" && status === 429));
    // Unasked it tells them again and again.
    for (let heard = 0; heard < 2; heard++) await worker.heard("snapshot", worker.said.length);
    assert.equal((await unanswered).status, 500);

    // What a terminal sends to all processes is the supervisor's to decide.
    worker.child.kill("SIGINT");
    worker.child.kill("SIGHUP");
    assert.equal((await fetch(`${url}/healthz`, { headers: { connection: "close" } })).status, 200);
    worker.tell({ type: "stop", drainMs: 700 });
    let readiness = await fetch(`${url}/readyz`);
    for (; readiness.status === 200; readiness = await fetch(`${url}/readyz`)) await readiness.arrayBuffer();
    assert.deepEqual([readiness.status, readiness.headers.get("connection")], [503, "close"]);
    assert.deepEqual(((await readiness.json()) as { reasons: unknown }).reasons, ["stopping"]);
    assert.equal(await worker.ended, 0);
    // The last word are its figures.
    const last = worker.said.at(-1) as Said<"snapshot">;
    assert.equal(last.type, "snapshot");
    assert.ok(last.snapshot.counts.requests.some(([route, , status]) => route === "/readyz" && status === 503));
    const logged = worker.stderr().trimEnd().split("\n");
    assert.equal(logged.length, 2);
    assert.match(logged[0] as string, /"route":"\/metrics","status":500,.*"error":"Error: no answer/);
  });

  it("says why it cannot listen, and ends with 1", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const worker = await startWorker({ PORT: String(port) });
    const { reason } = await worker.heard("failed");
    assert.equal(reason, `Something else listens on 127.0.0.1:${port}; choose another port, such as PORT=${port + 1}.`);
    assert.equal(await worker.ended, 1);
    assert.equal(worker.stderr(), "");
    other.close();
  });

  for (const [how, end] of [
    ["at SIGTERM", (child: ChildProcess) => child.kill("SIGTERM")],
    ["when its supervisor has gone", (child: ChildProcess) => child.disconnect()],
    ["when it is told to stop", (child: ChildProcess) => child.send({ type: "stop", drainMs: 0 } satisfies ToWorker)],
  ] as const) {
    it(`ends ${how}`, async () => {
      const worker = await startWorker();
      await worker.heard("listening");
      end(worker.child);
      assert.equal(await worker.ended, 0);
    });
  }
});
