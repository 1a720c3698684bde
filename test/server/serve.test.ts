/** The service as a process: what it says, how it ends, what it does when it cannot start. On both runtimes. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { detector } from "../../src/detect/built-in/detector.ts";
import { entryOf, runWhocrawls, testedOn } from "../cli/command-line.ts";
import { begin as connect, toHead } from "../contract/socket-client.ts";
import { freePort, listens } from "../deploy/proxies.ts";
import { temporary } from "../support/temporary.ts";
import { hasEnded, until } from "../support/until.ts";
import { googlebot } from "../support/user-agents.ts";
import { writeAllLists } from "../support/write-list.ts";
import { check, countRecorded, startService, untilRead } from "./service-process.ts";

const place = temporary();
const newFolder = () => mkdtempSync(join(place, "of-"));

const begin = (url: string, head: string) => connect(Number(new URL(url).port), head);
const body = JSON.stringify({ useragent: "Googlebot/2.1" });
/** Sends a Check up to the middle of its body: the answer cannot come before the rest. */
const beginCheck = (url: string) => {
  const head = toHead("POST /RestService/Check", "Content-Type: application/json", `Content-Length: ${body.length}`);
  return begin(url, head + body.slice(0, 5));
};
const pages = ["/openapi.json", "/", "/docs", "/expression", "/traffic"];
const health = toHead("GET /bots/healthz");

