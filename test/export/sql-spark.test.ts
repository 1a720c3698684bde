/**
 * The job of deploy/spark/crawlers.py in Spark itself: with two executors, figures and verdicts equal the library's, and each string is
 * evaluated once; with the commands of docs/warehouses.md, it runs where only pyspark is installed.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { sql, writeStatements } from "../../src/export/sql/sql.ts";
import { root, runtimes } from "../cli/command-line.ts";
import { runScript } from "../engines/engine.ts";
import { readDocument } from "../support/document.ts";
import { noteMissing } from "../support/needs.ts";
import { firefox, gptbot } from "../support/user-agents.ts";
import { decision } from "./sql-engines.ts";
import { exportStrings } from "./strings.ts";

/** Where continuous integration installs it: 400 MB, too much for every contributor. */
const python = `${root}test/node_modules/.cache/python/bin/python`;
const skip = !existsSync(python) && noteMissing("pyspark, which .ci/run installs");

interface Output {
  readonly verdicts: readonly [useragent: string, precedence: string][];
  readonly figures: readonly (readonly (string | null)[])[];
  readonly evaluations: readonly number[];
}

describe("the job for Spark", { skip }, () => {
  // Three processes of Java start, which takes minutes on a busy machine.
  it("gives the library's figures, and evaluates each string once", () => {
    const strings = [...new Set(["", "-", ...exportStrings(300).filter((text) => !/["\\]/.test(text))])];
    const more = ["NewcomerBot/1.0", "Newcomer/1.0 (a person's)"];
    const folder = mkdtempSync(join(tmpdir(), "whocrawls-spark-"));
    const request = createExportRequest(detector, {}, { variable: "is_crawler", command: "whocrawls export sql" });
    const statements = writeStatements(request, "spark", { table: "requests", column: "useragent" });
    const line = (text: string, day: number): string =>
      `192.0.2.1 - - [0${day}/Nov/2026:10:00:00 +0000] "GET /a\\"b HTTP/1.1" 200 ${day} "-" "${text}"\n`;
    const files = {
      "crawlers.sql": sql.write(request, "spark"),
      "statements.sql": statements,
      "counted.sql": statements.replace(decision, "$1counted(useragent)"),
      "access.log": `not a line\n${[1, 2].flatMap((day) => strings.map((text) => line(text, day))).join("")}`,
      "more.log": more.map((text) => line(text, 3)).join(""),
    };
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const output = runScript([python, "{}", `${root}deploy/spark`, folder], "spark.py", []);
      const { verdicts, figures, evaluations } = JSON.parse(output) as Output;

      const precedences = new Map(verdicts);
      assert.equal(verdicts.length, strings.length);
      for (const text of strings) assert.equal(precedences.get(text) !== "-1", detector.isCrawler(text), text);
      const wanted = new Map<string, number>();
      for (const text of strings.filter(detector.isCrawler)) {
        const { name, category, operator } = request.items[request.itemOf(text)]!;
        const key = JSON.stringify([category, operator ?? null, name ?? null]);
        wanted.set(key, (wanted.get(key) ?? 0) + 1);
      }
      const expected = [...wanted].flatMap(([key, count]) =>
        [1, 2].map((day) => [`2026-11-0${day}`, ...JSON.parse(key), `${count}`, `${count * day}`]),
      );
      const sorted = (rows: readonly (readonly unknown[])[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
      assert.deepEqual(sorted(figures), sorted(expected));
      assert.deepEqual(evaluations, [strings.length, more.length]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("runs with the commands of docs/warehouses.md, after pip install pyspark", async () => {
    const [, commands = ""] = /```sh\n([^`]*pip install pyspark\n[^`]*)```/.exec(readDocument("docs/warehouses.md"))!;
    const folder = mkdtempSync(join(tmpdir(), "whocrawls-spark-"));
    try {
      copyFileSync(`${root}deploy/spark/crawlers.py`, join(folder, "crawlers.py"));
      mkdirSync(join(folder, "logs"));
      const line = (agent: string): string =>
        `192.0.2.1 - - [06/Oct/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 512 "-" "${agent}"\n`;
      for (const name of ["a", "b"])
        writeFileSync(join(folder, `logs/${name}.log.gz`), gzipSync(line(gptbot) + line(firefox)));
      const code = commands
        .replaceAll("whocrawls export", `"${runtimes.Node}" "${root}dist/cli.js" export`)
        .replace("pip install pyspark\n", "");
      const { SPARK_HOME: _, ...env } = process.env;
      // An active environment of Python, and Spark on this machine only.
      const place = { PATH: `${dirname(python)}:${env.PATH}`, SPARK_LOCAL_IP: "127.0.0.1" };
      const options = { cwd: folder, env: { ...env, ...place }, encoding: "utf8" } as const;
      const { status, stderr } = spawnSync("sh", ["-euc", code], options);
      assert.equal(status, 0, stderr);
      const instance = await DuckDBInstance.create(":memory:");
      const connection = await instance.connect();
      const figures = `SELECT day::TEXT, category, operator, name, requests::INT, bytes::INT FROM '${folder}/figures/*.parquet'`;
      const rows = (await connection.runAndReadAll(figures)).getRows();
      connection.closeSync();
      instance.closeSync();
      assert.deepEqual(rows, [["2026-10-06", "ai", "OpenAI", "GPTBot", 2, 1024]]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
