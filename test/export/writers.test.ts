/** What a writer does with one expression or one kind of crawler that the whole catalogue does not show. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { readPeople } from "../../build/read-people.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { itemsInPrecedence } from "../../src/export/expressions.ts";
import { type Choice, createExportRequest, toCommand } from "../../src/export/request.ts";
import { isShortByDefault, shorten } from "../../src/export/short-form.ts";
import { writeStatements } from "../../src/export/sql/sql.ts";
import type { ExportRequest } from "../../src/export/target.ts";
import { targets } from "../../src/export/targets.ts";
import { rowsOf } from "../support/table.ts";

const everything = createExportRequest(detector, {}, { variable: "is_crawler", command: "whocrawls export" });
const named = itemsInPrecedence(detector.catalogue).filter(({ name }) => name !== undefined);

const people = readPeople();

/** Enough of the catalogue for the SQL of all dialects in little time, and for robots.txt. */
const few: ExportRequest = {
  ...everything,
  crawlers: everything.crawlers.slice(0, 40),
  items: everything.items.filter(({ name }) => name === "GPTBot" || name === undefined).slice(0, 3),
};

/** A request whose crawlers are those that one of the expressions matches. */
const requestOf = (crawlers: readonly string[]): ExportRequest => ({
  ...everything,
  crawlers,
  expression: crawlers.join("|"),
});

describe("robots.txt", () => {
  for (const category of ["automation", "library", "security"])
    it(`has only documented tokens of the category ${category}`, () => {
      const documented = named.filter((item) => item.category === category).flatMap(({ robots = [] }) => robots);
      const selection = (item: { readonly category?: string; readonly name?: string }): boolean =>
        item.category === category || item.name === "Googlebot";
      const text = targets["robots.txt"]!.write({ ...everything, selection });
      const tokens = [...text.matchAll(/^User-agent: (.*)$/gm)].map((match) => match[1]!);
      assert.deepEqual(tokens.toSorted(), [...new Set([...documented, "Googlebot"])].toSorted());
    });

  it("groups tokens by operator, in the order of the alphabet, and unknown ones last", () => {
    const lines = targets["robots.txt"]!.write(everything).split("\n\n")[1]!.split("\n");
    const operators = lines.filter((line) => line.startsWith("# "));
    assert.equal(operators.pop(), "# Operator unknown");
    assert(operators.length > 100);
    assert.deepEqual(operators, operators.toSorted());
    assert.equal(new Set(operators).size, operators.length);
    const google = lines.slice(lines.indexOf("# Google") + 1);
    const tokens = google.slice(
      0,
      google.findIndex((line) => line.startsWith("#")),
    );
    assert(tokens.includes("User-agent: Googlebot") && tokens.includes("User-agent: Google-Extended"));
    assert.deepEqual(tokens, tokens.toSorted());
  });
});

describe("HAProxy", () => {
  it("gets no pattern that its files would cut at a blank or take for a comment", () => {
    const expression = "# Bot | #x";
    const patterns = targets
      .haproxy!.write(requestOf([expression]))
      .split("\n")
      .filter((line) => !line.startsWith("# ") && line !== "");
    assert.equal(patterns.length, 1);
    assert.doesNotMatch(patterns[0]!, /[ #]/);
    for (const text of ["# Bot ", " #x"]) assert(new RegExp(patterns[0]!).test(text));
    for (const text of ["Bot", "#x"]) assert(!new RegExp(patterns[0]!).test(text));
  });
});

describe("Cloudflare", () => {
  /** As short as alternatives can be, so that rules are as long as their limit lets them be. */
  const letters = [..."abcdefghijklmn"];
  const short = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));

  const lengthsOf = (request: ExportRequest): number[] => {
    const { rules } = JSON.parse(targets.cloudflare!.write(request)) as { readonly rules: { expression: string }[] };
    const test = String.raw`http\.user_agent matches r"[^"]*"`;
    const path = String.raw`http\.request\.uri\.path ne "/robots\.txt"`;
    for (const { expression } of rules)
      assert.match(expression, new RegExp(`^${test}(?: and not ${test})* and ${path}$`));
    return rules.map(({ expression }) => expression.length);
  };

  it("gets rules of 4,000 characters at most, and of not much less", () => {
    const lengths = lengthsOf(requestOf(short));
    assert(lengths.length > 1);
    assert(Math.max(...lengths) <= 4_000);
    assert(lengths.slice(0, -1).every((length) => length > 4_000 - 4));
  });

  it("also where each rule has others to except", () => {
    const [item] = named;
    const excepted = short.slice(0, 900).map((expression) => ({ ...item!, name: "other", expression }));
    const chosen = short.map((expression) => ({ ...item!, name: "chosen", expression }));
    // Every string of an excepted crawler has a chosen one's mark, too: so the short form names them all.
    const lengths = lengthsOf({
      ...requestOf(short),
      items: [...excepted, ...chosen],
      selection: ({ name }) => name === "chosen",
      known: excepted.map(({ expression }) => expression),
      itemOf: (text) => excepted.findIndex(({ expression }) => expression === text),
    });
    assert(lengths.length > 2);
    assert(Math.max(...lengths) <= 4_000);
    assert(lengths.slice(0, -1).every((length) => length > 4_000 - 4));
  });
});

