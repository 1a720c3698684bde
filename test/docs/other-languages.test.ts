/** The middleware of docs/clients.md, with the files of `whocrawls export`: an AI crawler gets 403, others the page. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "../cli/command-line.ts";
import { runHere } from "../cli/run-here.ts";
import { freePort } from "../deploy/proxies.ts";
import { run } from "../engines/engine.ts";
import { readDocument } from "../support/document.ts";
import { needs } from "../support/needs.ts";
import { isAll } from "../support/some-strings.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { firefox, googlebot, gptbot } from "../support/user-agents.ts";

const folder = temporary();
/** Latin-1 beyond ASCII, which each interface has in its own way; robots.txt, which is open; and no header. */
const requests = [
  [firefox, "/"],
  [gptbot, "/"],
  [googlebot, "/"],
  ["GPTBot/1.0 \u00e9", "/a/robots.txt"],
  [gptbot, "/robots.txt"],
  [undefined, "/"],
] as const;
const statuses = [200, 403, 200, 403, 200, 200];

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

def ask_wsgi(useragent, path):
    environ, statuses = {}, []
    setup_testing_defaults(environ)
    environ["PATH_INFO"] = path
    if useragent is not None:
        environ["HTTP_USER_AGENT"] = useragent
    body = validator(wsgi.block_ai(validator(page)))(environ, lambda status, headers: statuses.append(status))
    body.close() if b"".join(body) else None
    return int(statuses[0][:3])

def ask_asgi(useragent, path):
    sent = []
    async def send(message):
        sent.append(message)
    headers = [] if useragent is None else [(b"user-agent", useragent.encode("latin-1"))]
    asyncio.run(asgi.block_ai(async_page)({"type": "http", "path": path, "headers": headers}, None, send))
    return sent[0]["status"]

requests = json.load(sys.stdin)
print(json.dumps([[ask(one, path) for one, path in requests] for ask in (ask_wsgi, ask_asgi)]))
`;

const goCaller = `package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
)

func main() {
	var requests [][2]string
	json.NewDecoder(os.Stdin).Decode(&requests)
	page := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	statuses := []int{}
	for _, one := range requests {
		request := httptest.NewRequest("GET", one[1], nil)
		request.Header.Set("User-Agent", one[0])
		response := httptest.NewRecorder()
		blockAI(page).ServeHTTP(response, request)
		statuses = append(statuses, response.Code)
	}
	json.NewEncoder(os.Stdout).Encode(statuses)
}
`;

describe("middleware with the file for", () => {
  it("Python: WSGI and ASGI", { skip: needs("python3") }, async () => {
    const place = await prepare("python", "whocrawls.py", ["wsgi.py", "asgi.py"]);
    writeFileSync(join(place, "caller.py"), caller);
    const input = JSON.stringify(requests);
    assert.deepEqual(JSON.parse(run(["python3", join(place, "caller.py"), place], input)), [statuses, statuses]);
  });

  it("PHP", { skip: needs("php") }, async () => {
    const place = await prepare("php", "Whocrawls.php", ["block-ai.php"]);
    const [, load, call] = /^- PHP: .*then `(.*)` and\s+`(.*)`$/m.exec(readDocument("README.md"))!;
    writeFileSync(join(place, "readme.php"), `<?php ${load} var_dump(${call});`);
    assert.equal(run(["php", join(place, "readme.php")], ""), "bool(true)\n");
    writeFileSync(join(place, "index.php"), "<?php require 'block-ai.php'; echo 'page';");
    const port = await freePort();
    const server = spawn("php", ["-S", `127.0.0.1:${port}`, "-t", place, join(place, "index.php")], {
      stdio: "ignore",
    });
    try {
      const ask = async ([useragent, path]: (typeof requests)[number]): Promise<number> => {
        const headers = useragent === undefined ? [] : [["User-Agent", useragent] as [string, string]];
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
        return response.status;
      };
      const isAsked = () => ask(requests[0]).then(() => true);
      await until(() => isAsked().catch(() => false), "no answer", server);
      assert.deepEqual(await Promise.all(requests.slice(0, 5).map(ask)), statuses.slice(0, 5));
    } finally {
      server.kill();
    }
  });

  // Compiling takes long.
  if (isAll)
    it("Go", { skip: needs("go") }, async () => {
      const place = await prepare("go", "whocrawls.go", ["block_ai.go"]);
      mkdirSync(join(place, "whocrawls"));
      renameSync(join(place, "whocrawls.go"), join(place, "whocrawls/whocrawls.go"));
      writeFileSync(join(place, "go.mod"), "module example.org/crawlers\n\ngo 1.19\n");
      writeFileSync(join(place, "main.go"), goCaller);
      const input = JSON.stringify(requests.map(([useragent = "", path]) => [useragent, path]));
      const { stdout, stderr } = spawnSync("go", ["run", "."], { cwd: place, input, encoding: "utf8" });
      assert.equal(stderr, "");
      assert.deepEqual(JSON.parse(stdout), statuses);
    });
});
