/** Engines that run exported SQL: DuckDB in this process, ClickHouse in another one, PostgreSQL and MariaDB as servers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { BOOLEAN, DuckDBInstance, DuckDBScalarFunction, type DuckDBType, INTEGER, VARCHAR } from "@duckdb/node-api";
import pg from "pg";
import { root } from "../cli/command-line.ts";
import { runProgram } from "../deploy/shipped.ts";
import { needs, noteMissing } from "../support/needs.ts";
import { needsPostgres, startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";

/** Cells as an engine gives them: text, or null; numbers and booleans as text, too. */
export type Rows = readonly (readonly (string | null)[])[];

/** Where the exported statements decide about strings; the second group is the condition. */
export const decision = /(FROM new_strings WHERE )([\s\S]*?)(?=\n\), attributed AS)/;

/** An engine that runs statements in order and answers with the rows of the last one. */
export interface Engine {
  readonly dialect: string;
  /** Asks for the version. */
  readonly version: string;
  /** Makes a table with a column `useragent`. */
  readonly table: (name: string) => string;
  /** Defines `counted(text)`, which is always false and counts its calls, if `open` has not done so. */
  readonly defineCounted: readonly string[];
  /** Asks how often `counted` was called. */
  readonly calls: readonly string[];
  /** Why it cannot run here, or false. */
  readonly skip: string | false;
  open(): Promise<Session>;
}

export interface Session {
  /** The process that evaluates. */
  readonly pid: number;
  /** `encoding` is what the client takes the SQL for, where it can be told. */
  run(sql: string, encoding?: string): Promise<Rows>;
  close(): Promise<void>;
}

/** Where continuous integration installs chdb: it is half a gigabyte, too much for every contributor. */
const python = `${root}test/node_modules/.cache/duckdb/bin/python`;

export const engines: readonly Engine[] = [
  {
    dialect: "duckdb",
    version: "SELECT version()",
    table: (name) => `CREATE TABLE ${name} (useragent VARCHAR)`,
    defineCounted: [],
    calls: ["SELECT calls('')"],
    skip: false,
    async open() {
      const instance = await DuckDBInstance.create(":memory:");
      const connection = await instance.connect();
      let calls = 0;
      const define = (name: string, returnType: DuckDBType, call: () => boolean | number, volatile: boolean): void =>
        connection.registerScalarFunction(
          DuckDBScalarFunction.create({
            name,
            parameterTypes: [VARCHAR],
            returnType,
            volatile,
            mainFunction: (_, { rowCount }, output) => {
              for (let row = 0; row < rowCount; row++) output.setItem(row, call());
              output.flush();
            },
          }),
        );
      define("counted", BOOLEAN, () => ++calls < 0, false);
      define("calls", INTEGER, () => calls, true);
      return {
        pid: process.pid,
        async run(sql) {
          const rows = (await connection.runAndReadAll(sql)).getRows();
          return rows.map(toTexts);
        },
        async close() {
          connection.closeSync();
          instance.closeSync();
        },
      };
    },
  },
  {
    dialect: "clickhouse",
    version: "SELECT version()",
    table: (name) => `CREATE TABLE ${name} (useragent Nullable(String)) ENGINE = MergeTree ORDER BY tuple()`,
    // Sleeping is deterministic to the optimizer, and counted.
    defineCounted: ["CREATE FUNCTION counted AS (ua) -> sleepEachRow(0.000001) = 0 AND empty(concat(ua, '.'))"],
    calls: ["SELECT sum(value) FROM system.events WHERE event = 'SleepFunctionMicroseconds'"],
    skip: !existsSync(python) && noteMissing("chdb (ClickHouse), which .ci/run installs"),
    open: () => openProgram(python, ["-c", clickhouseProgram]),
  },
  {
    dialect: "postgres",
    version: "SHOW server_version",
    table: (name) => `CREATE TABLE ${name} (useragent text)`,
    defineCounted: [
      "SET track_functions = 'pl'",
      "CREATE FUNCTION counted(ua text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN ua IS NULL; END'",
    ],
    calls: ["SELECT pg_stat_force_next_flush()", "SELECT COALESCE(SUM(calls), 0) FROM pg_stat_user_functions"],
    skip: needsPostgres(),
    async open() {
      const server = await startPostgres();
      const client = new pg.Client(await server.createDatabase());
      await client.connect();
      const [[pid]] = (await client.query({ text: "SELECT pg_backend_pid()", rowMode: "array" })).rows as [[number]];
      return {
        pid,
        async run(sql) {
          const results = [await client.query({ text: sql, rowMode: "array" })].flat();
          return (results.at(-1)!.rows as unknown[][]).map(toTexts);
        },
        async close() {
          await client.end();
          await server.close();
        },
      };
    },
  },
  {
    dialect: "mysql",
    version: "SELECT version()",
    table: (name) => `CREATE TABLE ${name} (useragent TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)`,
    defineCounted: [
      "CREATE TABLE calls AS SELECT 0 AS calls",
      `DELIMITER //
      CREATE FUNCTION counted(ua TEXT CHARACTER SET utf8mb4) RETURNS BOOLEAN DETERMINISTIC MODIFIES SQL DATA
      BEGIN UPDATE calls SET calls = calls + 1; RETURN FALSE; END//`,
    ],
    calls: ["SELECT calls FROM calls"],
    skip: needs("mariadbd", "mariadb-install-db", "mariadb"),
    open: openMariadb,
  },
];