describe("an expression with characters that end quotes", () => {
  const text = `x"y\`z#`;
  /** Where the expression stands, what would end it there, and how it is read. */
  const quotes: Readonly<Record<string, readonly [place: RegExp, end: string, read?: (quoted: string) => string]>> = {
    nginx: [/^ {2}"~(.*)" 1;$/m, "", (quoted) => quoted.replace(/\\(.)/g, "$1")],
    apache: [/^SetEnvIf User-Agent "(.*)" is_crawler=1$/m, '"', (quoted) => quoted.replaceAll("\\\\", "\\")],
    caddy: [/^\t`~(.*)` 1$/m, "`"],
    varnish: [/req\.http\.User-Agent ~ "(.*)"\) \{$/m, '"'],
    lighttpd: [/^\$HTTP\["user-agent"\] =~ "(.*)" \{$/m, '"'],
    traefik: [/`User-Agent`, `(.*)`\)\)\)"$/m, "`", (quoted) => JSON.parse(`"${quoted}"`)],
    cloudflare: [/matches r\\"(.*)\\" and http/m, '"', (quoted) => JSON.parse(`"${quoted}"`)],
  };
  for (const [name, [place, end, read = (quoted: string) => quoted]] of Object.entries(quotes))
    it(`stays in them for ${name}`, () => {
      const [, quoted = ""] = place.exec(targets[name]!.write(requestOf([`^${text}$`])))!;
      const expression = read(quoted);
      if (end !== "") assert(!expression.includes(end), expression);
      assert(new RegExp(expression).test(text) && !new RegExp(expression).test(`${text}.`), expression);
    });
});

it("what is a list has no short form", () => {
  const lists = Object.entries(targets).flatMap(([name, { isList }]) => (isList ? [name] : []));
  assert.deepEqual(lists, ["robots.txt", "sql", "catalogue"]);
});

describe("what every file says of itself", () => {
  // In the list of the command's help.
  for (const [name, { what }] of Object.entries(targets))
    it(`${name}: what it is`, () => assert.match(what, /^[\w,]+(?: \S+){3,}$/));

  for (const dialect of targets.sql!.forms!.names)
    it(`${dialect}: the catalogue's version, the command, and what it defines`, () => {
      const text = targets.sql!.write(few, dialect);
      assert.ok(text.includes(`Written by: whocrawls export (whocrawls ${everything.version})`));
      assert.match(text, /^-- For \w.*\. Defines the function is_crawler\(ua\), the table/m);
    });
});

describe("the command in the comment", () => {
  it("is as a shell takes it", () => {
    const args = ["nginx", "--name", "GPTBot,CCBot", "--except", "name:It's Bot", "--operator", "a b", "-x=1", ""];
    const { stdout } = spawnSync("sh", ["-c", `printf '%s\\n' ${toCommand(args)}`], { encoding: "utf8" });
    assert.deepEqual(stdout.split("\n"), ["whocrawls", "export", ...args, ""]);
    assert.equal(toCommand(["nginx", "--name", "GPTBot"]), "whocrawls export nginx --name GPTBot");
  });
});

describe("SQL", () => {
  it("is of all crawlers, so a choice is refused", () => {
    const selection = (): boolean => true;
    assert.throws(() => targets.sql!.write({ ...few, selection }), /UserError: the table has the category/);
  });

  it("cuts the expression into as many parts as its engine is fastest with", () => {
    const wanted = { duckdb: 8, clickhouse: 8, postgres: 16, bigquery: 8, spark: 1, trino: 1, snowflake: 8, mysql: 1 };
    for (const [dialect, parts] of Object.entries(wanted)) {
      const [definition = ""] = targets.sql!.write({ ...everything, items: [] }, dialect).split("DROP TABLE");
      const written = definition.split("\n  OR ").length - 1;
      assert(written >= parts && written <= 1.5 * parts, `${dialect}: ${written}`);
    }
  });
});

