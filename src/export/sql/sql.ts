/** SQL for engines that hold the data: a file with a function and tables, and statements that check each new string once. */

import { type CrawlerFacts, factNames } from "../../detect/facts.ts";
import { UserError } from "../../text/errors.ts";
import { toPlain } from "../../text/plain-text.ts";
import type { Item } from "../expressions.ts";
import { inParts } from "../parts.ts";
import { toFiltered } from "../prefilter.ts";
import { type ExportRequest, heading, type Target } from "../target.ts";
import { type Dialect, dialects } from "./sql-dialects.ts";

/** Rows of the lookup table that one statement inserts. */
const rowsEach = 500;

export const sql: Target = {
  what: "a function is_crawler(ua) and a table of all crawlers, or the statements that use them; --dialect sets the database",
  isList: true,
  forms: { option: "dialect", names: Object.keys(dialects) },
  write(request, form = "duckdb") {
    if (request.selection)
      throw new UserError(
        "the table has the category, purposes, operator, maker and name of each crawler: select them in your query",
      );
    return writeDefinitions(request, dialects[form]!);
  },
};

/** The table with the requests, its parts separated by dots, and its column of user agents; as the engine stores the names. */
export interface RequestsTable {
  readonly table: string;
  readonly column: string;
}

function writeDefinitions(request: ExportRequest, dialect: Dialect): string {
  const top = toTop(request, dialect, [
    `For ${dialect.what}. Defines the function is_crawler(ua), the table crawlers, and two empty tables for the`,
    "statements that --statements writes. If several rows of crawlers match a string, the one with the lowest precedence",
    "number names the crawler. The prefilter avoids most matching: it is a text that must occur in the lowercase",
    "string. A row without a name is a rule: the library takes the name of such a crawler from the string; here it is NULL.",
  ]);
  const definition = `${dialect.define(toCondition(request, dialect, "ua"))};\n`;
  return [top, definition, toTable(request.items, dialect), toStringTables(dialect)].join("\n");
}

function toTop(request: ExportRequest, { begin }: Dialect, about: readonly string[]): string {
  return heading(request, about, "--") + (begin === undefined ? "" : `\n${begin};\n`);
}

/** The condition that a string is a crawler's. It is true for NULL, as in the library, because every browser sends a user agent. */
function toCondition({ crawlers, expression }: ExportRequest, dialect: Dialect, text: string): string {
  const { literal, pattern = literal, matches, spell = (unchanged) => unchanged, parts = 1 } = dialect;
  const partLength = Math.ceil(crawlers.join("|").length / parts);
  const expressions = parts === 1 ? [expression] : inParts(crawlers, partLength);
  return [`${text} IS NULL`, ...expressions.map((part) => matches(text, pattern(spell(part))))].join("\n  OR ");
}

/** An unknown text is NULL; words are joined by commas, and a list without words is the empty string. */
function mayBeNull(fact: keyof CrawlerFacts): boolean {
  return fact !== "category" && fact !== "purposes";
}

/** Engines differ in how they read names with capitals. */
function toColumn(fact: keyof CrawlerFacts): string {
  return fact === "operatorDerived" ? "operator_derived" : fact;
}

function toTable(items: readonly Item[], dialect: Dialect): string {
  const { literal, pattern = literal, spell = (text) => text } = dialect;
  const { text = "VARCHAR", storage = () => "" } = dialect;
  const quoted = (value: string): string => literal(toPlain(value));
  const orNull = (value: string | undefined): string => (value === undefined ? "NULL" : quoted(value));
  const { nullable = text } = dialect;
  const types = [
    "precedence INTEGER",
    `name ${nullable}`,
    ...factNames().map((fact) => {
      const type = fact === "operatorDerived" ? "BOOLEAN" : mayBeNull(fact) ? nullable : text;
      return `${toColumn(fact)} ${type}`;
    }),
    ...["prefilter", "pattern"].map((column) => `${column} ${text}`),
  ];
  // An item may have several rows, with the same facts.
  const parts = items.flatMap((item) => toFiltered(item.expression).map((filtered) => ({ ...item, ...filtered })));
  const rows = parts.map(({ prefilter, expression, ...item }, precedence) => {
    const facts = factNames().map((fact) => {
      if (fact === "operatorDerived") return item.operatorDerived ? "TRUE" : "FALSE";
      const value = item[fact]?.toString();
      return mayBeNull(fact) ? orNull(value) : quoted(value ?? "");
    });
    const values = [orNull(item.name), ...facts, quoted(prefilter)];
    return `(${[precedence, ...values, pattern(spell(expression))].join(", ")})`;
  });
  const inserts: string[] = [];
  for (let from = 0; from < rows.length; from += rowsEach)
    inserts.push(`INSERT INTO crawlers VALUES\n${rows.slice(from, from + rowsEach).join(",\n")};\n`);
  return [
    `DROP TABLE IF EXISTS crawlers;\nCREATE TABLE crawlers (${types.join(", ")})${storage("precedence")};`,
    ...inserts,
  ].join("\n");
}

