/** SQL: a function `is_crawler(ua)`, a lookup table `crawlers`, and the query that joins them, for engines that hold the data. */

import { toPlain } from "../../text/plain-text.ts";
import type { Item } from "../export-items.ts";
import { inParts } from "../parts.ts";
import { toFiltered } from "../prefilter.ts";
import { ExportError, type ExportRequest, heading, type Target } from "../target.ts";
import { type Dialect, dialects } from "./sql-dialects.ts";

/** Rows of the lookup table that one statement inserts. */
const rowsEach = 500;

export const sql: Target = {
  what: "a function is_crawler(ua), a table of all crawlers and the query that joins them; --dialect sets the database",
  isList: true,
  forms: { option: "dialect", names: Object.keys(dialects) },
  write(request, form = "duckdb") {
    if (request.selection)
      throw new ExportError(
        "the table has the category, purposes, operator, maker and name of each crawler: select them in your query",
      );
    return writeSql(request, dialects[form]!);
  },
};

/** The query is in a comment at the end, because users must insert their own names. */
function writeSql(request: ExportRequest, dialect: Dialect): string {
  const top = heading(
    request,
    [
      `For ${dialect.what}. Defines the function is_crawler(ua), and the table crawlers. If several rows match a string,`,
      "the one with the lowest precedence number names the crawler. The prefilter saves most matching, because it",
      "is a text that must be in the lower-cased string. A row without a name is a rule for crawlers without an entry.",
    ],
    "--",
  );
  const definition = `${dialect.define(toCondition(request, dialect, "ua"))};\n`;
  return [top, definition, toTable(request.items, dialect), toQuery(request, dialect)].join("\n");
}

/** The condition that a text is a crawler's. It is true for NULL, as in the library: no browser sends no user agent. */
function toCondition({ crawlers, expression }: ExportRequest, dialect: Dialect, text: string): string {
  const { literal, pattern = literal, matches, spell = (unchanged) => unchanged, parts = 1 } = dialect;
  const partLength = Math.ceil(crawlers.join("|").length / parts);
  const expressions = parts === 1 ? [expression] : inParts(crawlers, partLength);
  return [`${text} IS NULL`, ...expressions.map((part) => matches(text, pattern(spell(part))))].join("\n  OR ");
}

function toTable(items: readonly Item[], dialect: Dialect): string {
  const { literal, pattern = literal, spell = (text) => text } = dialect;
  const { create = "CREATE TABLE", text = "VARCHAR", storage = "" } = dialect;
  const quoted = (value: string): string => literal(toPlain(value));
  const orNull = (value: string | undefined): string => (value === undefined ? "NULL" : quoted(value));
  const { nullable = text } = dialect;
  const types = [
    "precedence INTEGER",
    ...["name", "operator", "maker"].map((column) => `${column} ${nullable}`),
    ...["category", "purposes", "prefilter", "pattern"].map((column) => `${column} ${text}`),
  ];
  // An item may have several rows, which say the same of it.
  const parts = items.flatMap((item) => toFiltered(item.expression).map((filtered) => ({ ...item, ...filtered })));
  const rows = parts.map(({ name, operator, maker, category, purposes = [], prefilter, expression }, precedence) => {
    const values = [...[name, operator, maker].map(orNull), ...[category, purposes.join(","), prefilter].map(quoted)];
    return `(${[precedence, ...values, pattern(spell(expression))].join(", ")})`;
  });
  const inserts: string[] = [];
  for (let from = 0; from < rows.length; from += rowsEach)
    inserts.push(`INSERT INTO crawlers VALUES\n${rows.slice(from, from + rowsEach).join(",\n")};\n`);
  return [`DROP TABLE IF EXISTS crawlers;\n${create} crawlers (${types.join(", ")})${storage};`, ...inserts].join("\n");
}

/**
 * Every distinct string is checked once, and only crawlers' strings are joined with the table. NULL is the empty
 * string there, so that it can be joined.
 */
function toQuery(request: ExportRequest, dialect: Dialect): string {
  const { matches, contains, slowFunctions } = dialect;
  const isCrawler = slowFunctions ? toCondition(request, dialect, "ua") : "is_crawler(ua)";
  const query = `
The query, of a table requests with a column useragent: each crawler's string, how often it came, and whose it is.
  WITH crawling AS (
    SELECT ua AS useragent, COUNT(*) AS requests
    FROM (SELECT COALESCE(useragent, '') AS ua FROM requests) AS given
    GROUP BY ua HAVING ${isCrawler}
  ), attributed AS (
    SELECT useragent, MIN(precedence) AS precedence FROM crawling CROSS JOIN crawlers
    WHERE CASE WHEN ${contains("LOWER(useragent)", "prefilter")} THEN ${matches("useragent", "pattern")} ELSE FALSE END
    GROUP BY useragent
  )
  SELECT crawling.useragent, requests, name, operator, maker, category, purposes
  FROM crawling
  LEFT JOIN attributed ON attributed.useragent = crawling.useragent
  LEFT JOIN crawlers ON crawlers.precedence = attributed.precedence;
`;
  return query
    .trim()
    .split("\n")
    .map((line) => `-- ${line}`.trimEnd())
    .join("\n")
    .concat("\n");
}
