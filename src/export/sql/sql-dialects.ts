/** What differs between SQL dialects: literals, functions, and how to test whether an expression matches anywhere. */

import { flavors } from "../../pattern/flavors.ts";
import { parsePattern } from "../../pattern/parse.ts";
import { print } from "../../pattern/print.ts";

export interface Dialect {
  /** The engine and what its functions need, in one line. */
  readonly what: string;
  /** A literal of a text. */
  readonly literal: (text: string) => string;
  /** A name of a table or a column, quoted. */
  readonly name: (text: string) => string;
  /** A literal of an expression; default as of a text. */
  readonly pattern?: (expression: string) => string;
  /** The expression in the engine's flavor; default: unchanged. */
  readonly spell?: (expression: string) => string;
  /** The statement that files begin with; default none. */
  readonly begin?: string;
  /** The statement that defines the function `is_crawler(ua)`; `condition` is an expression about `ua`. */
  readonly define: (condition: string) => string;
  /** A condition: the expression matches somewhere in the text. */
  readonly matches: (text: string, expression: string) => string;
  /**
   * True where the engine keeps few compiled expressions. Then the statement tries each pattern on all strings before the next one, and
   * only after all strings have been decided.
   */
  readonly patternsInTurn?: true;
  /** A condition: the text contains the other one. */
  readonly contains: (text: string, part: string) => string;
  /** About how many parts the expression is split into, if several are faster; default 1. */
  readonly parts?: number;
  /** The type of a column of text; default `VARCHAR`. */
  readonly text?: string;
  /** The type of a column of text that may be NULL; default the same. */
  readonly nullable?: string;
  /** What ends the statement that makes a table with this column. */
  readonly storage?: (column: string) => string;
}

const doubled = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const doubledName = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const tickedName = (text: string): string => `\`${text.replaceAll("`", "``")}\``;
const escapedName = (text: string): string => `\`${text.replace(/[\\`]/g, "\\$&")}\``;
const escaped = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
/** A raw string, in which a backslash is one; a quote is spelled as regular expressions do. For expressions only. */
const raw = (text: string): string => `r"${text.replaceAll('"', "\\x22")}"`;

/**
 * RE2 keeps the states of its automaton within a memory budget. The states of the whole expression do not fit, so it keeps starting
 * over: in parts it is ten to thirty times faster, measured in DuckDB and ClickHouse.
 */
const re2Parts = 8;

export const dialects: Readonly<Record<string, Dialect>> = {
  duckdb: {
    what: "DuckDB",
    parts: re2Parts,
    literal: doubled,
    name: doubledName,
    define: (condition) => `CREATE OR REPLACE MACRO is_crawler(ua) AS ${condition}`,
    matches: (text, expression) => `regexp_matches(${text}, ${expression})`,
    contains: (text, part) => `contains(${text}, ${part})`,
  },
  clickhouse: {
    what: "ClickHouse",
    parts: re2Parts,
    literal: escaped,
    name: escapedName,
    define: (condition) => `CREATE OR REPLACE FUNCTION is_crawler AS (ua) -> ${condition}`,
    matches: (text, expression) => `match(${text}, ${expression})`,
    contains: (text, part) => `position(${text}, ${part}) > 0`,
    text: "String",
    nullable: "Nullable(String)",
    storage: (column) => ` ENGINE = MergeTree ORDER BY ${column}`,
  },
  postgres: {
    what: "PostgreSQL",
    literal: doubled,
    name: doubledName,
    define: (condition) =>
      `CREATE OR REPLACE FUNCTION is_crawler(ua text) RETURNS boolean\nLANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN ${condition}`,
    matches: (text, expression) => `${text} ~ ${expression}`,
    contains: (text, part) => `strpos(${text}, ${part}) > 0`,
    text: "text",
    // It keeps 32 compiled expressions; with more parts than that it would compile all the time.
    parts: 16,
    patternsInTurn: true,
  },
  bigquery: {
    what: "BigQuery; the tables are in the default data set",
    parts: re2Parts,
    literal: escaped,
    name: escapedName,
    pattern: raw,
    // A function that lasts needs the name of a data set.
    define: (condition) => `CREATE TEMP FUNCTION is_crawler(ua STRING) RETURNS BOOL AS (${condition})`,
    matches: (text, expression) => `REGEXP_CONTAINS(${text}, ${expression})`,
    contains: (text, part) => `STRPOS(${text}, ${part}) > 0`,
    text: "STRING",
  },
  spark: {
    what: "Spark 4 and Databricks",
    literal: escaped,
    name: tickedName,
    pattern: raw,
    define: (condition) => `CREATE OR REPLACE FUNCTION is_crawler(ua STRING) RETURNS BOOLEAN RETURN ${condition}`,
    matches: (text, expression) => `${text} RLIKE ${expression}`,
    contains: (text, part) => `contains(${text}, ${part})`,
    text: "STRING",
  },
  trino: {
    what: "Trino; functions need a catalog that stores them",
    literal: doubled,
    name: doubledName,
    define: (condition) => `CREATE OR REPLACE FUNCTION is_crawler(ua varchar) RETURNS boolean RETURN ${condition}`,
    matches: (text, expression) => `regexp_like(${text}, ${expression})`,
    contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  },
  snowflake: {
    what: "Snowflake",
    parts: re2Parts,
    literal: escaped,
    name: doubledName,
    // All its groups capture, and its other functions match whole texts.
    spell: (expression) => print(parsePattern(expression, { printed: true }), flavors.posix),
    define: (condition) => `CREATE OR REPLACE FUNCTION is_crawler(ua VARCHAR) RETURNS BOOLEAN AS $$ ${condition} $$`,
    matches: (text, expression) => `REGEXP_INSTR(${text}, ${expression}) > 0`,
    contains: (text, part) => `CONTAINS(${text}, ${part})`,
  },
  mysql: {
    what: "MySQL 8 and MariaDB",
    // Without a locale, as in cron, the client would read the file as Latin-1.
    begin: "SET NAMES utf8mb4",
    literal: escaped,
    name: tickedName,
    define: (condition) =>
      "DROP FUNCTION IF EXISTS is_crawler;\n" +
      `CREATE FUNCTION is_crawler(ua TEXT CHARACTER SET utf8mb4) RETURNS BOOLEAN DETERMINISTIC NO SQL RETURN ${condition}`,
    // The collation decides whether case matters.
    matches: (text, expression) => `CONVERT(${text} USING utf8mb4) COLLATE utf8mb4_bin REGEXP ${expression}`,
    contains: (text, part) => `LOCATE(${part}, ${text}) > 0`,
    text: "TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
  },
};
