/** SQL for engines that hold the data: a function `is_crawler(ua)`, a table `crawlers`, and statements that check each new string once. */

import { factMembers, type StatedFact, statedFacts } from "../../detect/facts.ts";
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
  what: "a function is_crawler(ua), a table of all crawlers and statements that check each new string once; --dialect sets the database",
  isList: true,
  forms: { option: "dialect", names: Object.keys(dialects) },
  write(request, form = "duckdb") {
    if (request.selection)
      throw new UserError(
        "the table has the category, purposes, operator, maker and name of each crawler: select them in your query",
      );
    return writeSql(request, dialects[form]!);
  },
};

/** The statements that read users' data are in a comment at the end, because users must insert their own names. */
function writeSql(request: ExportRequest, dialect: Dialect): string {
  const top = heading(
    request,
    [
      `For ${dialect.what}. Defines the function is_crawler(ua), the table crawlers, and the empty table checked_strings. If`,
      "several rows of crawlers match a string, the one with the lowest precedence number names the crawler. The prefilter",
      "saves most matching, because it is a text that must be in the lower-cased string. A row without a name is a rule: the",
      "library takes the name of such a crawler, and sometimes its operator, from the string; here both are NULL.",
    ],
    "--",
  );
  const definition = `${dialect.define(toCondition(request, dialect, "ua"))};\n`;
  return [top, definition, toTable(request.items, dialect), toChecked(dialect), toStatements(request, dialect)].join(
    "\n",
  );
}

/** The condition that a text is a crawler's. It is true for NULL, as in the library: no browser sends no user agent. */
function toCondition({ crawlers, expression }: ExportRequest, dialect: Dialect, text: string): string {
  const { literal, pattern = literal, matches, spell = (unchanged) => unchanged, parts = 1 } = dialect;
  const partLength = Math.ceil(crawlers.join("|").length / parts);
  const expressions = parts === 1 ? [expression] : inParts(crawlers, partLength);
  return [`${text} IS NULL`, ...expressions.map((part) => matches(text, pattern(spell(part))))].join("\n  OR ");
}

/** A text is NULL if it is not known; words are joined by commas, and no words are the empty text. */
function mayBeNull(fact: StatedFact): boolean {
  return factMembers[fact].type === "text";
}

function toTable(items: readonly Item[], dialect: Dialect): string {
  const { literal, pattern = literal, spell = (text) => text } = dialect;
  const { create = "CREATE TABLE", text = "VARCHAR", storage = () => "" } = dialect;
  const quoted = (value: string): string => literal(toPlain(value));
  const orNull = (value: string | undefined): string => (value === undefined ? "NULL" : quoted(value));
  const { nullable = text } = dialect;
  const types = [
    "precedence INTEGER",
    `name ${nullable}`,
    ...statedFacts().map((fact) => `${fact} ${mayBeNull(fact) ? nullable : text}`),
    ...["prefilter", "pattern"].map((column) => `${column} ${text}`),
  ];
  // An item may have several rows, which say the same of it.
  const parts = items.flatMap((item) => toFiltered(item.expression).map((filtered) => ({ ...item, ...filtered })));
  const rows = parts.map(({ prefilter, expression, ...item }, precedence) => {
    const facts = statedFacts().map((fact) => {
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
    `DROP TABLE IF EXISTS crawlers;\n${create} crawlers (${types.join(", ")})${storage("precedence")};`,
    ...inserts,
  ].join("\n");
}

/** The table of checked strings. An export begins with an empty one, because another catalogue may give other verdicts. */
function toChecked({ create = "CREATE TABLE", text = "VARCHAR", storage = () => "" }: Dialect): string {
  const columns = `useragent ${text}, precedence INTEGER`;
  return `DROP TABLE IF EXISTS checked_strings;\n${create} checked_strings (${columns})${storage("useragent")};\n`;
}

/**
 * GROUP BY in crawling makes PostgreSQL evaluate is_crawler for all strings before the join. Otherwise the patterns of the join displace the
 * expressions of is_crawler from its cache of 32 compiled expressions, and each string takes tens of milliseconds.
 *
 * The first statement checks strings that are not in checked_strings, and only crawlers' strings are matched with the table. NULL is the
 * empty string there, so that it can be joined.
 */
function toStatements(request: ExportRequest, dialect: Dialect): string {
  const { matches, contains, slowFunctions } = dialect;
  const isCrawler = slowFunctions ? toCondition(request, dialect, "ua") : "is_crawler(ua)";
  const statements = `
The statements, for a table requests with a column useragent. The first checks each string that is new. Its precedence is -1 if it
is not a crawler's. Repeat it after new requests.
  INSERT INTO checked_strings
  WITH fresh AS (
    SELECT ua FROM (
      SELECT COALESCE(useragent, '') AS ua, 0 AS checked FROM requests
      UNION ALL SELECT useragent, 1 FROM checked_strings
    ) AS given GROUP BY ua HAVING MAX(checked) = 0
  ), crawling AS (
    SELECT ua AS useragent FROM fresh WHERE ${isCrawler} GROUP BY ua
  ), attributed AS (
    SELECT useragent, MIN(precedence) AS precedence FROM crawling CROSS JOIN crawlers
    WHERE CASE WHEN ${contains("LOWER(useragent)", "prefilter")} THEN ${matches("useragent", "pattern")} ELSE FALSE END
    GROUP BY useragent
  )
  SELECT useragent, MAX(precedence) FROM (
    SELECT ua AS useragent, -1 AS precedence FROM fresh UNION ALL SELECT useragent, precedence FROM attributed
  ) AS verdicts GROUP BY useragent;

The second returns each crawler's string, how often it came, and whose it is.
  SELECT checked_strings.useragent, requests, name, ${statedFacts().join(", ")}
  FROM (
    SELECT ua, COUNT(*) AS requests FROM (SELECT COALESCE(useragent, '') AS ua FROM requests) AS given GROUP BY ua
  ) AS counted
  JOIN checked_strings ON checked_strings.useragent = counted.ua
  JOIN crawlers ON crawlers.precedence = checked_strings.precedence;
`;
  return statements
    .trim()
    .split("\n")
    .map((line) => `-- ${line}`.trimEnd())
    .join("\n")
    .concat("\n");
}
