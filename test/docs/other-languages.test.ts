/** The middleware of docs/clients.md, with the files of `whocrawls export`: an AI crawler gets 403, others the page. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "../cli/command-line.ts";
import { runHere } from "../cli/run-here.ts";
import { freePort } from "../deploy/proxies.ts";
import { run } from "../engines/engine.ts";
import { needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { firefox, googlebot, gptbot } from "../support/user-agents.ts";

const folder = temporary();
/** Latin-1 beyond ASCII, which each interface has in its own way; and no header. */
const useragents = [firefox, gptbot, googlebot, "GPTBot/1.0 \u00e9", undefined];
const statuses = [200, 403, 200, 403, 200];

/** A folder with the middleware of these names, and the file of a target. */
async function prepare(target: string, file: string, middleware: readonly string[]): Promise<string> {
  const place = mkdtempSync(join(folder, `${target}-`));
  writeFileSync(join(place, file), (await runHere(["export", target])).stdout);
  for (const name of middleware) copyFileSync(`${root}docs/clients/middleware/${name}`, join(place, name));
  return place;
}

/** Calls both in the way of their servers, and prints the statuses. */
const caller = `
import asyncio, json, sys
sys.path.insert(0, sys.argv[1])
import asgi, wsgi
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

def page(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"page"]

async def async_page(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"page"})

def ask_wsgi(useragent):
    environ, statuses = {}, []
    setup_testing_defaults(environ)
    if useragent is not None:
        environ["HTTP_USER_AGENT"] = useragent
    body = validator(wsgi.block_ai(validator(page)))(environ, lambda status, headers: statuses.append(status))
    body.close() if b"".join(body) else None
    return int(statuses[0][:3])

def ask_asgi(useragent):
    sent = []
    async def send(message):
        sent.append(message)
    headers = [] if useragent is None else [(b"user-agent", useragent.encode("latin-1"))]
    asyncio.run(asgi.block_ai(async_page)({"type": "http", "headers": headers}, None, send))
    return sent[0]["status"]

useragents = json.load(sys.stdin)
print(json.dumps([[ask(one) for one in useragents] for ask in (ask_wsgi, ask_asgi)]))
`;

describe("middleware with the file for", () => {
  it("Python: WSGI and ASGI", { skip: needs("python3") }, async () => {
    const place = await prepare("python", "whocrawls.py", ["wsgi.py", "asgi.py"]);
    writeFileSync(join(place, "caller.py"), caller);
    const input = JSON.stringify(useragents.map((one) => one ?? null));
    assert.deepEqual(JSON.parse(run(["python3", join(place, "caller.py"), place], input)), [statuses, statuses]);
  });

  it("PHP", { skip: needs("php") }, async () => {
    const place = await prepare("php", "Whocrawls.php", ["block-ai.php"]);
    writeFileSync(join(place, "index.php"), "<?php require 'block-ai.php'; echo 'page';");
    const port = await freePort();
    const server = spawn("php", ["-S", `127.0.0.1:${port}`, "-t", place], { stdio: "ignore" });
    try {
      const ask = async (useragent: string | undefined): Promise<number> => {
        const headers = useragent === undefined ? [] : [["User-Agent", useragent] as [string, string]];
        const response = await fetch(`http://127.0.0.1:${port}/`, { headers });
        return response.status;
      };
      await until(() =>
        ask(firefox).then(
          () => true,
          () => false,
        ),
      );
      assert.deepEqual(await Promise.all(useragents.slice(0, 4).map(ask)), statuses.slice(0, 4));
    } finally {
      server.kill();
    }
  });
});
