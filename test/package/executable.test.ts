/** `npm run binary`: the executable runs in an empty folder, without Node, Bun and PATH, and prints what the command line prints. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { detector } from "../../src/detect/built-in/detector.ts";
import { loadDetector } from "../../src/detect/file/load-detector.ts";
import { targets } from "../../src/export/targets.ts";
import { type Outcome, root, runtimes } from "../cli/command-line.ts";
import { runHere } from "../cli/run-here.ts";
import { countRecorded, startService } from "../server/service-process.ts";
import { noteMissing } from "../support/needs.ts";
import { needsPostgres, startPostgres } from "../support/postgres.ts";
import { temporary } from "../support/temporary.ts";
import { firefox, googlebot } from "../support/user-agents.ts";

const folder = temporary();
const program = join(folder, "whocrawls");
const empty = join(folder, "empty");
mkdirSync(empty);
// The command line in this process reads the same files by the same names.
process.chdir(empty);

async function run(
  args: readonly string[],
  input: string | Uint8Array = "",
  env: Readonly<Record<string, string>> = { HOME: empty },
  uid?: number,
): Promise<Outcome> {
  const child = spawn(program, args, { cwd: empty, env, stdio: "pipe", ...(uid && { uid }) });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { stdout: await text(child.stdout), stderr: await text(child.stderr), code: await code };
}

before(() => {
  const { status, stderr } = spawnSync(runtimes.Bun, [`${root}build/binary.ts`, program], {
    cwd: root,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
});

it("contains no path of the folder where it was made", () => {
  assert.equal(readFileSync(program).includes(root), false);
});

it("does not read the files that Bun reads in the folder in which it is started", async () => {
  const files = { ".env": "HOST=192.0.2.1\n", "bunfig.toml": 'preload = ["./missing.ts"]\n' };
  const settings = await run(["serve", "--print-config"]);
  for (const [name, content] of Object.entries(files)) writeFileSync(name, content);
  assert.deepEqual(await run(["serve", "--print-config"]), settings);
  for (const name of Object.keys(files)) rmSync(name);
});

describe("the executable prints what the command line prints:", () => {
  /** Several blocks, so that the second thread gets some, of many different strings. */
  const log = Array.from({ length: 8000 }, (_, i) => {
    const agent = i % 3 === 0 ? firefox : (detector.strings()[i % 4001] ?? `x${i}`);
    const time = `10/Oct/2025:13:${String(i % 60).padStart(2, "0")}:36 +0000`;
    return `203.0.113.${i % 250} - - [${time}] "GET /p${i % 997} HTTP/1.1" 200 ${i} "-" "${agent.replaceAll('"', "'")}"\n`;
  }).join("");
  writeFileSync("access.log", log);
  writeFileSync("access.log.gz", gzipSync(log));
  writeFileSync("robots.txt", "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisalow: /private\n");
  const entry = `{ name: Own, pattern: "OwnMonitor/", category: monitor, examples: ["OwnMonitor/2.1"] }`;
  writeFileSync("own.yaml", `crawlers:\n  - ${entry}\n`);
  writeFileSync("wrong.yaml", "crawlers: [{ nam: x }]\n");
  const own = ["--catalogue", "own.yaml"];
  const threads = ["--threads", "2"];

  const rows: readonly (readonly [args: readonly string[], input?: string])[] = [
    [[]],
    [["--version"]],
    [["serve", "--print-config", "--port", "81", "--log", "warn"]],
    [["serve", "--port", "x"]],
    [["check", googlebot, firefox]],
    [["check", "-"], `${googlebot}\n${firefox}\n`],
    [["check", "--exit-code", googlebot]],
    [["check", "--explain", googlebot]],
    [["check", "--ip", "192.0.2.1", "--header", "signature: x", googlebot]],
    [["check", ...own, "OwnMonitor/3"]],
    [["list", "-q", "perplexity", "--json"]],
    [["regexp"]],
    [["robots", "robots.txt"]],
    [["robots", "robots.txt", "--expect", "ai:training=blocked"]],
    [["scan", ...threads, "access.log", "access.log.gz"]],
    [["scan", ...threads, "--format", "json", "-"], log],
    [["scan", ...threads, "--format", "html", "--robots", "robots.txt", "--robots-since", "2025-01-01", "access.log"]],
    [["scan", ...own, "missing.log"]],
    [["diff", "built-in", "own.yaml"]],
    [["compile", "--catalogue", "wrong.yaml", "-o", "wrong.catalogue"]],
    [["nonsense"]],
    ...Object.keys(targets).map((name): [string[]] => [["export", name, "--category", "ai"]]),
    [["export", "automaton"]],
    [["export", "ranges", "--operator", "Google"]],
  ];
  for (const [args, input] of rows)
    it(`whocrawls ${args.join(" ")}`, async () => {
      const outcome = await run(args, input);
      assert.deepEqual(outcome, await runHere(args, input));
      assert.notEqual(outcome.stdout + outcome.stderr, "");
    });

  it("for a user without a home", { skip: process.getuid?.() !== 0 && noteMissing("root") }, async () => {
    chmodSync(folder, 0o755);
    const args = ["check", ...own, "OwnMonitor/3"];
    assert.deepEqual(await run(args, "", {}, 54_321), await runHere(args));
  });

  it("whocrawls compile, which for this compiles everything", async () => {
    writeFileSync("all.yaml", "remove: [curl]\n");
    const { code, stderr } = await run(["compile", "--catalogue", "all.yaml", "-o", "all.catalogue"]);
    assert.equal(code, 0, stderr);
    assert.equal(loadDetector(readFileSync("all.catalogue")).entries, detector.entries - 1);
  });
});

