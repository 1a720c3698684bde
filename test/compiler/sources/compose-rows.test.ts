/** YAML that is composed row by row has the values, the lines and the faults of the document that is composed at once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Document, isMap, isScalar, isSeq, type Node, parseAllDocuments, parseDocument } from "yaml";
import { DataError } from "../../../src/compiler/sources/data-error.ts";
import { parseYaml } from "../../../src/compiler/sources/yaml.ts";
import { howMany } from "../../support/some-strings.ts";

/** Rows of a list that is indented by two characters. */
const rows = [
  "  - name: plain\n    url: https://acme.example/#part # a comment\n",
  "  -   name: 'quoted ''text'''\n      examples:\n        - one\n\n        # a comment\n        - \"two \\\n          lines\"\n",
  "  -\n    name: below\n    text: |\n      - no row\n      - nor this\n    folded: >-\n      a\n\n      b\n",
  "  - { name: flow, list: [a, {b: c},\n    d] }\n",
  "  - - nested\n    -\n      - twice\n    - third\n    - [fourth]\n",
  "  - 17\n",
  "  -\n",
  "  # between\n",
  "    # indented\n\n",
  "  - several words\n    on two lines\n",
  "  - deep:\n      deeper:\n        - examples: [a]\n          list:\n          - x: 1\n          - y: .inf\n          - z:\n",
  "  - '- quoted'\r\n",
];
/** What affects other rows, or ends them. */
const others = [
  "  - '&quoted'\n  - \"*quoted\"\n",
  "  - |\n    *no alias\n  - >-\n    !no tag\n",
  "second:\n",
  "# unindented\n",
  "text: |\n  - no row\nthird:\n",
];
/** What is wrong in many ways. */
const faulty = [
  "  - name: twice\n    name: twice\n",
  "  - [a, b\n",
  '  - "a\n',
  "   - a: too far\n",
  "- not far enough\n",
  "  - a: b: c\n",
  "---\n",
  "  - @\n",
  "  -\ta: tab\n",
];

/** Long enough that several parts of each list are composed alone. */
const long = fc
  .array(fc.constantFrom(...rows), { minLength: 3, maxLength: 12 })
  .map((parts) => parts.join("").repeat(Math.ceil(2_000 / parts.join("").length)));
const documents = fc
  .tuple(
    fc.constantFrom("", "%YAML 1.1\n---\n", "--- # a document\n", "# a comment\n"),
    long,
    fc.shuffledSubarray(others, { maxLength: 2 }),
    long,
  )
  .map(([start, before, between, after]) => `${start}first:\n${before}${between.join("")}${after}`);

/** The offsets of all keys and items by their path, as in the nodes of the whole document. */
function* offsetsOf(node: unknown, path: readonly PropertyKey[] = []): Generator<[readonly PropertyKey[], number]> {
  if (isMap<Node, Node>(node))
    for (const { key, value } of node.items) {
      const inner = [...path, isScalar(key) ? (key.value as string) : ""];
      yield [inner, key.range![0]];
      yield* offsetsOf(value, inner);
    }
  if (isSeq<Node>(node))
    for (const [index, item] of node.items.entries()) {
      yield [[...path, index], item.range![0]];
      yield* offsetsOf(item, [...path, index]);
    }
}

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

it("values and lines", () => {
  fc.assert(
    fc.property(documents, (text) => {
      const whole = parseDocument(text, { uniqueKeys: false });
      fc.pre(whole.errors.length === 0);
      const file = parseYaml({ path: "a", text });
      assert.deepEqual(file.value, whole.toJS());
      const offsets = [...offsetsOf(whole.contents)];
      for (const [path, offset] of offsets.filter((_, at) => at % 7 === 0))
        assert.equal(file.at(path), `a:${lineOf(text, offset)}`, path.join("."));
      assert.equal(file.at(["first", 2, "none", 5]), file.at(["first", 2]));
    }),
    { numRuns: howMany(10, 1000) },
  );
});

it("faults", () => {
  fc.assert(
    fc.property(documents, fc.constantFrom(...faulty), documents, (before, fault, after) => {
      const text = `${before}${fault}${after.replace("first:", "last:")}`;
      // A second document is not read.
      const [first] = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false }) as Document.Parsed[];
      const expected = first!.errors
        .toSorted((a, b) => a.pos[0] - b.pos[0])
        .slice(0, 10)
        .map(({ pos, message }) => `a:${lineOf(text, pos[0])}: ${message}`);
      let problems: readonly string[] = [];
      try {
        parseYaml({ path: "a", text });
      } catch (error) {
        assert(error instanceof DataError, String(error));
        problems = error.problems;
      }
      const found = problems.filter((problem) => !/: (?:duplicate member|a second document|and )/.test(problem));
      assert.deepEqual(found, expected);
      if (fault === faulty[0] && problems.length <= 10)
        assert.ok(problems.includes(`a:${lineOf(text, text.lastIndexOf("name: twice"))}: duplicate member "name"`));
    }),
    { numRuns: howMany(10, 1000) },
  );
});

describe("the rest of a text is not read after", () => {
  const long = "a".repeat(70_000);
  for (const [text, line, says] of [
    [
      "remove: [curl]\nchange: &a []",
      2,
      "anchors are not supported: write the value itself, or put quotes around a text that",
    ],
    ["remove:\n  - *a", 2, "aliases are not supported"],
    ["remove:\n- curl\n- !!str curl", 3, "tags are not supported"],
    ["[\n*a,", 2, "aliases are not supported"],
    ["a: 1\n---\nb: 1", 2, "a second document begins here"],
    [`a: 1\nb: '${long}'`, 2, "a text may have at most 65,536 characters"],
    [`a: 1\nb: ${long}`, 2, "a text may have at most 65,536 characters"],
    [`a:\n- [\n${" b,\n".repeat(30_000)}`, 16386, "a list or an object in brackets may have at most 65,536 characters"],
    [`a:\n${"- b\n".repeat(50_100)}`, 50_020, "a file may have at most 50,000 rows"],
    [`a:\n${"- @\n".repeat(60_000)}`, 2, "Plain value cannot start with reserved character @"],
    [
      Array.from({ length: 10_000 }, (_, i) => `a${i}: b\n`).join(""),
      1,
      "this is too much that is not in rows of a list",
    ],
    [`a:\n- b\n- ${"  c:\n".repeat(10_000).trim()}`, 1, "this is too much"],
    ["#\n".repeat(60_000), 1, "this is too much"],
    ["#\n".repeat(80_000), 65_550, "this is too much"],
  ] as const)
    it(`${JSON.stringify(text.slice(0, 20))}: ${says}`, () =>
      assert.throws(
        () => parseYaml({ path: "a", text: `${text}\n# @` }),
        ({ problems: [problem] }: DataError) => problem!.startsWith(`a:${line}: ${says}`) || assert.fail(problem),
      ));
});