describe("SQL for engines that do not run here", () => {
  // The dialect, the first words of the function, a test by a regular expression, text's type, the test of a literal in small letters.
  for (const [dialect = "", ...parts] of rowsOf(`
    bigquery  | CREATE TEMP FUNCTION is_crawler(ua STRING) RETURNS BOOL AS (ua IS NULL               | REGEXP_CONTAINS(ua, r"    | STRING, operator STRING   | CASE WHEN STRPOS(lowered, prefilter) > 0 THEN REGEXP_CONTAINS(useragent, pattern) ELSE FALSE END
    spark     | CREATE OR REPLACE FUNCTION is_crawler(ua STRING) RETURNS BOOLEAN RETURN ua IS NULL   | ua RLIKE r"               | STRING, operator STRING   | CASE WHEN contains(lowered, prefilter) THEN useragent RLIKE pattern ELSE FALSE END
    trino     | CREATE OR REPLACE FUNCTION is_crawler(ua varchar) RETURNS boolean RETURN ua IS NULL  | regexp_like(ua, '         | VARCHAR, operator VARCHAR | CASE WHEN strpos(lowered, prefilter) > 0 THEN regexp_like(useragent, pattern) ELSE FALSE END
    snowflake | CREATE OR REPLACE FUNCTION is_crawler(ua VARCHAR) RETURNS BOOLEAN AS $$ ua IS NULL   | REGEXP_INSTR(ua, '        | VARCHAR, operator VARCHAR | CASE WHEN CONTAINS(lowered, prefilter) THEN REGEXP_INSTR(useragent, pattern) > 0 ELSE FALSE END
  `))
    it(`has the functions of ${dialect}`, () => {
      const text = targets.sql!.write(few, dialect) + writeStatements(few, dialect, { table: "a.b", column: "c" });
      const [begin, test, types, condition] = parts;
      for (const part of [
        `${begin}\n  OR ${test}`,
        `\nCREATE TABLE crawlers (precedence INTEGER, name ${types}`,
        condition!,
      ])
        assert.ok(text.includes(part), part);
    });
});

describe("the short form", () => {
  it("chooses crawlers that have a name, and no rule", () => {
    const selection = ({ category }: { readonly category?: string }): boolean => category === "other";
    const rules = everything.items.filter((item) => item.name === undefined && selection(item));
    assert(rules.length > 0);
    const { items } = shorten({ ...everything, selection });
    assert.deepEqual(
      items.filter(selection).map(({ name }) => name),
      named.filter(selection).map(({ name }) => name),
    );
    assert(items.every(({ name }) => name !== undefined));
  });

  it("ignores case unless the name in another case is in another crawler's string", () => {
    const selection = ({ category = "" }: { readonly category?: string }): boolean =>
      ["ai", "preview", "research"].includes(category);
    const { items } = shorten({ ...everything, selection });
    const sensitive = items.flatMap(({ name, ignoresCase }) => (ignoresCase ? [] : [name]));
    assert.deepEqual(sensitive.sort(), ["BUbiNG", "Discordbot", "matrix-media-repo"]);
    for (const { name, expression } of items.filter(({ ignoresCase }) => ignoresCase)) {
      const [lower, exact] = [
        new RegExp(expression, "i"),
        new RegExp(named.find((item) => item.name === name)!.expression),
      ];
      assert.deepEqual(
        people.filter((text) => lower.test(text)),
        people.filter((text) => exact.test(text)),
      );
    }
  });

  it("is the default for selections by name, operator, purpose and the category ai, but not for others", () => {
    const isShort = (choice: Choice): boolean =>
      isShortByDefault(createExportRequest(detector, choice, { variable: "is_x", command: "x" }), choice);
    for (const choice of [
      { category: ["ai"] },
      { category: ["AI"], except: ["missing,GPTBot"] },
      { name: ["GPTBot", "got"] },
      { operator: ["OpenAI"], purpose: ["training"] },
    ])
      assert(isShort(choice), JSON.stringify(choice));
    for (const choice of [
      {},
      { except: ["GPTBot"] },
      { category: ["ai,seo"] },
      { category: ["ai", "seo"] },
      ...["security", "library", "automation", "other", "seo"].map((category) => ({ category: [category] })),
    ])
      assert(!isShort(choice), JSON.stringify(choice));
  });

  it("is refused where only rules are chosen", () => {
    const selection = ({ name }: { readonly name?: string }): boolean => name === undefined;
    assert.throws(() => shorten({ ...everything, selection }), /rules without names cannot be selected alone/);
  });
});
