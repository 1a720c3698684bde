/**
 * Exported SQL in the engines themselves: `is_crawler` gives the library's verdict on thousands of strings, and the statements say
 * whose they are and evaluate each string once. Dialects of engines that do not run here: their expression in an engine of the same kind.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { factNames } from "../../src/detect/facts.ts";
import { entryOf } from "../../src/detect/matched-entry.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { sql, writeStatements } from "../../src/export/sql/sql.ts";
import { dialects } from "../../src/export/sql/sql-dialects.ts";
import { byScript } from "../engines/engine.ts";
import { matchInDuckdb } from "../engines/programs.ts";
import { needs } from "../support/needs.ts";
import { howMany } from "../support/some-strings.ts";
import { hostileCommand } from "./hostile.ts";
import { decision, type Engine, engines, type Rows, type Session } from "./sql-engines.ts";
import { exportStrings } from "./strings.ts";

/** No user agent as tables and logs have it, and strings of all kinds. */
const missing = [null, "", "-"] as const;
const strings = [...missing, ...exportStrings(howMany(600, 20_000))];
const expected = strings.map(detector.isCrawler);
/** For what takes longer: whose they are. */
const someStrings = [...missing, ...strings.slice(missing.length).filter((_, index) => index % 10 === 0)];
const request = {
  ...createExportRequest(detector, {}, { variable: "is_crawler", command: "all" }),
  command: hostileCommand,
};

const written = new Map<string, string>();
function write(dialect: string): string {
  if (!written.has(dialect)) written.set(dialect, sql.write(request, dialect));
  return written.get(dialect)!;
}

const requests = { table: "requests", column: "useragent" };

/** The statements of requests, in order: what the dialect begins with, two that fill new_strings, the check, the report. */
function toStatements(dialect: string, table = "requests"): string[] {
  return statementsOf(writeStatements(request, dialect, { ...requests, table }));
}

describe("exported SQL gives the library's verdict", () => {
  for (const engine of engines) {
    const { dialect, skip } = engine;
    it(`in ${dialect}`, { skip }, async () => {
      const session = await engine.open();
      try {
        const [[version]] = (await session.run(engine.version)) as [[string]];
        await fill(session, engine, "strings", strings);
        await fill(session, engine, "requests", [...someStrings, ...someStrings.slice(0, 30)]);
        await runAll(session, statementsOf(write(dialect)));
        await checkVerdicts(session, dialect, version);
        await checkStatements(session, engine);
        await checkEvaluations(session, engine);
        await checkMore[dialect]?.(session);
      } finally {
        await session.close();
      }
    });
  }
});

/** Makes a table with a column `useragent`. */
async function fill(session: Session, { table, dialect }: Engine, name: string, texts: readonly (string | null)[]) {
  const { literal } = dialects[dialect]!;
  await session.run(table(name));
  const row = (text: string | null): string => `(${text === null ? "NULL" : literal(text)})`;
  for (const part of inChunks(texts, 1_000)) await session.run(`INSERT INTO ${name} VALUES ${part.map(row).join(",")}`);
}