for (const [name, runtime] of testedOn()) {
  describe(`whocrawls serve on ${name}`, () => {
    it("says first where it listens and what it knows, answers at both addresses, and writes nothing where it runs", async () => {
      const folder = newFolder();
      const service = await startService(runtime, {}, folder);
      const { version, entries } = detector;
      const [known, strings] = [entries, detector.strings().length].map((count) => count.toLocaleString("en-US"));
      assert.match(service.url, /^http:\/\/localhost:\d+$/);
      const knows = `catalogue ${version}: ${known} entries, ${strings} strings`;
      const line = `whocrawls listens on ${service.url}; ${knows}; evaluated strings are not recorded`;
      assert.equal(service.firstLine, line);
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
      const preload = join(newFolder(), "signal.mjs");
      writeFileSync(
        preload,
        `const { write } = process.stdout;
        process.stdout.write = function (...args) { write.apply(this, args); process.kill(process.pid, "SIGTERM"); };`,
      );
      const options = { [name === "Bun" ? "BUN_OPTIONS" : "NODE_OPTIONS"]: `--import=${preload}` };
      assert.equal(await (await startService(runtime, options)).ended, 0);
    });

    for (const signal of ["SIGTERM", "SIGHUP"] as const)
      it(`loses no Check that it answers before it is ready, with ${signal} in between`, async () => {
        const data = newFolder();
        const port = await freePort();
        const environment = { WHOCRAWLS_DATA: data, WHOCRAWLS_RECORD: "", WHOCRAWLS_LOG: "off", HOST: "127.0.0.1" };
        const child = spawn(runtime, [entryOf(runtime), "serve", "--verify-refresh=off"], {
          env: { ...process.env, ...environment, PORT: String(port) },
          stdio: ["ignore", "pipe", "inherit"],
        });
        const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal)));
        const isAnswered = () => check(`http://127.0.0.1:${port}`, "Early-bot/1").then(({ ok }) => ok);
        for (let isEarly = false; !isEarly; ) isEarly = await isAnswered().catch(() => pause(1).then(() => false));
        child.kill(signal);
        if (signal === "SIGHUP") {
          await once(child.stdout, "data");
          child.kill("SIGTERM");
        }
        assert.equal(await ended, 0);
        assert.equal(await countRecorded(data), 1);
      });

    it("loses no request of clients that send one after another: after SIGTERM, responses close their connections", async () => {
      const service = await startService(runtime, { HOST: "127.0.0.1" });
      const clients = await Promise.all(Array.from({ length: 24 }, () => askAgainAndAgain(service.url)));
      await until(() => clients.every(({ answers }) => answers() >= 20));
      service.child.kill("SIGTERM");
      for (const { ended } of clients) assert.deepEqual(await ended, { isAnswered: true, isToldToClose: true });
      assert.equal(await service.ended, 0);
    });

    it("ends with 0, without having listened, at a signal while it starts", async () => {
      const preload = join(newFolder(), "signals.mjs");
      // What it says of its lists comes before it listens.
      writeFileSync(
        preload,
        `const { write } = process.stderr;
        process.stderr.write = function (...args) {
          process.stderr.write = write;
          write.apply(this, args);
          for (const signal of ["SIGHUP", "SIGTERM"]) process.kill(process.pid, signal);
          return true;
        };`,
      );
      const { code, stdout, stderr } = await runWhocrawls(runtime, ["serve"], "", {
        ...{ PORT: "0", WHOCRAWLS_LOG: "warn", WHOCRAWLS_RECORD: "memory:", WHOCRAWLS_DATA: newFolder() },
        ...{
          WHOCRAWLS_VERIFY_REFRESH: "off",
          [name === "Bun" ? "BUN_OPTIONS" : "NODE_OPTIONS"]: `--import=${preload}`,
        },
      });
      assert.match(stderr, /^[^\n]*verify-refresh is off/);
      assert.deepEqual([code, stdout], [0, ""]);
    });

    it("ends with 1 after it could not record an evaluation, and says so", async () => {
      const file = join(newFolder(), "file");
      writeFileSync(file, "");
      const record = { WHOCRAWLS_RECORD: join(file, "record.sqlite"), WHOCRAWLS_LOG: "error" };
      const service = await startService(runtime, record);
      await (await check(service.url, "Googlebot/2.1")).text();
      service.child.kill("SIGTERM");
      assert.equal(await service.ended, 1);
      assert.match(service.stderr(), /"1 evaluations could not be recorded before shutdown"/);
    });

    it("ends with 1 after it has cut off a request that did not end", async () => {
      const service = await startService(runtime, { HOST: "127.0.0.1" });
      const stuck = await beginCheck(service.url);
      await untilRead(service.url);
      service.child.kill("SIGTERM");
      assert.equal(await service.ended, 1);
      assert.equal(await stuck.closed(), "");
    });

    it("listens where HOST and PORT say, keeps its record in the data folder, and at SIGTERM finishes what is in flight", async () => {
      const folder = newFolder();
      writeAllLists(folder);
      const environment = { WHOCRAWLS_RECORD: "", WHOCRAWLS_DATA: folder };
      const port = await freePort();
      const first = await startService(runtime, { ...environment, HOST: "127.0.0.1", PORT: String(port) });
      assert.equal(first.url, `http://127.0.0.1:${port}`);
      await Promise.all(Array.from({ length: 300 }, (_, index) => check(first.url, `Some-bot/${index % 100}`)));
      const idle = await begin(first.url, toHead("GET /healthz"));
      await idle.answered();
      const busy = await beginCheck(first.url);
      await untilRead(first.url);
      first.child.kill("SIGTERM");
      assert.match(await idle.closed(), /^HTTP\/1\.1 200/);
      await until(async () => !(await listens(port)), "still accepts connections");
      busy.socket.write(body.slice(5));
      assert.equal(await first.ended, 0);
      assert.match(await busy.closed(), /^HTTP\/1\.1 200[\s\S]*"name":"Googlebot"/);
      assert.equal(first.stderr(), "");
      const second = await startService(runtime, environment);
      const read = async (path: string) => (await fetch(second.url + path)).json();
      const { items } = await read("/RestService/List?source=evaluated");
      const counts = items.map(({ count }: { count: number }) => count).sort();
      assert.deepEqual(counts, [1, ...Array(100).fill(3)]);
      assert.deepEqual(await read("/readyz"), { ready: true, reasons: [], warnings: [] });
      await second.end();
    });

    it("takes signals at once for one; later ones cut requests in flight and lose no evaluation", async () => {
      const data = newFolder();
      const service = await startService(runtime, { WHOCRAWLS_DATA: data, WHOCRAWLS_RECORD: "" });
      const idle = await begin(service.url, toHead("GET /healthz"));
      const [finished, stuck] = [await beginCheck(service.url), await beginCheck(service.url)];
      await untilRead(service.url);
      for (const signal of ["SIGINT", "SIGINT", "SIGTERM"] as const) service.child.kill(signal);
      await idle.closed();
      finished.socket.write(body.slice(5));
      assert.match(await finished.closed(), /^HTTP\/1\.1 200[\s\S]*"crawler":true/);
      await until(() => {
        service.child.kill("SIGINT");
        return hasEnded(service.child);
      }, "it goes on");
      assert.equal(await service.ended, 1, "a request was cut");
      assert.equal(await countRecorded(data), 1);
      stuck.socket.destroy();
    });

    it("says why it does not start", async () => {
      const listening = async (host: string) => {
        const other = createServer().listen(0, host);
        await new Promise((resolve) => other.once("listening", resolve));
        return { other, port: (other.address() as { port: number }).port };
      };
      const [one, two] = [await listening("127.0.0.1"), await listening((await hasIpv6()) ? "::1" : "127.0.0.1")];
      const taken = (port: number) =>
        `Another program is listening on localhost:${port}; choose another port, such as PORT=${port + 1}.`;
      await Promise.all(
        [
          [["--port", `${one.port}`], 1, taken(one.port)],
          [["--port", `${two.port}`], 1, taken(two.port)],
          [
            ["--port", "0", "--host", "192.0.2.1"],
            1,
            "192.0.2.1 is not an address of this machine; choose another with HOST",
          ],
          [["--port", "0", "--robots-disallow", "ai,gptbott"], 2, 'robots-disallow: "gptbott" selects no crawler'],
        ].map(async ([args, code, message]) => {
          const outcome = await runWhocrawls(runtime, ["serve", "--record", "off", ...(args as string[])]);
          assert.deepEqual([outcome.code, outcome.stdout], [code, ""]);
          assert.ok(outcome.stderr.startsWith(`whocrawls serve: ${message}`), outcome.stderr);
        }),
      );
      for (const { other } of [one, two]) other.close();
    });

    it("believes --config before WHOCRAWLS_CONFIG", async () => {
      const folder = newFolder();
      for (const port of [1111, 2222]) writeFileSync(join(folder, `${port}.yaml`), `port: ${port}\n`);
      const args = ["serve", "--print-config", "--config", join(folder, "2222.yaml")];
      const shown = await runWhocrawls(runtime, args, "", { WHOCRAWLS_CONFIG: join(folder, "1111.yaml") });
      assert.match(shown.stdout, /^port: "2222" +# port in .*2222\.yaml$/m);
    });

    it("does what its settings say, logs one JSON object a request without what was asked, and waits for no client for ever", async () => {
      const lists = newFolder();
      writeAllLists(lists);
      const service = await startService(runtime, {
        HOST: "127.0.0.1",
        ...{ WHOCRAWLS_LOG: "info", WHOCRAWLS_DATA: lists, WHOCRAWLS_RECORD: "memory:" },
        ...{ WHOCRAWLS_KEEP_ALIVE: "1s", WHOCRAWLS_REQUEST_TIMEOUT: "1s", WHOCRAWLS_HSTS: "30d" },
        ...{ WHOCRAWLS_BASE_PATH: "/bots", WHOCRAWLS_TRUST_PROXY: "1" },
      });
      const { url, firstLine } = service;
      assert.match(
        firstLine,
        /; evaluated strings, including those of people, are recorded in memory, and List shows them to every/,
      );
      await tellsOuterAddress(url);
      const idle = await begin(url, health);
      await idle.answered();
      // Each over a connection of its own: one that is kept may end just when it is used again.
      const ask = async (path: string, more: RequestInit = {}, headers = {}) =>
        (await fetch(url + path, { ...more, headers: { connection: "close", ...headers } })).text();
      const asked = { method: "POST", body: JSON.stringify({ useragent: googlebot, ip: "66.249.66.1" }) };
      const headers = { "content-type": "application/json", "x-request-id": "a-request-of-mine" };
      const { verification } = JSON.parse(await ask("/RestService/Check", asked, headers));
      assert.match(verification.reason, /^within 66\.249\.66\.0\/27 of https:\/\/developers\.google\.com\//);
      await ask("/bots/RestService/RegExp?useragent=Googlebot");
      await ask('/nonsense"quoted');
      const figures = await ask("/metrics");
      assert.match(figures, /^whocrawls_verifications_total\{status="verified",method="ip-range"\} 1$/m);
      const age = Number(/^whocrawls_catalogue_age_seconds (.*)$/m.exec(figures)?.[1]);
      assert.ok(age >= 0 && age < 10 * 365 * 86_400, `${age} s`);
      service.child.kill("SIGHUP");
      await service.said(/neither is set/);
      // Without the setting it would stay for 75 s, longer than a test may take.
      assert.match(await idle.closed(), /^HTTP\/1\.1 200[\s\S]*max-age=2592000\r/i);
      const stuck = await beginCheck(url);
      await untilRead(url);
      await service.end();
      stuck.socket.destroy();
      const lines = service
        .stderr()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ message, route }) => !/^verify-refresh is off/.test(`${message}`) && !pages.includes(`${route}`));
      assert.deepEqual(
        lines
          .slice(0, 6)
          .map(({ level, method, route, status, message }) => `${level} ${message ?? `${method} ${route} ${status}`}`),
        [
          "info GET /healthz 200",
          "info POST /RestService/Check 200",
          "info GET /RestService/RegExp 200",
          "info GET * 404",
          "info GET /metrics 200",
          "warn SIGHUP reloads the files of catalogue and robots-file, but neither is set",
        ],
      );
      assert.equal(lines[1]?.requestId, "a-request-of-mine");
      for (const { time } of lines) assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      for (const { durationMs } of lines.slice(0, 5)) assert.equal(typeof durationMs, "number");
      assert.doesNotMatch(service.stderr(), /Googlebot|nonsense|66\.249/);
    });
  });
}