/** The tables of checked and of new strings. An export starts with empty tables, because another catalogue may give other verdicts. */
function toStringTables({ text = "VARCHAR", storage = () => "" }: Dialect): string {
  const tables = { checked_strings: `useragent ${text}, precedence INTEGER`, new_strings: `useragent ${text}` };
  return Object.entries(tables)
    .map(
      ([name, columns]) => `DROP TABLE IF EXISTS ${name};\nCREATE TABLE ${name} (${columns})${storage("useragent")};\n`,
    )
    .join("");
}

/**
 * Writes the statements that check each new string once and report crawlers. New strings are stored first: optimizers would move the
 * condition below GROUP BY, where it is evaluated for each row. A table that is distributed over machines is grouped directly, so that
 * each machine groups its own rows. The condition is inlined instead of calling is_crawler, because engines differ in where they look up
 * functions, and MariaDB compiles the expression for each call. NULL is the empty string, so that it can be joined.
 *
 * Throws UserError for an empty name.
 */
export function writeStatements(
  request: ExportRequest,
  form: string | undefined,
  { table, column }: RequestsTable,
): string {
  const dialect = dialects[form ?? "duckdb"]!;
  const { matches, contains, name, patternsInTurn } = dialect;
  const quoted = (text: string): string => {
    if (text === "") throw new UserError(`"${table}" and "${column}" must be names of a table and a column.`);
    return name(text);
  };
  const from = `${table.split(".").map(quoted).join(".")} AS logged`;
  const string = `COALESCE(logged.${quoted(column)}, '')`;
  const isNamed = `CASE WHEN ${contains("lowered", "prefilter")} THEN ${matches("useragent", "pattern")} ELSE FALSE END`;
  const named = patternsInTurn
    ? `crawlers CROSS JOIN LATERAL (SELECT useragent FROM crawling WHERE ${isNamed} OFFSET 0) AS named`
    : `crawling CROSS JOIN crawlers WHERE ${isNamed}`;
  const top = toTop(request, dialect, [
    "Needs the tables of whocrawls export sql. Checks each new string once, and returns each crawler's string, how often it",
    "occurred, and whose it is. The precedence in checked_strings is -1 if a string is not a crawler's.",
  ]);
  return `${top}
TRUNCATE TABLE new_strings;

INSERT INTO new_strings (useragent)
SELECT ua FROM (
  SELECT ${string} AS ua, 0 AS checked FROM ${from} GROUP BY ${string}
  UNION ALL SELECT useragent, 1 FROM checked_strings
) AS given GROUP BY ua HAVING MAX(checked) = 0;

INSERT INTO checked_strings (useragent, precedence)
WITH crawling AS ${patternsInTurn ? "MATERIALIZED " : ""}(
  SELECT useragent, LOWER(useragent) AS lowered FROM new_strings WHERE ${toCondition(request, dialect, "useragent")}
), attributed AS (
  SELECT useragent, MIN(precedence) AS precedence FROM ${named} GROUP BY useragent
)
SELECT useragent, MAX(precedence) FROM (
  SELECT useragent, -1 AS precedence FROM new_strings UNION ALL SELECT useragent, precedence FROM attributed
) AS verdicts GROUP BY useragent;

SELECT checked_strings.useragent, requests, name, ${factNames().map(toColumn).join(", ")}
FROM (SELECT ${string} AS ua, COUNT(*) AS requests FROM ${from} GROUP BY ${string}) AS counted
JOIN checked_strings ON checked_strings.useragent = counted.ua
JOIN crawlers ON crawlers.precedence = checked_strings.precedence;
`;
}
