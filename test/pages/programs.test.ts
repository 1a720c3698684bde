/** The programs that `/expression` shows run as shown: each asks a real service and prints `true`. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { programFiles } from "../../src/pages/reference/expression-page.ts";
import { readProgram } from "../../src/pages/snippet.ts";
import { runtimes } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { needs } from "../support/needs.ts";
import { needsPostgres, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { temporary } from "../support/temporary.ts";

/** What runs a program, by the language's title. */
const runners: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  JavaScript: ["node"],
  Python: ["python3"],
  Java: ["java", "-XX:TieredStopAtLevel=1"],
  Shell: ["bash"],
  PostgreSQL: ["bash"],
  PHP: ["php"],
  Ruby: ["ruby"],
  Go: ["go", "run"],
};

/** What the programs themselves start. */
const started: Readonly<Record<string, readonly string[]>> = {
  Shell: ["curl", "grep"],
  PostgreSQL: ["curl", "psql"],
};

describe("programs of the page", () => {
  const folder = temporary();
  let service: ServiceProcess;
  let postgres: TestPostgres | undefined;
  let database: string | undefined;

  before(async () => {
    service = await startService(runtimes.Bun);
    if (needsPostgres() === false) postgres = await startPostgres();
    database = await postgres?.createDatabase();
  });

  after(async () => {
    await postgres?.close();
    service.child.kill("SIGTERM");
    await service.ended;
  });

  for (const [title, file] of Object.entries(programFiles)) {
    const command = runners[title];
    // Those without a runner are configuration, which the tests of exports load, or need packages of their own.
    if (command === undefined) continue;
    const skip = needs(command[0], ...(started[title] ?? [])) || (title === "PostgreSQL" && needsPostgres());
    it(`${title} prints true`, { skip }, async () => {
      writeFileSync(join(folder, file), readProgram(file, service.url));
      assert.deepEqual(await run([...command, file], folder, database), { output: "true\n", errors: "" });
    });
  }

  it("all have a runner, but for two that say why", () => {
    assert.deepEqual(
      Object.keys(programFiles).filter((title) => runners[title] === undefined),
      ["Rust", "nginx"],
    );
  });
});

function run([program = "", ...args]: readonly string[], cwd: string, database = "") {
  const { hostname, port, username, pathname } = new URL(database || "postgres://x@localhost/");
  const postgres = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGDATABASE: pathname.slice(1) };
  return new Promise<{ output: string; errors: string }>((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...postgres },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [output, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    child.on("error", reject);
    child.on("close", () => resolve({ output, errors }));
  });
}
