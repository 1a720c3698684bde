/** A file that is JSON has the values of `JSON.parse` and the lines of YAML; what is not JSON is read as YAML. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isMap, isScalar, isSeq, type Node, parseDocument } from "yaml";
import type { DataError } from "../../../src/compiler/sources/data-error.ts";
import { JsonReader } from "../../../src/compiler/sources/read-json.ts";
import { parseYaml } from "../../../src/compiler/sources/yaml.ts";
import { finish } from "../../../src/pattern/finish.ts";
import { howMany } from "../../support/some-strings.ts";

/** The paths of all members and items. */
function* pathsOf(value: unknown, path: readonly PropertyKey[] = []): Generator<readonly PropertyKey[]> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key;
    yield [...path, step];
    yield* pathsOf(inner, [...path, step]);
  }
}

/** Where a path begins, by the nodes of the YAML document. */
function offsetIn(node: Node | null, [step, ...rest]: readonly PropertyKey[]): number {
  if (isMap<Node, Node>(node)) {
    const { key, value } = node.items.find(({ key }) => isScalar(key) && key.value === step)!;
    return rest.length === 0 ? key.range![0] : offsetIn(value, rest);
  }
  assert(isSeq<Node>(node));
  const item = node.items[step as number]!;
  return rest.length === 0 ? item.range![0] : offsetIn(item, rest);
}

const scalars = fc.oneof(fc.string({ unit: "binary" }), fc.double(), fc.integer(), fc.constantFrom(true, false, null));
const { values } = fc.letrec((tie) => ({
  lists: fc.array(tie("values"), { maxLength: 4 }),
  objects: fc.dictionary(fc.string({ unit: "binary" }), tie("values"), { maxKeys: 4 }),
  values: fc.oneof({ maxDepth: 5 }, scalars, tie("lists"), tie("objects")),
}));
const texts = fc
  .tuple(
    fc.constantFrom("", "\uFEFF"),
    fc.constantFrom("", " \n", "\r\n\t"),
    fc.oneof(fc.array(values), fc.dictionary(fc.string(), values)),
    fc.nat(3),
  )
  .map(([mark, space, value, indent]) => `${mark}${space}${JSON.stringify(value, undefined, indent)}${space}`);

it("values and lines", () => {
  fc.assert(
    fc.property(texts, (text) => {
      assert.ok(finish(new JsonReader(text).read()), text);
      const file = parseYaml({ path: "a", text });
      const expected = JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
      assert.deepEqual(file.value, expected);
      const { contents } = parseDocument(text, { uniqueKeys: false });
      for (const path of pathsOf(expected)) {
        const line = text.slice(0, offsetIn(contents, path)).split("\n").length;
        assert.equal(file.at(path), `a:${line}`, JSON.stringify(path));
        assert.equal(file.at([...path, "none", 5]), `a:${line}`);
      }
    }),
    { numRuns: howMany(100, 5000) },
  );
});

describe("refuses", () => {
  const many = (count: number, item: string): string => Array.from({ length: count }, () => item).join(",\n");
  for (const [text, ...problems] of [
    ['{"a": 1,\n"b": 2,\n"a": 3}', '3: duplicate member "a"'],
    ['{"a": 1,\n"\\u0061": {"b": 1,\n"b": 1}}', '2: duplicate member "a"', '3: duplicate member "b"'],
    ["[1,\n]", "2: a value is expected here"],
    ["[1\n2]", "2: a comma or the end of the list or object is expected here"],
    ['{"a"\n1}', "2: a colon is expected here"],
    ['{"a":\n}', "2: a value is expected here"],
    ['{"a": 1,\n}', "2: the name of a member in quotes is expected here"],
    ["{\n1: 2}", "2: the name of a member in quotes is expected here"],
    ["[\n}", "2: a value is expected here"],
    ["[1\n}", "2: a comma or the end of the list or object is expected here"],
    ["[]\n[]", "2: nothing may follow the end of the list or object"],
    ['{"a": [\n', "2: a value is expected here"],
    [`{"a":\n${"[".repeat(50_000)}`, "2: the file is nested too deeply"],
    [`[\n"${"a".repeat(70_000)}"]`, "2: a text may have at most 65,536 characters"],
    [`[\n"${"\\n".repeat(70_000)}"]`, "2: a text may have at most 65,536 characters"],
    [`[${many(60_000, "1")}]`, "50001: a file may have at most 50,000 rows"],
    [
      `{${Array.from({ length: 2_000 }, (_, i) => `"${i}":\n0`).join()}}`,
      "1001: an object may have at most 1,000 members",
    ],
  ] as const)
    it(`${JSON.stringify(text.slice(0, 20))}: ${problems[0]}`, () =>
      assert.throws(
        () => parseYaml({ path: "a", text }),
        (error: DataError) => {
          assert.deepEqual(
            error.problems,
            problems.map((problem) => `a:${problem}`),
          );
          return true;
        },
      ));
});

describe("leaves to the reader of YAML", () => {
  for (const [text, value] of [
    ["[Acme Bot, 1]", ["Acme Bot", 1]],
    ['{"a": 10.0.0.0/8}', { a: "10.0.0.0/8" }],
    ["[1] # a comment", [1]],
    ["{'a': 'b'}", { a: "b" }],
    ['["\\e"]', ["\u001b"]],
    ['["a\tb", 1 2, c]', ["a\tb", "1 2", "c"]],
    ["a: 1", { a: 1 }],
    ["", null],
  ] as const)
    it(JSON.stringify(text), () => assert.deepEqual(parseYaml({ path: "a", text }).value, value));
});
