/** `npm start` is the service, and ends with it: npm and its shell pass the signal on. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { it } from "node:test";
import { root } from "../cli/command-line.ts";

it("npm start serves, and SIGTERM to npm ends the service, too", async () => {
  const npm = spawn("npm", ["start"], {
    cwd: root,
    env: { ...process.env, PORT: "0", WHOCRAWLS_LOG: "off" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise((resolve) => npm.on("close", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    let stdout = "";
    npm.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      const found = /^whocrawls listens on (http:\S+);/m.exec(stdout)?.[1];
      if (found !== undefined) resolve(found);
    });
    ended.then(() => reject(new Error(`ended: ${stdout}`)));
  });
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  npm.kill("SIGTERM");
  // "close" comes when nobody writes to the pipe any more, so also the service has ended.
  assert.equal(await ended, 0);
  await assert.rejects(fetch(`${url}/healthz`));
});