function toTexts(row: readonly unknown[]): (string | null)[] {
  return row.map((cell) => (cell === null ? null : String(cell)));
}

/** Reads SQL in Base64, one statement a line, because JSON may have ends of lines; answers with one JSON array of rows a line. */
const clickhouseProgram = `
import base64, sys
from chdb import session

with session.Session() as opened:
    for line in sys.stdin:
        rows = str(opened.query(base64.b64decode(line).decode(), "JSONCompactEachRow"))
        print("[" + ",".join(rows.strip().split("\\n")) + "]", flush=True)
`;

/** A program that answers line by line. */
async function openProgram(program: string, args: readonly string[]): Promise<Session> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  let received = "";
  let answer: ((rows: Rows) => void) | undefined;
  let fail: ((error: Error) => void) | undefined;
  child.once("close", () => fail?.(new Error(`${program} ended`)));
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    received += chunk;
    if (!received.endsWith("\n")) return;
    answer?.((JSON.parse(received) as unknown[][]).map(toTexts));
    received = "";
  });
  return {
    pid: child.pid!,
    run: (sql) =>
      new Promise((resolve, reject) => {
        answer = resolve;
        fail = reject;
        child.stdin.write(`${Buffer.from(sql).toString("base64")}\n`);
      }),
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

async function openMariadb(): Promise<Session> {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-mariadb-"));
  const user = process.getuid?.() === 0 ? ["--user=root"] : [];
  const place = [`--datadir=${folder}/data`, ...user];
  const install = ["--no-defaults", ...place, "--auth-root-authentication-method=normal", "--skip-test-db"];
  const installed = runProgram("mariadb-install-db", install);
  if (installed.status !== 0) throw new Error(installed.output);
  const socket = `--socket=${folder}/socket`;
  const server = spawn(
    "mariadbd",
    ["--no-defaults", ...place, socket, "--skip-networking", "--innodb-buffer-pool-size=16M"],
    {
      stdio: "ignore",
    },
  );
  const ended = once(server, "close");
  const run = (sql: string, encoding = "utf8mb4") =>
    runMariadb([socket, ...(user.length > 0 ? ["--user=root"] : []), `--default-character-set=${encoding}`], sql);
  let refusal = "";
  const isReady = () =>
    run("CREATE DATABASE IF NOT EXISTS test").then(
      () => true,
      (error: unknown) => {
        refusal = String(error);
        return false;
      },
    );
  await until(isReady, () => refusal, server);
  return {
    pid: server.pid!,
    run: (sql, encoding) => run(`USE test;\n${sql}`, encoding),
    async close() {
      server.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function runMariadb(connection: readonly string[], sql: string): Promise<Rows> {
  const args = ["--no-defaults", ...connection, "--batch", "--skip-column-names"];
  const child = spawn("mariadb", args, { stdio: ["pipe", "pipe", "pipe"] });
  // While the server starts, the client ends before it has read anything.
  child.stdin.on("error", () => {}).end(sql);
  const [output, problems] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (child.exitCode !== 0) throw new Error(problems);
  return output
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t").map((cell) => (cell === "NULL" ? null : cell.replace(/\\(.)/g, "$1"))));
}
