/** A proxy's connection that is kept alive is answered, however many clients connect again and again with requests that take time. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Agent, get } from "node:http";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { runtimes, testedOn } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { startService } from "./service-process.ts";

for (const [name, runtime] of testedOn())
  it(`a kept-alive connection is answered beside 40 clients with new ones (${name})`, async () => {
    await using service = await startService(runtime, { HOST: "127.0.0.1" });
    const { port } = new URL(service.url);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { port, host: "127.0.0.1", path: "/auth?block=ai", agent, headers: { "user-agent": "x" } };
        get(options, (response) => {
          response.resume().on("end", () => resolve(response.statusCode));
        }).on("error", reject);
      });
    assert.equal(await ask(), 204);
    const wrong = Array.from({ length: 95 }, (_, word) => `wrongN-${word}`);
    const program = fileURLToPath(new URL("reconnecting-clients.ts", import.meta.url));
    const args = [program, port, "40", `/auth?block=${wrong}`];
    const clients = spawn(runtimes.Node, args, { stdio: ["ignore", "pipe", "inherit"] });
    let answers = 0;
    clients.stdout.on("data", (dots: Buffer) => (answers += dots.length));
    try {
      await until(() => answers > 40, "they are not answered", clients);
      for (let times = 0; times < 5; times++) assert.equal(await ask(), 204);
    } finally {
      clients.kill("SIGKILL");
      agent.destroy();
    }
  });
