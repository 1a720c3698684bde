/** The ways to connect a site that `/traffic` shows are run as shown: each makes a real service count. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import express from "express";
import { readProgram } from "../../src/pages/snippet.ts";
import { connections } from "../../src/pages/traffic/connect-view.ts";
import { runtimes } from "../cli/command-line.ts";
import { substitute } from "../deploy/shipped.ts";
import { startServer } from "../export/server.ts";
import { nginxAround } from "../export/setups.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

describe("a way to connect a site", () => {
  const folder = temporary();
  let service: ServiceProcess;

  before(async () => {
    service = await startService(runtimes.Bun, { WHOCRAWLS_RECORD: "memory:" });
  });

  after(() => {
    service?.child.kill("SIGTERM");
  });

  function codeOf(title: string): string {
    const connection = connections.find((connection) => connection.title.includes(title));
    assert.ok(connection, title);
    return readProgram(connection.file, service.url);
  }

  /** Resolves when the service shows the string as recorded once. */
  async function untilRecorded(useragent: string): Promise<void> {
    await until(async () => {
      const response = await fetch(
        `${service.url}/RestService/List/json?source=evaluated&q=${encodeURIComponent(useragent)}`,
      );
      const { items } = (await response.json()) as { readonly items: readonly { readonly useragent: string }[] };
      return items.some((item) => item.useragent === useragent);
    });
  }

  it("by a proxy works with nginx", { skip: needs("nginx") }, async () => {
    const upstream = createServer((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
    }).listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const own = (upstream.address() as AddressInfo).port;
    const code = substitute(codeOf("nginx"), {
      "# Keep what this location has already.": `proxy_pass http://127.0.0.1:${own};`,
    });
    const nginx = await startServer((port) => nginxAround(`server { listen 127.0.0.1:${port}; ${code} }`));
    const headers = { "user-agent": "ProxiedBot/1.0" };
    try {
      assert.equal(await (await fetch(`http://127.0.0.1:${nginx.port}/x`, { headers })).text(), "hello");
      await untilRecorded("ProxiedBot/1.0");
    } finally {
      await nginx.stop();
      upstream.close();
    }
  });

  it("by an application works with Express", async () => {
    const app = express();
    new Function("app", "fetch", codeOf("Express"))(app, fetch);
    app.get("/", (_request, response) => {
      response.send("hello");
    });
    const server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { "user-agent": "ApplicationBot/1.0" } });
    assert.equal(await response.text(), "hello");
    await untilRecorded("ApplicationBot/1.0");
    server.close();
  });

  it("by a log works in a shell", { skip: needs("bash", "curl") }, async () => {
    const line = '203.0.113.9 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 512 "-" "LoggedBot/1.0"\n';
    writeFileSync(join(folder, "access.log"), line.repeat(3));
    const child = spawn("bash", ["-c", codeOf("log")], { cwd: folder, stdio: "inherit" });
    assert.equal(await new Promise((resolve) => child.on("close", resolve)), 0);
    await untilRecorded("LoggedBot/1.0");
  });
});
