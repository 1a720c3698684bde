/** Several workers on one port: figures that add up, a worker that dies without a failed request, rolling restarts, an orderly end. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { testedOn } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { writeAllLists } from "../support/write-list.ts";
import { childrenOf } from "./children-of.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

const settings = { WHOCRAWLS_WORKERS: "2", WHOCRAWLS_RECORD: "memory:", WHOCRAWLS_LOG: "error" };

function check(url: string, useragent = "Googlebot/2.1"): Promise<Response> {
  return fetch(`${url}/RestService/Check`, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ useragent }),
  });
}

async function metric(url: string, line: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(
    text
      .split("\n")
      .find((found) => found.startsWith(line))
      ?.split(" ")
      .at(-1) ?? Number.NaN,
  );
}

async function end(service: ServiceProcess): Promise<void> {
  service.child.kill("SIGTERM");
  assert.equal(await service.ended, 0);
}

for (const [name, runtime] of testedOn()) {
  describe(`two workers on ${name}`, { skip: process.platform !== "linux" && "not Linux" }, () => {
    const checked = 'whocrawls_requests_total{route="/RestService/Check",method="POST",status="200"}';

    it("share a port, and their figures add up, also over deaths and restarts", async () => {
      const service = await startService(runtime, settings);
      const pid = service.child.pid as number;
      assert.match(service.firstLine, /; 2 workers$/);
      for (let asked = 0; asked < 40; asked++) assert.equal((await check(service.url)).status, 200);
      assert.equal(await metric(service.url, checked), 40);
      assert.equal(await metric(service.url, "whocrawls_workers "), 2);
      const before = childrenOf(pid);
      assert.equal(before.length, 2);

      // The figures of a worker are known a second later at the latest; asking for them has just brought them.
      process.kill(before[0] as number, "SIGKILL");
      let failed = 0;
      for (let asked = 0; asked < 40; asked++) await check(service.url).catch(() => failed++);
      // Only what the system had given to the dead worker can be lost, until it has taken its socket away.
      assert.ok(failed <= 3, `${failed} failed`);
      await until(async () => (await metric(service.url, "whocrawls_workers ")) === 2, "it is not replaced");
      assert.equal(await metric(service.url, "whocrawls_workers_replaced_total"), 1);
      assert.equal(await metric(service.url, checked), 80 - failed);
      assert.match(service.stderr(), /a worker ended with SIGKILL; it is replaced in 100 ms/);

      const old = childrenOf(pid);
      service.child.kill("SIGHUP");
      let asked = 0;
      let isDone = false;
      const restarted = until(() => {
        const now = childrenOf(pid);
        return now.length === 2 && now.every((child) => !old.includes(child));
      }, "it is not restarted").finally(() => {
        isDone = true;
      });
      let reset = 0;
      while (!isDone) {
        const response = await check(service.url).catch(() => reset++);
        if (typeof response === "number") continue;
        assert.equal(response.status, 200);
        asked++;
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
      await restarted;
      assert.ok(asked > 50);
      // The system resets a connection that it gives to a socket in the moment in which that is closed.
      assert.ok(reset <= old.length, `${reset} reset`);
      assert.equal(await metric(service.url, checked), 80 - failed + asked);
      await end(service);
      assert.deepEqual(childrenOf(pid), []);
    });

    it("answer /readyz with the warnings of both, each once", async () => {
      const folder = mkdtempSync(join(tmpdir(), "whocrawls-"));
      const data = join(folder, "data");
      mkdirSync(data);
      const lists = join(folder, "lists");
      writeAllLists(lists);
      const environment = { ...settings, WHOCRAWLS_DATA: lists, WHOCRAWLS_RECORD: join(data, "record.sqlite") };
      const service = await startService(runtime, environment);
      const ask = async (): Promise<readonly string[]> => {
        const response = await fetch(`${service.url}/readyz`, { headers: { connection: "close" } });
        return ((await response.json()) as { warnings: readonly string[] }).warnings;
      };
      /** What 20 connections are told, which the system shares out to both. */
      const askOften = async () => [...new Set((await Promise.all(Array.from({ length: 20 }, ask))).map(String))];
      await until(async () => String(await askOften()) === "", "the record is not opened");
      // Workers that start from now on cannot open the record; the others have it open.
      renameSync(data, join(folder, "moved"));
      writeFileSync(data, "");
      const pid = service.child.pid as number;
      for (const old of childrenOf(pid)) {
        process.kill(old, "SIGKILL");
        await until(() => childrenOf(pid).length === 2 && !childrenOf(pid).includes(old), "it is not replaced");
        await until(async () => {
          const found = await askOften();
          return found.length === 1 && /^recording is paused: [^,]*$/.test(found[0]!);
        }, "the warning is not told by both, or told twice");
      }
      await end(service);
      rmSync(folder, { recursive: true });
    });

    it("end when the process that watches over them is killed", async () => {
      const service = await startService(runtime, settings);
      const workers = childrenOf(service.child.pid as number);
      assert.equal(workers.length, 2);
      service.child.kill("SIGKILL");
      await until(() => workers.every((worker) => !isAlive(worker)), "workers are left");
    });

    it("do not start where something else listens, and say so once", async () => {
      const other = createServer().listen(0, "127.0.0.1");
      await once(other, "listening");
      const { port } = other.address() as AddressInfo;
      await assert.rejects(
        startService(runtime, { ...settings, HOST: "127.0.0.1", PORT: String(port) }),
        /ended with 1: whocrawls serve: Something else listens on 127\.0\.0\.1:\d+; [^\n]*\n$/,
      );
      other.close();
    });
  });
}

function isAlive(pid: number): boolean {
  try {
    // A zombie process has ended, too.
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
