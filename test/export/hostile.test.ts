/** A user's text and the catalogue's names add no line to an export, and cannot leave the comment or the quotes that they stand in. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Item } from "../../src/export/expressions.ts";
import { type Choice, createExportRequest, toCommand } from "../../src/export/request.ts";
import { shorten } from "../../src/export/short-form.ts";
import { writeStatements } from "../../src/export/sql/sql.ts";
import { type ExportRequest, origin } from "../../src/export/target.ts";
import { targets } from "../../src/export/targets.ts";
import { createSnippets } from "../../src/pages/crawlers/crawler-snippets.ts";
import { finish } from "../../src/pattern/finish.ts";
import { UserError } from "../../src/text/errors.ts";
import { runWhocrawls, testedOn } from "../cli/command-line.ts";
import { hostileCommand, hostileNames, unprintable } from "./hostile.ts";

const except = hostileNames.map((name) => `name:${name}`);
const choice: Choice = { name: ["GPTBot"], except };
const named = createExportRequest(detector, choice, {
  variable: "is_x",
  command: toCommand(["TARGET", "--except", except.join(",")]),
});
const plain = createExportRequest(detector, { name: ["GPTBot"] }, { variable: "is_x", command: "whocrawls export" });
const everything = createExportRequest(detector, {}, { variable: "is_x", command: "whocrawls export" });

/** Whatever any of the programs takes for the end of a line. */
const linesOf = (text: string): string[] => text.split(/\r\n|[\n\v\f\r\x85\u2028\u2029]/);

/** A character as its code point. */
const toShown = (char: string): string => `\\u{${char.charCodeAt(0).toString(16).padStart(4, "0")}}`;

const isOrigin = (line: string): boolean => line.includes("Crawlers by their user agents. Written by: ");

/** Every target in every form, of chosen crawlers where it can be. */
const exports_ = Object.entries(targets).flatMap(([target, { write, forms }]) =>
  (forms?.names ?? [undefined]).map((form) => ({
    name: form === undefined ? target : `${target}, ${form}`,
    write: (request: ExportRequest) => {
      if (target !== "sql") return write(shorten(request), form);
      const { selection: _, ...all } = request;
      return write({ ...all, items: all.items.slice(0, 3), crawlers: all.crawlers.slice(0, 3) }, form);
    },
  })),
);

