/**
 * `npm run bench:warehouses`: rows a second of exported SQL in DuckDB and ClickHouse, on one core. A table of requests, three in
 * ten by crawlers; first every row is asked about, then the exported statements, which ask once for each different string.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { detector } from "../src/detect/built-in/detector.ts";
import { createExportRequest } from "../src/export/request.ts";
import { sql } from "../src/export/sql/sql.ts";
import { dialects } from "../src/export/sql/sql-dialects.ts";
import { engines, type Session } from "../test/export/sql-engines.ts";
import { createRandom } from "../test/support/random-strings.ts";
import { readCorpora } from "./accuracy/corpora.ts";

const rowCount = 1_000_000;
const stringCount = 20_000;
const turns = 2;
const folder = mkdtempSync(join(tmpdir(), "whocrawls-warehouses-"));

/** What differs: one core, and a table of `rowCount` rows made of a table of strings by their numbers. */
const setups: Readonly<Record<string, readonly string[]>> = {
  duckdb: [
    "SET threads = 1",
    `CREATE TABLE numbered AS SELECT row_number() OVER () - 1 AS n, useragent FROM strings`,
    `COPY (SELECT useragent FROM (SELECT range * 7919 % ${stringCount} AS n FROM range(${rowCount})) JOIN numbered USING (n))
     TO '${folder}/requests.parquet' (FORMAT parquet)`,
    `CREATE VIEW requests AS SELECT useragent FROM read_parquet('${folder}/requests.parquet')`,
  ],
  clickhouse: [
    "SET max_threads = 1",
    "CREATE TABLE requests (useragent String) ENGINE = MergeTree ORDER BY tuple()",
    `INSERT INTO requests SELECT (SELECT groupArray(useragent) FROM strings)[number * 7919 % ${stringCount} + 1] FROM numbers(${rowCount})`,
  ],
};

/** Strings, no two alike, of which three in ten are crawlers': those of the catalogue and of visitors, some with another version. */
function toStrings(): string[] {
  const random = createRandom(1);
  const visitors = readCorpora()
    .filter(({ source }) => /^(?:top-)?user-agents@/.test(source))
    .flatMap(({ strings }) => strings)
    .filter((text) => !detector.isCrawler(text));
  const crawlers = detector.strings().filter(detector.isCrawler);
  const strings = new Set<string>();
  while (strings.size < stringCount) {
    const from = random(10) < 3 ? crawlers : visitors;
    strings.add(from[random(from.length)]!.replace(/(\d+)\.\d+(?!.*\d+\.\d)/, (_, major) => `${major}.${random(100)}`));
  }
  return [...strings];
}

const strings = toStrings();
const request = createExportRequest(detector, {}, { variable: "is_crawler", command: "whocrawls export sql" });

try {
  for (const engine of engines) {
    const setup = setups[engine.dialect];
    if (!setup || engine.skip) continue;
    const session = await engine.open();
    const [[version]] = (await session.run(engine.version)) as [[string]];
    const text = sql.write(request, engine.dialect);
    const [statements = "", comment = ""] = text.split("\n-- The statements");
    const { literal } = dialects[engine.dialect]!;
    await session.run(engine.table("strings"));
    for (let from = 0; from < strings.length; from += 1_000) {
      const values = strings.slice(from, from + 1_000).map((useragent) => `(${literal(useragent)})`);
      await session.run(`INSERT INTO strings VALUES ${values.join(",")}`);
    }
    for (const statement of [...setup, ...statements.replace(/^--.*\n/gm, "").split(/;\n/)])
      if (statement.trim() !== "") await session.run(statement);
    const [checkNew = "", query = ""] = [...comment.matchAll(/^-- {3}[\s\S]*?;$/gm)].map(([statement]) =>
      statement.replace(/^-- |;$/gm, ""),
    );
    console.log(
      `${engine.dialect} ${version}, one core, ${rowCount.toLocaleString("en")} rows, ${strings.length} different strings`,
    );
    const isTrue = `SUM(CASE WHEN is_crawler(useragent) THEN 1 ELSE 0 END)`;
    await report(session, "length of every row", "SELECT SUM(LENGTH(useragent)) FROM requests");
    await report(session, "is_crawler of every row", `SELECT ${isTrue} FROM requests`);
    await report(
      session,
      "is_crawler of every different string",
      `SELECT SUM(CASE WHEN is_crawler(useragent) THEN n ELSE 0 END) FROM (SELECT useragent, COUNT(*) AS n FROM requests GROUP BY useragent) AS counted`,
    );
    await report(session, "the check of every different string", checkNew, "TRUNCATE TABLE checked_strings");
    await report(session, "the report", query);
    await session.close();
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** The best of some turns: what else the machine does only ever adds. */
async function report(session: Session, what: string, query: string, before?: string): Promise<void> {
  const seconds: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    if (before !== undefined) await session.run(before);
    const started = performance.now();
    await session.run(query);
    seconds.push((performance.now() - started) / 1_000);
  }
  const best = Math.min(...seconds);
  console.log(
    `  ${what.padEnd(40)} ${best.toFixed(2).padStart(7)} s  ${Math.round(rowCount / best)
      .toLocaleString("en")
      .padStart(12)} rows a second`,
  );
}
