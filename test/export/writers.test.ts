/** What a writer does with one expression or one kind of crawler that the whole catalogue does not show. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itemsInPrecedence } from "../../src/export/items.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { shorten } from "../../src/export/shorten.ts";
import type { ExportRequest } from "../../src/export/target.ts";
import { targets } from "../../src/export/targets.ts";

const everything = createExportRequest({}, { variable: "is_crawler", command: "whocrawls export" });
const named = itemsInPrecedence().filter(({ name }) => name !== undefined);

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
    return rules.map(({ expression }) => expression.length);
  };

  it("gets rules of 4,096 characters at most, and of not much less", () => {
    const lengths = lengthsOf(requestOf(short));
    assert(lengths.length > 1);
    assert(Math.max(...lengths) <= 4_096);
    assert(lengths.slice(0, -1).every((length) => length > 4_096 - 4));
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
    assert(Math.max(...lengths) <= 4_096);
    assert(lengths.slice(0, -1).every((length) => length > 4_096 - 4));
  });
});

describe("the short form", () => {
  it("chooses crawlers that have a name, and no rule", () => {
    const selection = ({ category }: { readonly category?: string }): boolean => category === "other";
    const rules = everything.items.filter((item) => item.name === undefined && selection(item));
    assert(rules.length > 0);
    const expected = named.filter(selection).map(({ expression }) => expression);
    assert.deepEqual(shorten({ ...everything, selection }).crawlers, expected);
  });

  it("is refused where only rules are chosen", () => {
    const selection = ({ name }: { readonly name?: string }): boolean => name === undefined;
    assert.throws(() => shorten({ ...everything, selection }), /rules without names cannot be chosen alone/);
  });
});
