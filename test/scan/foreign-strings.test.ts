/** Logs that morgan and gunicorn write are read by the format strings that they were given. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { inspectLog } from "../../src/scan/formats/inspect-log.ts";
import { toReport } from "../../src/scan/report/report.ts";
import { describeWith } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { firefox, googlebot } from "../support/user-agents.ts";

type Morgan = (
  format: string,
  options: { readonly stream: { write(text: string): void } },
) => (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
const morgan = createRequire(import.meta.url)("morgan") as Morgan;

const folder = temporary();

/** Logs have whole seconds. */
const started = Math.floor(Date.now() / 1000) * 1000;

async function request(port: number): Promise<void> {
  for (const [agent, path] of [
    [googlebot, "/a?b=1"],
    [firefox, "/b"],
  ] as const)
    await (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "User-Agent": agent } })).text();
}

/** What the report has of a log with the two requests. */
function assertRead(log: string, logFormat: string): void {
  const { format } = inspectLog(log.split("\n"), { logFormat });
  const scanner = createScanner({ check: detector.check, isByRule: () => false, task: { verify: true } });
  const bytes = Buffer.from(log);
  scanner.scan(bytes, bytes.length, format);
  const { requests, broken, bytes: sent, crawlers } = toReport(scanner.tally);
  const [crawler] = crawlers;
  assert.deepEqual([requests, broken, sent, crawlers.length], [2, 0, 10, 1], log);
  const paths = crawler!.paths.map(({ path }) => path);
  assert.deepEqual([crawler!.name, crawler!.statuses, paths], ["Googlebot", { 200: 1 }, ["/a"]]);
  const first = Date.parse(crawler!.first!);
  assert.ok(first >= started && first <= Date.now(), log);
  const addresses = [...scanner.tally.crawlers.values()].flatMap(({ addresses = new Map() }) => [...addresses.keys()]);
  assert.match(addresses.join(), /^(?:::ffff:)?127\.0\.0\.1$/);
}

describe("a log of morgan", () => {
  for (const format of [
    ':remote-addr - :remote-user [:date[clf]] ":method :url HTTP/:http-version" :status :res[content-length] ":referrer" ":user-agent"',
    ":date[iso] :remote-addr :method :url :status :res[content-length] - :response-time ms :user-agent",
    ':date[web] | :remote-addr ":user-agent" :status :url :res[content-length]',
  ])
    it(`is read by ${format}`, async () => {
      let log = "";
      const note = morgan(format, {
        stream: {
          write: (text) => {
            log += text;
          },
        },
      });
      const server = createServer((request, response) =>
        note(request, response, () => response.setHeader("Content-Length", 5).end("hello")),
      ).listen(0, "127.0.0.1");
      await once(server, "listening");
      await request((server.address() as AddressInfo).port);
      server.close();
      await until(() => log.split("\n").length === 3);
      assertRead(log, format);
    });
});

describeWith(["gunicorn", "python3"], "a log of gunicorn", () => {
  for (const format of [
    '%(h)s %(l)s %(u)s %(t)s "%(r)s" %(s)s %(b)s "%(f)s" "%(a)s"',
    '%(t)s %(h)s %(m)s %(U)s %(s)s %(B)s %(D)s "%({user-agent}i)s"',
  ])
    it(`is read by ${format}`, async () => {
      const log = join(folder, "gunicorn.log");
      const said = join(folder, "gunicorn.err");
      for (const path of [log, said]) writeFileSync(path, "");
      writeFileSync(
        join(folder, "hello.py"),
        'def app(environ, start):\n    start("200 OK", [("Content-Length", "5")])\n    return [b"hello"]\n',
      );
      const args = ["--bind", "127.0.0.1:0", "--chdir", folder, "--access-logfile", log, "--error-logfile", said];
      const child = spawn("gunicorn", [...args, "--access-logformat", format, "hello:app"], { stdio: "ignore" });
      try {
        const port = () => /Listening at: http:\/\/127\.0\.0\.1:(\d+)/.exec(readFileSync(said, "utf8"))?.[1];
        const saidBy = () => readFileSync(said, "utf8");
        await until(() => port() !== undefined, saidBy, child);
        await request(Number(port()));
        await until(() => readFileSync(log, "utf8").split("\n").length === 3, saidBy, child);
      } finally {
        child.kill();
      }
      assertRead(readFileSync(log, "utf8"), format);
    });
});