/** Sends Checks over one connection, each as soon as the one before is answered, until the service closes it. */
async function askAgainAndAgain(url: string) {
  const head = toHead("POST /RestService/Check", "Content-Type: application/json", `Content-Length: ${body.length}`);
  const { socket, closed } = await begin(url, "");
  let [answers, received] = [0, ""];
  let isToldToClose = false;
  let isAnswered = false;
  const ask = () => {
    isAnswered = false;
    socket.write(head + body);
  };
  socket.on("data", (piece: Buffer) => {
    received += piece.toString("latin1");
    if (!received.endsWith("}")) return;
    isToldToClose = /\r\nconnection: close\r\n/i.test(received);
    [isAnswered, received, answers] = [true, "", answers + 1];
    if (!isToldToClose) ask();
  });
  ask();
  return { answers: () => answers, ended: closed().then(() => ({ isAnswered, isToldToClose })) };
}

/** Documents and examples have the address that the client has asked, also behind a proxy and with a wrong `Host`. */
async function tellsOuterAddress(url: string): Promise<void> {
  const own = new URL(url).host;
  for (const path of pages) {
    const ask = async (headers: Readonly<Record<string, string>>) =>
      (await fetch(`${url}/bots${path}`, { headers: { connection: "close", ...headers } })).text();
    const https = { "x-forwarded-proto": "https" };
    const outer = { ...https, "x-forwarded-host": "evil.example, www.example.com:8443" };
    assert.ok((await ask(outer)).includes("https://www.example.com:8443/bots"), path);
    assert.ok((await ask(https)).includes(`https://${own}/bots`), path);
    assert.ok((await ask({})).includes(`http://${own}/bots`), path);
    const wrong = { ...https, "x-forwarded-host": '"><script>alert(1)</script>' };
    assert.ok(!(await ask(wrong)).includes("alert(1)"), path);
  }
  for (const path of ["/docs", "/openapi.json"]) {
    const { answered, status, socket } = await begin(url, toHead(`GET /bots${path}`).replace("localhost", "a b"));
    await answered();
    assert.equal(status(), "200", path);
    socket.destroy();
  }
}

function hasIpv6(): Promise<boolean> {
  const server = createServer().listen(0, "::1");
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.once("listening", () => server.close(() => resolve(true)));
  });
}
