/**
 * `npm run bench:warehouses`: the documented statements in DuckDB, ClickHouse, PostgreSQL, MariaDB and Spark, twice, on one core. The
 * second run has no new strings. Evaluations are strings in `new_strings`; CPU time is the engine's process. Names choose engines.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { detector } from "../src/detect/built-in/detector.ts";
import { createExportRequest } from "../src/export/request.ts";
import { sql, writeStatements } from "../src/export/sql/sql.ts";
import { dialects } from "../src/export/sql/sql-dialects.ts";
import { type Engine, engines } from "../test/export/sql-engines.ts";
import { createRandom } from "../test/support/random-strings.ts";
import { readCorpora } from "./accuracy/corpora.ts";

const rowCount = 500_000;
const stringCount = 640;
const python = "test/node_modules/.cache/python/bin/python";

/** One core, and the table `requests` of `rowCount` rows, made of a table of strings with their numbers. */
const setups: Readonly<Record<string, readonly string[]>> = {
  duckdb: [
    "SET threads = 1",
    `CREATE TABLE requests AS SELECT useragent FROM range(${rowCount}) AS rows(n) JOIN numbered ON number = n * 7919 % ${stringCount}`,
  ],
  clickhouse: [
    "SET max_threads = 1",
    "CREATE TABLE requests (useragent Nullable(String)) ENGINE = MergeTree ORDER BY tuple()",
    `INSERT INTO requests SELECT useragent FROM (SELECT number * 7919 % ${stringCount} AS n FROM numbers(${rowCount})) AS rows
     JOIN numbered ON numbered.number = rows.n`,
  ],
  postgres: [
    "SET max_parallel_workers_per_gather = 0",
    `CREATE TABLE requests AS SELECT useragent FROM generate_series(1, ${rowCount}) AS rows(n)
     JOIN numbered ON number = n::bigint * 7919 % ${stringCount}`,
  ],
  mysql: [
    "CREATE INDEX by_number ON numbered (number)",
    `CREATE TABLE requests AS SELECT useragent FROM seq_1_to_${rowCount} JOIN numbered ON number = seq * 7919 % ${stringCount}`,
  ],
};

/** Strings, no two alike, of which six in ten are crawlers': those of the catalogue and of visitors. */
function toStrings(): string[] {
  const random = createRandom(1);
  const visitors = readCorpora()
    .filter(({ source }) => /^(?:top-)?user-agents@/.test(source))
    .flatMap(({ strings }) => strings)
    .filter((text) => !detector.isCrawler(text) && !/["\\]/.test(text));
  const crawlers = detector.strings().filter((text) => detector.isCrawler(text) && !/["\\]/.test(text));
  const strings = new Set<string>();
  while (strings.size < stringCount) {
    const from = random(10) < 6 ? crawlers : visitors;
    strings.add(from[random(from.length)]!);
  }
  return [...strings];
}

const strings = toStrings();
const request = createExportRequest(detector, {}, { variable: "is_crawler", command: "whocrawls export sql" });
const chosen = process.argv.slice(2);
const isChosen = (name: string): boolean => chosen.length === 0 || chosen.includes(name);
console.log(
  `${rowCount.toLocaleString("en")} rows, ${stringCount} distinct strings, ${strings.filter(detector.isCrawler).length} of crawlers`,
);
for (const engine of engines) if (isChosen(engine.dialect) && !engine.skip) await measure(engine);
if (isChosen("spark") && existsSync(python)) measureSpark();

async function measure(engine: Engine): Promise<void> {
  const { dialect } = engine;
  const session = await engine.open();
  const run = async (text: string): Promise<void> => {
    for (const statement of text.replace(/^--.*\n/gm, "").split(/;\n/))
      if (statement.trim() !== "") await session.run(statement);
  };
  try {
    const [[version]] = (await session.run(engine.version)) as [[string]];
    console.log(`${dialect} ${version}`);
    await session.run(engine.table("numbered"));
    await session.run("ALTER TABLE numbered ADD COLUMN number INTEGER");
    const { literal } = dialects[dialect]!;
    await session.run(`INSERT INTO numbered VALUES ${strings.map((text, n) => `(${literal(text)}, ${n})`).join(",")}`);
    for (const statement of setups[dialect]!) await session.run(statement);
    await run(sql.write(request, dialect));
    const statements = writeStatements(request, dialect, { table: "requests", column: "useragent" });
    const seconds: number[] = [];
    for (const turn of ["first", "second"]) {
      const before = cpuSeconds(session.pid);
      await run(statements);
      seconds.push(cpuSeconds(session.pid) - before);
      const [[evaluations]] = (await session.run("SELECT COUNT(*) FROM new_strings")) as [[string]];
      print(turn, seconds.at(-1)!, `${evaluations} evaluations`);
    }
    console.log(`  second / first ${(seconds[1]! / seconds[0]!).toFixed(2)}`);
  } finally {
    await session.close();
  }
}

/** Two runs of the documented job, and the same rows with a short expression instead. */
function measureSpark(): void {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-warehouses-"));
  try {
    const log = Array.from({ length: rowCount }, (_, n) => {
      const text = strings[(n * 7919) % stringCount]!;
      return `192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 512 "-" "${text}"\n`;
    });
    writeFileSync(join(folder, "access.log"), log.join(""));
    writeFileSync(join(folder, "crawlers.sql"), sql.write(request, "spark"));
    const statements = writeStatements(request, "spark", { table: "requests", column: "useragent" });
    writeFileSync(join(folder, "statements.sql"), statements);
    const { stdout, stderr, status } = spawnSync(python, ["bench/warehouses.py", "deploy/spark", folder], {
      encoding: "utf8",
      env: { ...process.env, SPARK_LOCAL_IP: "127.0.0.1" },
    });
    if (status !== 0) throw new Error(stderr);
    const { version, ...runs } = JSON.parse(stdout) as { version: string } & Record<string, string>;
    console.log(`spark ${version}`);
    for (const [what, seconds] of Object.entries(runs)) print(what, Number(seconds), "");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function print(what: string, seconds: number, more: string): void {
  const rate = Math.round(rowCount / seconds).toLocaleString("en");
  console.log(
    `  ${what.padEnd(22)} ${seconds.toFixed(2).padStart(7)} CPU s  ${rate.padStart(12)} rows a second  ${more}`,
  );
}

/** User and system time of a process, from Linux's /proc, in hundredths. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