describe("the executable serves", () => {
  /** Starts it without other variables than these; resolves with what it answers to one Check, and then List. */
  async function serve(environment: Readonly<Record<string, string>>) {
    const none = Object.fromEntries(Object.keys(process.env).map((name) => [name, ""]));
    const service = await startService("/usr/bin/env", { ...none, ...environment }, empty, program);
    const get = async (path: string, body?: object) => {
      const init = body && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      const response = await fetch(service.url + path, init);
      assert.equal(response.status, 200, path);
      return response;
    };
    return { ...service, get };
  }

  it("with pages and their files, and a record in SQLite", async () => {
    const { get, child, ended } = await serve({
      WHOCRAWLS_RECORD: "data/record.sqlite",
      WHOCRAWLS_DATA: "data",
      WHOCRAWLS_CATALOGUE: "own.yaml",
    });
    assert.equal((await (await get("/RestService/Check", { useragent: "OwnMonitor/7" })).json()).name, "Own");
    const page = await (await get("/crawlers")).text();
    const files = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
    assert.ok(files.length > 1, page);
    for (const path of files) {
      const built = readFileSync(`${root}dist/web/${path.slice("/assets/".length)}`);
      assert.ok(built.equals(await buffer((await get(path)).body as never)), path);
    }
    child.kill("SIGTERM");
    assert.equal(await ended, 0);
    assert.equal(await countRecorded(join(empty, "data")), 1);
  });

  it("with a record in PostgreSQL", { skip: needsPostgres() }, async () => {
    const postgres = await startPostgres();
    try {
      const { get, child, ended } = await serve({ WHOCRAWLS_RECORD: await postgres.createDatabase() });
      await get("/RestService/Check", { useragent: "RecordedBot/1" });
      const listed = async () => (await get("/RestService/List?source=evaluated")).json();
      for (let { total } = await listed(); total === 0; { total } = await listed());
      assert.equal((await listed()).items[0].useragent, "RecordedBot/1");
      child.kill("SIGTERM");
      assert.equal(await ended, 0);
    } finally {
      await postgres.close();
    }
  });
});
