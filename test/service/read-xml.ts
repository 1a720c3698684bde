/** Reads an answer in XML as a client does that knows the schemas of /openapi.json and nothing else. */
import assert from "node:assert/strict";
import { XMLParser } from "fast-xml-parser";
import { schemas } from "../../src/generated/json-schemas.ts";
import type { JsonSchema } from "../../src/http/operation.ts";

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  ignoreDeclaration: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: true,
  htmlEntities: true,
});

function resolve({ $ref, ...schema }: JsonSchema): JsonSchema {
  return $ref === undefined ? schema : schemas[$ref.replace("#/components/schemas/", "") as keyof typeof schemas];
}

/** The value that a document stands for; fails at names that the schema does not describe. */
export function readXml(xml: string, described: JsonSchema): unknown {
  const schema = resolve(described);
  const { [schema.xml?.name as string]: root, ...others } = parser.parse(xml) as Record<string, unknown>;
  assert.deepEqual(others, {});
  assert.notEqual(root, undefined);
  return readElement(root, schema);
}

function readElement(content: unknown, described: JsonSchema): unknown {
  const schema = resolve(described);
  if (schema.type === "object") return readMembers(toNames(content), schema);
  if (schema.type === "array") {
    const { [itemName(schema)]: items = [], ...others } = toNames(content);
    assert.deepEqual(others, {});
    return readItems(items, schema);
  }
  assert.equal(typeof content, "string");
  if (schema.type === "string") return content;
  const value: unknown = JSON.parse(content as string);
  assert.equal(typeof value, schema.type === "integer" ? "number" : schema.type);
  return value;
}

/** An element without attributes and elements is parsed as an empty string. */
function toNames(content: unknown): Readonly<Record<string, unknown>> {
  return content === "" ? {} : (content as Readonly<Record<string, unknown>>);
}

function readMembers({ ...names }: Record<string, unknown>, { properties = {}, xml }: JsonSchema): object {
  assert.equal(names["@xmlns"], xml?.namespace);
  delete names["@xmlns"];
  const members: Record<string, unknown> = {};
  for (const [name, described] of Object.entries(properties)) {
    const schema = resolve(described);
    const isBare = schema.type === "array" && schema.xml?.wrapped !== true;
    const written = schema.xml?.attribute ? `@${name}` : isBare ? itemName(schema) : name;
    const content = names[written];
    delete names[written];
    if (isBare) members[name] = readItems(content ?? [], schema);
    else if (content !== undefined) members[name] = readElement(content, schema);
  }
  assert.deepEqual(names, {});
  return members;
}

function itemName({ items = {} }: JsonSchema): string {
  return String(resolve(items).xml?.name);
}

function readItems(items: unknown, schema: JsonSchema): readonly unknown[] {
  return [items].flat().map((item) => readElement(item, schema.items as JsonSchema));
}
