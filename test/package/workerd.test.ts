/** The package in workerd, the runtime of Cloudflare Workers: bundled as for a deployment, served over a socket. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { build } from "esbuild";
import { detector } from "../../src/detect/built-in/detector.ts";
import { encodeCatalogue } from "../../src/detect/file/catalogue-file.ts";
import { root } from "../cli/command-line.ts";
import { acme, createCustomDetector } from "../support/custom-detector.ts";
import { temporary } from "../support/temporary.ts";
import { googlebot } from "../support/user-agents.ts";

/** The program itself: what npm links to is a script, whose end is not the program's. */
const workerd: string = createRequire(import.meta.url)("workerd").default;
const folder = temporary();

const worker = `
  import { loadDetector } from "whocrawls";
  import { createService } from "whocrawls/service";
  import own from "own.catalogue";

  const service = createService();
  const customService = createService({ basePath: "/own", detector: loadDetector(new Uint8Array(own)) });
  export default {
    fetch: (request) => (new URL(request.url).pathname.startsWith("/own/") ? customService : service).fetch(request),
  };
`;

const toConfiguration = (flags: string): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "own.catalogue", data = embed "own.catalogue")
  ],
  compatibilityDate = "2026-01-01",
  compatibilityFlags = [${flags}],
);
`;

/** The processes that a failed test would leave behind. */
const running = new Set<ChildProcess>();
const kill = (child: ChildProcess) =>
  child.pid !== undefined && running.delete(child) && process.kill(-child.pid, "SIGKILL");
after(() => running.forEach(kill));

const { outputFiles } = await build({
  stdin: { contents: worker, resolveDir: root },
  bundle: true,
  format: "esm",
  conditions: ["workerd", "worker", "browser"],
  external: ["node:*", "own.catalogue"],
  write: false,
  logLevel: "error",
});
writeFileSync(join(folder, "worker.js"), outputFiles[0]!.contents);
writeFileSync(join(folder, "own.catalogue"), encodeCatalogue(createCustomDetector().catalogue));

/** Serves the worker until `use` has ended; fails if it ends before it listens. */
async function serve(flags: string, use: (url: string) => Promise<void>): Promise<void> {
  writeFileSync(join(folder, "config.capnp"), toConfiguration(flags));
  const child = spawn(workerd, ["serve", "config.capnp", "--control-fd=1"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  running.add(child);
  const ended = once(child, "exit");
  try {
    const written = once(child.stdout.setEncoding("utf8"), "data");
    const [line] = await Promise.race([written, ended.then(() => assert.fail("workerd has ended"))]);
    await use(`http://127.0.0.1:${JSON.parse(line.split("\n", 1)[0]).port}`);
  } finally {
    kill(child);
    await ended;
  }
}

describe("in workerd", () => {
  for (const flags of ['"nodejs_compat"', ""]) {
    it(`the service answers with the flags [${flags}], also with a loaded catalogue`, () =>
      serve(flags, async (url) => {
        const check = async (path: string, useragent: string): Promise<unknown> => {
          const headers = { "content-type": "application/json" };
          const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify({ useragent }) });
          return response.json();
        };
        assert.deepEqual(await check("/RestService/Check", googlebot), detector.check(googlebot));
        assert.deepEqual(await check("/own/RestService/Check", acme), createCustomDetector().check(acme));
        const text = async (path: string): Promise<string> => (await fetch(url + path)).text();
        assert.equal(await text("/RestService/RegExp"), detector.expression);
        assert.equal(JSON.parse(await text("/RestService/List/json")).total, detector.strings().length);
        assert.match(await text("/crawlers/gptbot"), /OpenAI/);
        assert.match(await text("/own/crawlers"), /Acme Monitor/);
        const { status } = await fetch(`${url}/auth?block=ai`, { headers: { "user-agent": "GPTBot/1.2" } });
        assert.equal(status, 403);
      }));
  }
});
