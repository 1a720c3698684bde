/** What the process that watches over workers does: one count of a client, restarts with a new configuration. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { testedOn } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { startService } from "./service-process.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-"));
after(() => rmSync(folder, { recursive: true }));

/** The processes that a process has started. */
function workersOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
  );
}

/** A connection that stays with the worker it reached; each request resolves to the head of its answer, or to nothing. */
function stay(port: number): Promise<{ ask(path: string): Promise<string>; destroy(): void }> {
  return new Promise((resolve, reject) => {
    let answer: (head: string) => void = () => {};
    const socket = connect(port, "127.0.0.1", () =>
      resolve({
        ask: (path) =>
          new Promise((settle) => {
            answer = settle;
            if (socket.closed) settle("");
            else socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
          }),
        destroy: () => socket.destroy(),
      }),
    );
    socket.on("data", (chunk) => answer(String(chunk)));
    socket.on("close", () => answer(""));
    socket.on("error", reject);
  });
}

for (const [name, runtime] of testedOn()) {
  describe(`the supervisor on ${name}`, { skip: process.platform !== "linux" && "not Linux" }, () => {
    it("counts the requests of a client for all workers together", async () => {
      const service = await startService(runtime, { WHOCRAWLS_WORKERS: "2", WHOCRAWLS_RATE_LIMIT: "5/h" });
      const statuses: number[] = [];
      for (let asked = 0; asked < 16; asked++) {
        const response = await fetch(`${service.url}/openapi.json`, { headers: { connection: "close" } });
        await response.arrayBuffer();
        statuses.push(response.status);
        assert.match(response.headers.get("ratelimit") ?? "", asked < 5 ? new RegExp(`r=${4 - asked};`) : /r=0;/);
      }
      assert.deepEqual(statuses, [...Array(5).fill(200), ...Array(11).fill(429)]);
      service.child.kill("SIGTERM");
      assert.equal(await service.ended, 0);
    });

    it("counts the requests of a crawler for all workers together", async () => {
      const service = await startService(runtime, { WHOCRAWLS_WORKERS: "2" });
      const ask = (userAgent: string) =>
        fetch(`${service.url}/auth?limit=ai:5/h,GPTBot:3/h`, {
          headers: { "user-agent": userAgent, connection: "close" },
        });
      for (const [userAgent, allowed] of [
        ["GPTBot/1.2", 3],
        ["ClaudeBot/1.0", 5],
        ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", 16],
      ] as const) {
        const answers = await Promise.all(Array.from({ length: 16 }, () => ask(userAgent)));
        assert.equal(answers.filter(({ status }) => status === 204).length, allowed, userAgent);
        for (const { status, headers } of answers)
          if (status !== 204) assert.deepEqual([status, Number(headers.get("retry-after")) > 600], [429, true]);
      }
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      assert.match(metrics, /^whocrawls_limited_total\{category="ai"\} 24$/m);
      service.child.kill("SIGTERM");
      assert.equal(await service.ended, 0);
    });

    it("rereads the configuration at SIGHUP, one worker after the other, and sends clients elsewhere meanwhile", async () => {
      const file = join(folder, `${name}.yaml`);
      writeFileSync(file, "workers: 2\ntoken: the-first-token-1\n");
      const service = await startService(runtime, { WHOCRAWLS_CONFIG: file });
      const pid = service.child.pid as number;
      const ask = async (token: string) => {
        const headers = { authorization: `Bearer ${token}`, connection: "close" };
        return (await fetch(`${service.url}/RestService/RegExp`, { headers }).catch(() => undefined))?.status;
      };
      assert.equal(await ask("the-first-token-1"), 200);
      const kept = await Promise.all(Array.from({ length: 8 }, () => stay(Number(new URL(service.url).port))));
      const old = workersOf(pid);
      writeFileSync(file, "workers: 2\ntoken: the-second-token-2\n");
      service.child.kill("SIGHUP");
      let most = 0;
      const draining = await until(async () => {
        most = Math.max(most, workersOf(pid).length);
        for (const connection of kept) {
          const head = await connection.ask("/readyz");
          if (head.startsWith("HTTP/1.1 503")) return head;
        }
        return undefined;
      }, "no worker says that it is about to end");
      assert.match(draining, /"reasons":\["stopping"\]/);
      assert.match(draining, /^connection: close\r$/im);
      await until(() => {
        const now = workersOf(pid);
        most = Math.max(most, now.length);
        return now.length === 2 && now.every((worker) => !old.includes(worker)) ? true : undefined;
      }, "it is not restarted");
      // The next one begins when the one before it has ended.
      assert.equal(most, 3);
      assert.deepEqual([await ask("the-first-token-1"), await ask("the-second-token-2")], [401, 200]);
      for (const connection of kept) connection.destroy();
      service.child.kill("SIGTERM");
      assert.equal(await service.ended, 0);
    });
  });
}
