/** The Python programs of docs/warehouses.md, as they stand there, on Parquet files: they print the crawlers. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { sql, writeStatements } from "../../src/export/sql/sql.ts";
import { root } from "../cli/command-line.ts";
import { readDocument } from "../support/document.ts";
import { noteMissing } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { firefox, gptbot } from "../support/user-agents.ts";

const page = readDocument("docs/warehouses.md");
/** Where continuous integration installs DuckDB and chdb for Python. */
const python = `${root}test/node_modules/.cache/duckdb/bin/python`;
const skip = !existsSync(python) && noteMissing("duckdb and chdb for Python, which .ci/run installs");
const folder = temporary();

for (const [dialect, from, printed] of [
  ["duckdb", "import duckdb", `2 GPTBot ${gptbot}\n`],
  ["clickhouse", "from chdb", `"${gptbot}",2,"GPTBot","OpenAI",`],
] as const)
  it(`the program for ${dialect} prints the crawlers of Parquet files`, { skip }, async () => {
    const place = join(folder, dialect);
    mkdirSync(join(place, "logs"), { recursive: true });
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const values = [gptbot, gptbot, firefox].map((text) => `('${text}')`).join();
    await connection.run(
      `COPY (SELECT * FROM (VALUES ${values}) AS given (useragent)) TO '${join(place, "logs/a.parquet")}' (FORMAT parquet)`,
    );
    connection.closeSync();
    instance.closeSync();
    const request = createExportRequest(detector, {}, { variable: "is_crawler", command: "whocrawls export sql" });
    writeFileSync(join(place, "crawlers.sql"), sql.write(request, dialect));
    const requests = { table: "requests", column: "useragent" };
    writeFileSync(join(place, "statements.sql"), writeStatements(request, dialect, requests));
    const programs = [...page.matchAll(/```python\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
    const code = programs.find((program) => program.includes(from)) ?? assert.fail(from);
    const { status, stdout, stderr } = spawnSync(python, ["-c", code], { cwd: place, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    assert.ok(stdout.startsWith(printed), stdout);
    assert.equal(stdout.trimEnd().split("\n").length, 1, stdout);
  });