async function checkVerdicts(session: Session, dialect: string, version: string): Promise<void> {
  // Where functions are slow, the function is asked about some of the strings.
  const [condition = ""] = decision.exec(toStatements(dialect).join(";\n"))!.slice(2);
  const stringsWhere = async (table: string, isCrawler: string): Promise<Set<string | null>> => {
    const rows = await session.run(`SELECT useragent FROM ${table} WHERE ${isCrawler}`);
    return new Set(rows.map(([ua]) => ua!));
  };
  const crawlers = await stringsWhere("strings", condition);
  assert.deepEqual(
    await stringsWhere("requests", "is_crawler(useragent)"),
    new Set(someStrings.filter(detector.isCrawler)),
  );
  // A condition that is NULL for some row would lose the row on both sides.
  assert.deepEqual(
    await stringsWhere("requests", "NOT is_crawler(useragent)"),
    new Set(someStrings.filter((text) => !detector.isCrawler(text))),
  );
  const wrong = strings.filter((text, i) => crawlers.has(text) !== expected[i]);
  console.log(`${dialect} ${version}: ${strings.length} strings, ${wrong.length} disagreements`);
  assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} disagreements`);
}

/** The statements of requests that have some of the strings, 30 of them twice. NULL counts as the empty string. */
async function checkStatements(session: Session, engine: Engine): Promise<void> {
  const statements = toStatements(engine.dialect);
  await session.run("INSERT INTO checked_strings SELECT 'Checked before/1.0', 7");
  const derivedAt = 3 + factNames().indexOf("operatorDerived");
  // Engines write a boolean in four ways.
  const toText = (cell: string | null | undefined, at: number): string =>
    at === derivedAt ? (/^(?:true|t|1)$/.test(`${cell}`) ? "true" : "") : (cell ?? "");
  const found = (await runAll(session, statements)).map((row) => row.map(toText));
  const wanted = someStrings.flatMap((text, index) => {
    if (text === null) return [];
    const { crawler, ...verdict } = detector.check(text);
    // A rule has no name for the crawler; what the verdict then has is made of the string.
    const isNamed = request.items[request.itemOf(text)]?.name !== undefined;
    const name = isNamed ? entryOf(verdict)! : "";
    const facts = factNames().map((fact) => verdict[fact]?.toString() ?? "");
    return crawler ? [[text, text === "" ? "4" : index < 30 ? "2" : "1", name, ...facts]] : [];
  });
  assert(wanted.length > 30 && wanted.some((row) => row[derivedAt] === "true"));
  assert.deepEqual(found.toSorted(byText), wanted.toSorted(byText));

  // Each new string is checked once: a string that is in the table keeps its row, whatever the row says.
  await fill(session, engine, "more", ["Checked before/1.0", "NewcomerBot/1.0"]);
  await session.run("INSERT INTO requests SELECT useragent FROM more");
  await runAll(session, statements);
  const checked = await session.run("SELECT useragent, precedence FROM checked_strings");
  assert.equal(checked.length, new Set(checked.map(([text]) => text)).size);
  assert.equal(checked.length, new Set(someStrings.map((text) => text ?? "")).size + 2);
  const verdicts = new Map(checked as [string, string][]);
  assert.equal(verdicts.get("Checked before/1.0"), "7");
  assert(Number(verdicts.get("NewcomerBot/1.0")) >= 0);
}

/** Each string is evaluated once, however many rows have it, and not again in a second run. */
async function checkEvaluations(session: Session, { dialect, defineCounted, calls }: Engine): Promise<void> {
  await runAll(session, defineCounted);
  const statements = toStatements(dialect).map((statement) => statement.replace(decision, "$1counted(useragent)"));
  const evaluations = async (): Promise<number> => {
    const [[before]] = (await runAll(session, calls)) as [[string]];
    await runAll(session, statements);
    const [[after]] = (await runAll(session, calls)) as [[string]];
    return Number(after) - Number(before);
  };
  await session.run("TRUNCATE TABLE checked_strings");
  await session.run("INSERT INTO requests SELECT useragent FROM requests");
  const [[distinct]] = (await session.run("SELECT COUNT(DISTINCT COALESCE(useragent, '')) FROM requests")) as [
    [string],
  ];
  assert.deepEqual([await evaluations(), await evaluations()], [Number(distinct), 0]);
}

const planOf = async (session: Session, query: string): Promise<string> =>
  (await session.run(`EXPLAIN ${query}`)).map(([line]) => line).join("\n");

/** What one engine must do: plans without which statements are slow, and names as they are written. */
const checkMore: Readonly<Record<string, (session: Session) => Promise<void>>> = {
  async postgres(session) {
    const plan = await planOf(session, toStatements("postgres")[2]!);
    assert.match(
      plan,
      /Nested Loop[^\n]*\n +-> {2}Seq Scan on crawlers [^\n]*\n +-> {2}(?:Subquery Scan[^\n]*\n +-> {2})?CTE Scan on crawling/,
    );
  },
  /** Where no locale is set, as in cron, a client takes files for Latin-1. */
  async mysql(session) {
    const query = "SELECT DISTINCT operator FROM crawlers WHERE operator IS NOT NULL";
    await session.run(write("mysql"), "latin1");
    const found = await session.run(query);
    const operators = new Set(request.items.flatMap(({ operator }) => operator ?? []));
    assert.deepEqual(new Set(found.map(([operator]) => operator)), operators);
  },
  /** Of two machines, each groups its own rows. Only the first one is there, so that the statements run with its rows twice. */
  async clickhouse(session) {
    await session.run("CREATE TABLE sharded AS remote('127.0.0.{1,2}', currentDatabase(), requests)");
    const [, insert = "", , report = ""] = toStatements("clickhouse", "sharded");
    for (const query of [insert.slice(insert.indexOf("SELECT")), report]) {
      const plan = await planOf(session, query);
      assert.match(plan, /MergingAggregated\n(?:[^\n]*\n){1,4}[^\n]*Union\n[^\n]*Aggregating\n/);
      assert.match(plan, /ReadFromRemote/);
    }
    await session.run("CREATE TABLE twice AS remote('127.0.0.1,127.0.0.1', currentDatabase(), requests)");
    const counts = async (table: string): Promise<Map<string, number>> => {
      const rows = await runAll(session, ["TRUNCATE TABLE checked_strings", ...toStatements("clickhouse", table)]);
      return new Map(rows.map(([text, requests]) => [text!, Number(requests)]));
    };
    const once = await counts("requests");
    assert.deepEqual(await counts("twice"), new Map([...once].map(([text, requests]) => [text, 2 * requests])));
  },
};

async function runAll(session: Session, statements: readonly string[]): Promise<Rows> {
  let rows: Rows = [];
  for (const statement of statements) rows = await session.run(statement);
  return rows;
}

const byText = ([a = ""]: readonly string[], [b = ""]: readonly string[]): number => (a < b ? -1 : 1);

function statementsOf(text: string): string[] {
  return text
    .replace(/^--.*\n/gm, "")
    .split(/;\n/)
    .filter((statement) => statement.trim() !== "");
}

function inChunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** How the other dialects write literals: raw, with doubled quotes, with escapes. */
const readers: Readonly<Record<string, readonly [literal: RegExp, read: (text: string) => string]>> = {
  spark: [/r"([^"]*)"/g, (text) => text],
  bigquery: [/r"([^"]*)"/g, (text) => text],
  trino: [/'((?:[^']|'')*)'/g, (text) => text.replaceAll("''", "'")],
  snowflake: [/'((?:[^'\\]|\\.)*)'/g, (text) => text.replace(/\\(.)/g, "$1")],
};

/** The expressions in a dialect's function. */
function expressionsOf(dialect: string): string[] {
  const [literal, read] = readers[dialect]!;
  return [...statementsOf(write(dialect))[0]!.matchAll(literal)].map((match) => read(match[1]!));
}

describe("the expressions of dialects whose engines do not run here give the library's verdict", () => {
  /** Without NULL, for which the function's condition begins with a test of its own. */
  const texts = strings.filter((text) => text !== null);

  it("and NULL is a crawler's", () => {
    for (const dialect of Object.keys(readers))
      assert.match(statementsOf(write(dialect))[0]!, /[ (]ua IS NULL\n {2}OR /, dialect);
  });

  for (const [dialect, name] of Object.entries({ bigquery: "BigQuery's, RE2", snowflake: "one like Snowflake's, RE2" }))
    it(`in ${name}`, async () => {
      const answers = await Promise.all(expressionsOf(dialect).map((expression) => matchInDuckdb(expression, texts)));
      check(texts.map((_, index) => answers.some((matches) => matches[index])));
    });

  it("in Spark's, Java, and in one like Trino's", {
    skip: needs("java"),
  }, async () => {
    for (const dialect of ["spark", "trino"]) {
      const [expression = "", ...others] = expressionsOf(dialect);
      assert.deepEqual(others, []);
      check(await byScript(["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "{}"], "Match.java")(expression, texts));
    }
  });

  function check(answers: readonly boolean[]): void {
    assert.equal(answers.length, texts.length);
    const wrong = texts.filter((text, i) => answers[i] !== detector.isCrawler(text));
    assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} disagreements`);
  }
});
