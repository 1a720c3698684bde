/** `npm start` is the service and ends with it, in order: a signal that arrives twice, from the terminal and from npm, loses nothing. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { entryOf, root, runtimes, testedOn } from "../cli/command-line.ts";
import { freePort } from "../deploy/proxies.ts";
import { temporary } from "../support/temporary.ts";
import { countRecorded } from "./service-process.ts";

const folder = temporary();

/** Runs `npm start` in a process group of its own, as a terminal does. */
async function npmStart(cwd: string, environment: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const npm = spawn("npm", ["start", "--", ...args], {
    cwd,
    env: { ...process.env, PORT: "0", HOST: "127.0.0.1", WHOCRAWLS_LOG: "off", ...environment },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  // "close" comes when no process writes to the pipe any more, so the service has ended, too.
  const ended = new Promise<number | string | null>((resolve) => npm.on("close", (code, how) => resolve(code ?? how)));
  const url = await new Promise<string>((resolve, reject) => {
    let stdout = "";
    npm.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      const found = /^whocrawls listens on (http:\S+);/m.exec(stdout)?.[1];
      if (found !== undefined) resolve(found);
    });
    ended.then(() => reject(new Error(`ended: ${stdout}`)));
  });
  return { pid: npm.pid as number, url, ended };
}

/** The package itself for Bun, whose script starts Bun; for Node a package whose script starts the bundle. */
function packageFor(name: keyof typeof runtimes): string {
  if (name === "Bun") return root;
  const start = `exec ${runtimes[name]} ${entryOf(runtimes[name])} serve`;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "starts", scripts: { start } }));
  return folder;
}

/** Checks one string until the service is gone; returns how many answers came. */
async function checkUntilGone(url: string, onAnswer: (count: number) => void): Promise<number> {
  const headers = { "content-type": "application/json" };
  for (let answered = 0; ; onAnswer(answered)) {
    try {
      const { status } = await fetch(`${url}/RestService/Check`, {
        method: "POST",
        headers,
        body: '{"useragent":"X"}',
      });
      if (status !== 200) return answered;
      answered++;
    } catch {
      return answered;
    }
  }
}

describe("npm start", { concurrency: 2, skip: process.platform === "win32" && "Windows has no process groups" }, () => {
  for (const [runtime, signal, to] of [
    ["Bun", "SIGINT", "the process group"],
    ["Node", "SIGTERM", "the process group"],
    ["Bun", "SIGTERM", "npm alone"],
  ] as const) {
    if (!testedOn().some(([name]) => name === runtime)) continue;
    it(`on ${runtime}: ${signal} to ${to} loses no evaluation`, async () => {
      const data = mkdtempSync(join(folder, "data-"));
      const environment = { WHOCRAWLS_DATA: data, WHOCRAWLS_VERIFY_REFRESH: "off" };
      const port = String(await freePort());
      const { pid, url, ended } = await npmStart(packageFor(runtime), environment, ["--port", port]);
      assert.equal(new URL(url).port, port, "npm passes arguments on");
      const answered = await checkUntilGone(url, (count) => {
        if (count === 500) process.kill(to === "npm alone" ? pid : -pid, signal);
      });
      assert.equal(await ended, 0);
      assert.ok(answered >= 500);
      assert.equal(await countRecorded(data), answered);
      await assert.rejects(fetch(`${url}/healthz`));
    });
  }
});
