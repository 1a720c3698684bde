/** What is read by programs of one's own or by crawlers: the catalogue as JSON and CSV, robots.txt; and how crawlers are chosen. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { entryOf } from "../../src/detect/matched-entry.ts";
import { itemsInPrecedence } from "../../src/export/expressions.ts";
import { type Choice, createExportRequest } from "../../src/export/request.ts";
import { shorten } from "../../src/export/short-form.ts";
import { catalogue, columns } from "../../src/export/targets/catalogue.ts";
import { targets } from "../../src/export/targets.ts";

const request = (choice: Choice = {}, forRobots = false) =>
  createExportRequest(detector, choice, { variable: "is_crawler", command: "export", forRobots });
const named = itemsInPrecedence(detector.catalogue).filter(({ name }) => name !== undefined);

interface Row {
  readonly name: string;
  readonly operator?: string;
  readonly maker?: string;
  readonly category: string;
  readonly purposes: readonly string[];
  readonly pattern: string;
}

const rowsOf = (choice: Choice): Row[] => JSON.parse(catalogue.write(request(choice), "json"));
const namesOf = (choice: Choice): string[] => rowsOf(choice).map(({ name }) => name);

describe("the catalogue", () => {
  it("as JSON has every named crawler, and patterns that say whose a string is", () => {
    const rows = rowsOf({});
    assert.equal(rows.length, named.length);
    for (const { name, category, purposes, pattern } of rows)
      assert(name && category && pattern && Array.isArray(purposes), name);
    const patterns = rows.map(({ pattern }) => new RegExp(pattern));
    for (const text of detector.strings().filter((_, index) => index % 10 === 0)) {
      const verdict = detector.check(text);
      const { category, operator, maker } = verdict;
      const name = entryOf(verdict);
      const row = rows[patterns.findIndex((pattern) => pattern.test(text))];
      if (row)
        assert.deepEqual([row.name, row.category, row.operator, row.maker], [name, category, operator, maker], text);
    }
  });

  it("as CSV has the same", () => {
    const csv = catalogue.write(request(), "csv");
    const cells = [...csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!,
    );
    const rows = rowsOf({}) as unknown as Readonly<Record<string, string | string[] | undefined>>[];
    assert.deepEqual(cells.slice(0, columns.length), columns);
    assert.deepEqual(
      cells.slice(columns.length),
      rows.flatMap((row) => columns.map((column) => [row[column] ?? ""].flat().join(";"))),
    );
  });
});

describe("crawlers are chosen", () => {
  it("by what all options say together, and one of the words of each", () => {
    const rows = rowsOf({ category: ["ai,seo"], purpose: ["training"], except: ["GPTBot"] });
    assert(rows.length > 5);
    for (const { category, purposes, name } of rows)
      assert(/^(?:ai|seo)$/.test(category) && purposes.includes("training") && name !== "GPTBot");
    const training = named.filter(({ category, purposes }) => category === "ai" && purposes?.includes("training"));
    assert.deepEqual(
      namesOf({ category: ["ai"], purpose: ["training"] }),
      training.map(({ name }) => name),
    );
  });

  it("whatever the case, by name, operator and exception", () => {
    assert.deepEqual(namesOf({ name: ["gptbot", "CCBOT"] }).sort(), ["CCBot", "GPTBot"]);
    assert(namesOf({ operator: ["openai"] }).includes("GPTBot"));
    const others = namesOf({ operator: ["OpenAI"], except: ["ai:training"] });
    assert(!others.includes("GPTBot") && others.length > 0);
  });

  it("by no word where a list has none", () => {
    assert.equal(request({ category: [], name: [] }).selection, undefined);
    assert.equal(request({ except: [] }).selection, undefined);
    assert.notEqual(request({ except: ["GPTBot"] }).selection, undefined);
  });
});

describe("the short form", () => {
  it("names the chosen crawlers and few others, and is right for every known string", () => {
    const long = request({ category: ["ai"], except: ["ai:search"] });
    const short = shorten(long);
    assert(short.items.length < 250);
    const compiled = short.items.map((item) => ({
      item,
      expression: new RegExp(item.expression, item.ignoresCase && "i"),
    }));
    const wrong = detector.strings().filter((text) => {
      const first = compiled.find(({ expression }) => expression.test(text))?.item;
      const verdict = detector.check(text);
      return (first !== undefined && long.selection!(first)) !== (verdict.crawler && long.selection!(verdict));
    });
    assert.deepEqual(wrong, []);
  });
});

describe("robots.txt", () => {
  const groupOf = (choice: Choice): string[] =>
    [...targets["robots.txt"]!.write(request(choice, true)).matchAll(/^User-agent: (.*)$/gm)].map((match) => match[1]!);

  it("is one group of documented tokens, which ends with what is disallowed", () => {
    const text = targets["robots.txt"]!.write(request({ category: ["ai"], purpose: ["training"] }));
    assert.match(text, /^(?:#.*\n)+\n(?:(?:#.*|User-agent: [\w.-]+)\n)+Disallow: \/\n$/);
    for (const token of ["GPTBot", "CCBot", "Google-Extended"]) assert(text.includes(`User-agent: ${token}\n`), token);
  });

  it("keeps to what is chosen", () => {
    assert(!groupOf({ category: ["seo"] }).includes("Google-Extended"));
    assert(!groupOf({ category: ["ai"], except: ["Google-Extended"] }).includes("Google-Extended"));
    const all = groupOf({});
    assert(all.includes("Googlebot") && all.length > 500);
    assert.equal(new Set(all.map((token) => token.toLowerCase())).size, all.length);
  });
});
