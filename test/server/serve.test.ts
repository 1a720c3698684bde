/** The service as a process: what it says, how it ends, what it does when it cannot start. On both runtimes. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { runWhocrawls, testedOn } from "../cli/command-line.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { writeAllLists } from "../support/write-list.ts";
import { check, startService } from "./service-process.ts";

const place = temporary();
const body = JSON.stringify({ useragent: "Googlebot/2.1" });

for (const [name, runtime] of testedOn()) {
  describe(`whocrawls serve on ${name}`, () => {
    it("says first where it listens and what it knows, answers at both addresses, and writes nothing where it runs", async () => {
      const folder = mkdtempSync(join(place, "of-"));
      const service = await startService(runtime, {}, folder);
      const { version, entries } = detector;
      const strings = detector.strings().length;
      assert.match(service.url, /^http:\/\/localhost:\d+$/);
      assert.equal(
        service.firstLine,
        `whocrawls listens on ${service.url}; catalogue ${version}: ` +
          `${entries.toLocaleString("en-US")} entries, ${strings.toLocaleString("en-US")} strings; ` +
          "evaluated strings are not recorded",
      );
      const { port } = new URL(service.url);
      for (const host of ["127.0.0.1", ...((await hasIpv6()) ? ["[::1]"] : [])]) {
        const response = await check(`http://${host}:${port}`, "Googlebot/2.1");
        assert.deepEqual(await response.json(), detector.check("Googlebot/2.1"));
      }
      await (await fetch(`${service.url}/RestService/List`)).text();
      await service.end();
      assert.deepEqual(readdirSync(folder), []);
    });

    it("ends in order also for a signal that its first line brings about", async () => {
      const folder = mkdtempSync(join(place, "of-"));
      const preload = join(folder, "signal.mjs");
      writeFileSync(
        preload,
        `const { write } = process.stdout;
        process.stdout.write = function (...args) { write.apply(this, args); process.kill(process.pid, "SIGTERM"); };`,
      );
      const options =
        name === "Bun" ? { BUN_OPTIONS: `--preload=${preload}` } : { NODE_OPTIONS: `--import=${preload}` };
      assert.equal(await (await startService(runtime, options)).ended, 0);
    });

    it("keeps its record in the data folder, and loses nothing at SIGTERM", async () => {
      const folder = mkdtempSync(join(place, "of-"));
      writeAllLists(folder);
      const environment = { WHOCRAWLS_RECORD: "", WHOCRAWLS_DATA: folder };
      const first = await startService(runtime, environment);
      await Promise.all(Array.from({ length: 300 }, (_, index) => check(first.url, `Some-bot/${index % 100}`)));
      await first.end();
      const second = await startService(runtime, environment);
      const read = async (path: string) => (await fetch(second.url + path)).json();
      const { items } = await read("/RestService/List?source=evaluated");
      assert.deepEqual(
        items.map(({ count }: { count: number }) => count),
        Array(100).fill(3),
      );
      assert.deepEqual(await read("/readyz"), { ready: true, reasons: [], warnings: [] });
      await second.end();
    });

    it("listens where HOST and PORT say", async () => {
      const port = await freePort();
      const service = await startService(runtime, { HOST: "127.0.0.1", PORT: String(port) });
      assert.equal(service.url, `http://127.0.0.1:${port}`);
      assert.equal((await check(service.url, "Googlebot/2.1")).status, 200);
      await service.end();
    });

    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      it(`finishes what is in flight on ${signal}, closes idle connections, and exits with 0`, async () => {
        const service = await startService(runtime);
        const idle = await openConnection(service.url);
        idle.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        assert.match(await read(idle), /^HTTP\/1\.1 200/);
        const busy = await openConnection(service.url);
        // The head and half of the body: the answer cannot come before the rest.
        busy.write(checkRequest(body.slice(0, 5)));
        await pause(100);

        service.child.kill(signal);
        await closed(idle);
        await pause(300);
        await assert.rejects(fetch(`${service.url}/healthz`), "still accepts connections");
        const answer = read(busy);
        busy.write(body.slice(5));
        assert.match(await answer, /^HTTP\/1\.1 200[\s\S]*"name":"Googlebot"/);
        assert.equal(await service.ended, 0);
        assert.equal(service.stderr(), "");
      });
    }

    it("does not wait for ever for a client that never ends its request", async () => {
      const service = await startService(runtime);
      const stuck = await openConnection(service.url);
      stuck.write(checkRequest(body.slice(0, 5)));
      await pause(100);
      service.child.kill("SIGTERM");
      assert.equal(await service.ended, 0);
      stuck.destroy();
    });

    it("says so and exits with 1 where something else listens", async () => {
      const other = createServer().listen(0, "127.0.0.1");
      await new Promise((resolve) => other.once("listening", resolve));
      const { port } = other.address() as { port: number };
      const outcome = await runWhocrawls(runtime, ["serve", "--port", String(port)]);
      other.close();
      assert.equal(outcome.code, 1);
      assert.equal(outcome.stdout, "");
      assert.equal(
        outcome.stderr,
        `whocrawls serve: Something else listens on localhost:${port}; choose another port, such as PORT=${port + 1}.\n`,
      );
    });

    it("says so, too, where something else listens on the second address of localhost", async () => {
      const other = createServer().listen(0, "::1");
      await new Promise((resolve) => other.once("listening", resolve));
      const { port } = other.address() as { port: number };
      const outcome = await runWhocrawls(runtime, ["serve", "--port", String(port)]);
      other.close();
      assert.equal(outcome.code, 1);
      assert.match(outcome.stderr, /^whocrawls serve: Something else listens on localhost:/);
    });

    it("believes --config before WHOCRAWLS_CONFIG", async () => {
      const folder = mkdtempSync(join(place, "of-"));
      for (const port of [1111, 2222]) writeFileSync(join(folder, `${port}.yaml`), `port: ${port}\n`);
      process.env.WHOCRAWLS_CONFIG = join(folder, "1111.yaml");
      const shown = await runWhocrawls(runtime, ["serve", "--print-config", "--config", join(folder, "2222.yaml")]);
      delete process.env.WHOCRAWLS_CONFIG;
      assert.match(shown.stdout, /^port: "2222" +# port in .*2222\.yaml$/m);
    });

    it("says so and exits with 1 where the address is not this machine's", async () => {
      const outcome = await runWhocrawls(runtime, ["serve", "--port", "0", "--host", "192.0.2.1"]);
      assert.match(outcome.stderr, /^whocrawls serve: 192\.0\.2\.1 is no address of this machine; .*HOST/);
      assert.equal(outcome.code, 1);
    });

    it("closes idle connections after keep-alive, and lets a list token past the token that all need", async () => {
      const service = await startService(runtime, {
        WHOCRAWLS_KEEP_ALIVE: "1s",
        WHOCRAWLS_REQUEST_TIMEOUT: "1s",
        WHOCRAWLS_RECORD: "memory:",
        WHOCRAWLS_TOKEN: "the-token-of-all-1",
        WHOCRAWLS_LIST_TOKEN: "the-token-of-lists",
        WHOCRAWLS_LIST_EVALUATED: "token",
        WHOCRAWLS_HSTS: "30d",
      });
      assert.match(
        service.firstLine,
        /; evaluated strings, also of people, are recorded in memory, and List shows them to callers with a token/,
      );
      const idle = await openConnection(service.url);
      idle.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assert.match(await read(idle), /^HTTP\/1\.1 200[\s\S]*max-age=2592000\r/i);
      const list = async (token: string) => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${service.url}/RestService/List?source=evaluated`, { headers })).status;
      };
      assert.deepEqual(
        [await list("the-token-of-lists"), await list("the-token-of-all-1"), await list("x")],
        [200, 401, 401],
      );
      const headers = { authorization: "Bearer the-token-of-all-1" };
      const figures = await (await fetch(`${service.url}/metrics`, { headers })).text();
      const age = Number(/^whocrawls_catalogue_age_seconds (.*)$/m.exec(figures)?.[1]);
      assert.ok(age >= 0 && age < 10 * 365 * 86_400, `${age} s`);
      // Without the setting it would stay for 75 s, longer than a test may take.
      await closed(idle);
      await service.end();
    });

    it("logs one JSON object a request to standard error, without what was asked", async () => {
      const lists = mkdtempSync(join(place, "of-"));
      writeAllLists(lists);
      const service = await startService(runtime, {
        WHOCRAWLS_LOG: "info",
        WHOCRAWLS_WORKERS: "1",
        WHOCRAWLS_DATA: lists,
      });
      await check(service.url, "Googlebot/2.1", { "x-request-id": "a-request-of-mine" });
      await fetch(`${service.url}/RestService/RegExp?useragent=Googlebot`);
      await fetch(`${service.url}/nonsense"quoted`);
      service.child.kill("SIGHUP");
      await until(() => service.stderr().includes("neither is set"));
      await service.end();
      const lines = service
        .stderr()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ message }) => !String(message).startsWith("verify-refresh is off"));
      assert.deepEqual(
        lines.map(({ level, method, route, status, message }) => [level, message ?? `${method} ${route} ${status}`]),
        [
          ["warn", "the setting workers has no effect: a service is one process (docs/operations.md)"],
          ["info", "POST /RestService/Check 200"],
          ["info", "GET /RestService/RegExp 200"],
          ["info", "GET * 404"],
          ["warn", "SIGHUP reads the files of catalogue and robots-file again; neither is set"],
        ],
      );
      assert.equal(lines[1]?.requestId, "a-request-of-mine");
      for (const { time } of lines) assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      for (const { durationMs } of lines.slice(1, 4)) assert.equal(typeof durationMs, "number");
      assert.doesNotMatch(service.stderr(), /Googlebot|nonsense/);
    });
  });
}

function checkRequest(start: string): string {
  const head = ["Host: localhost", "Content-Type: application/json", `Content-Length: ${body.length}`];
  return `POST /RestService/Check HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n${start}`;
}

function openConnection(url: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
  });
}

function read(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once("data", (chunk) => resolve(String(chunk))));
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function hasIpv6(): Promise<boolean> {
  const server = createServer().listen(0, "::1");
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.once("listening", () => server.close(() => resolve(true)));
  });
}