describe("a user's text in an export", () => {
  for (const { name, write } of exports_)
    it(`adds no line: ${name}`, () => {
      const wanted = linesOf(write(plain)).filter((line) => !isOrigin(line));
      const requests = [named, { ...plain, command: hostileCommand }, { ...plain, command: "y".repeat(50_000) }];
      for (const request of requests) {
        const lines = linesOf(write(request));
        assert.deepEqual(
          lines.filter((line) => !isOrigin(line)),
          wanted,
        );
        const origins = lines.filter(isOrigin);
        assert(origins.length <= 1);
        // HAProxy's lists, and nginx.
        if (!name.startsWith("cloudflare")) for (const line of origins) assert(Buffer.byteLength(line) < 4_096);
        // Caddy's environment and Traefik's templates; a comment that Apache would continue; what is no UTF-8.
        assert.doesNotMatch(origins.join("\n"), /\{[{$]|\\$/);
        assert(origins.every((line) => line.isWellFormed()));
      }
    });

  it("is named in full where it is short", () => {
    assert.match(
      origin(named),
      / 'name:x" "y,name:x'\\'' '\\''y,name:x\{,name:x;\} server \{,.*name:x \\' \(whocrawls \d/,
    );
  });

  it("is refused where it has an invisible character or a line break", () => {
    const make =
      (words: Choice, command = "whocrawls export") =>
      () =>
        createExportRequest(detector, words, { variable: "is_x", command });
    for (const char of unprintable) {
      const word = `x${char}y`;
      const code = toShown(char);
      const error = { name: "UserError", message: `"x${code}y" has an invisible character or a line break.` };
      assert.throws(make({}, word), error);
      for (const kind of ["category", "purpose", "operator", "name", "except"] as const)
        assert.throws(make({ name: ["GPTBot"], [kind]: ["GPTBot", word] }), error);
      // Not only where it would stay after blanks are cut off.
      assert.throws(make({ except: [`GPTBot${char}`] }), UserError);
    }
  });

  it("as a variable's name is refused unless every program takes it", () => {
    const make = (variable: string) => () =>
      createExportRequest(detector, {}, { variable, command: "whocrawls export" });
    for (const variable of ["", "x y", "x\n", "X", "1x", "_x", "x-y", "x".repeat(65), ...hostileNames])
      assert.throws(make(variable), /at most 64 lowercase letters, digits and _/);
    assert.equal(make("x".repeat(64))().variable.length, 64);
  });

  it("is refused on the command line, which then writes nothing", async () => {
    const words = "name:x\nserver { listen 81; }";
    for (const [, runtime] of testedOn()) {
      const outcome = await runWhocrawls(runtime, ["export", "nginx", "--name", "GPTBot", "--except", words]);
      assert.deepEqual([outcome.code, outcome.stdout], [2, ""]);
      assert.match(
        outcome.stderr,
        /"name:x\\u\{000a\}server \{ listen 81; \}" has an invisible character or a line break/,
      );
    }
  });
});

describe("the catalogue's own names in an export", () => {
  const [item] = everything.items.filter(({ name }) => name === "GPTBot") as [Item];
  /** Names, operators and tokens that the catalogue's loader would refuse, too. */
  const texts = [...hostileNames, `x${unprintable.join("y")}`];
  const hostile = texts.map((text): Item => ({ ...item, name: text, operator: text, robots: text }));
  const request = { ...everything, items: hostile };

  it("stay in their comments and groups in robots.txt", () => {
    const lines = linesOf(targets["robots.txt"]!.write(request));
    assert.equal(lines.filter((line) => line.startsWith("User-agent: ")).length, texts.length + 2);
    for (const line of lines) assert.match(line, /^(?:#.*|User-agent: .*|Disallow: \/|)$/);
  });

  it("stay in their literals in SQL", async () => {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(targets.sql!.write({ ...request, crawlers: request.crawlers.slice(0, 3) }, "duckdb"));
    const rows = (await connection.runAndReadAll("SELECT DISTINCT name, operator FROM crawlers")).getRows();
    connection.closeSync();
    instance.closeSync();
    const escaped = (text: string): string =>
      unprintable.reduce((text, char) => text.replaceAll(char, toShown(char)), text);
    assert.deepEqual(new Set(rows.flat()), new Set(texts.map(escaped)));
  });

  it("stay in their names in the statements", async () => {
    const few = { ...request, crawlers: request.crawlers.slice(0, 3) };
    const column = "a'\"`\\b;--c";
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(targets.sql!.write(few, "duckdb"));
    const quoted = `"${column.replaceAll('"', '""')}"`;
    await connection.run(`CREATE SCHEMA ${quoted}; CREATE TABLE ${quoted}.ua (${quoted} VARCHAR)`);
    await connection.run(`INSERT INTO ${quoted}.ua VALUES ('x'), (NULL)`);
    await connection.run(writeStatements(few, "duckdb", { table: `${column}.ua`, column }));
    const rows = (await connection.runAndReadAll("SELECT useragent FROM checked_strings ORDER BY 1")).getRows();
    connection.closeSync();
    instance.closeSync();
    assert.deepEqual(rows, [[""], ["x"]]);
    const names = {
      clickhouse: "`a'\"\\`\\\\b;--c`",
      bigquery: "`a'\"\\`\\\\b;--c`",
      spark: "`a'\"``\\b;--c`",
      mysql: "`a'\"``\\b;--c`",
      postgres: quoted,
      trino: quoted,
      snowflake: quoted,
    };
    for (const [dialect, name] of Object.entries(names))
      assert(writeStatements(few, dialect, { table: column, column }).includes(`FROM ${name} AS logged`), dialect);
    assert.throws(() => writeStatements(few, "spark", { table: "a..b", column }), /UserError: "a\.\.b"/);
  });

  it("stay in their literals in dialects where a backslash escapes", () => {
    const literal = /'((?:[^'\\]|\\.)*)'|r"[^"]*"/g;
    for (const dialect of ["bigquery", "spark", "snowflake", "mysql", "clickhouse"]) {
      const text = targets.sql!.write({ ...request, crawlers: request.crawlers.slice(0, 3) }, dialect);
      const rows = text.split("\n").filter((line) => /^\(\d/.test(line));
      for (const row of rows)
        assert.match(row.replace(literal, "?"), /^\(\d+(?:, (?:\?|NULL|TRUE|FALSE))+\)[,;]$/, dialect);
      assert(rows.some((row) => row.includes("'x \\\\', 'x \\\\', ")));
    }
  });

  it("add no line to the snippets of a crawler's page", () => {
    const codesOf = (of: readonly Item[]): string[] => {
      const snippetsFor = createSnippets(() => of, detector);
      return of.flatMap(({ name }) => finish(snippetsFor(name!))).map(({ code }) => code);
    };
    const sizes = (codes: readonly string[]): number[] => codes.map((code) => linesOf(code).length);
    const one = sizes(codesOf([item]));
    assert(one.length > 8);
    assert.deepEqual(
      sizes(codesOf(hostile)),
      hostile.flatMap(() => one),
    );
  });
});
