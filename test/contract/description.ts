/** The OpenAPI description of the service, and whether an answer is what it describes. */
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createService } from "../../src/service.ts";
import { readXml } from "../service/read-xml.ts";
import type { Case } from "./cases.ts";

export type JsonSchema = { [member: string]: unknown };
type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema: JsonSchema;
    readonly example?: string | number;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly description: string; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly headers?: Content; readonly content?: Content }>
  >;
}
interface Document {
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const service = createService({ detector });
export const document = (await (await service.fetch(new Request("http://localhost/openapi.json"))).json()) as Document;
export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

// Strict: a keyword that JSON Schema does not know, or a type that does not fit its keyword, is an error.
const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
ajv.addVocabulary(["xml"]);
const validators = new Map<string, ValidateFunction>();

/** A described schema as a validator that also refuses members which are not described. */
export function toValidator(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? ajv.compile(close({ ...schema, $defs: document.components.schemas }));
  validators.set(text, validate);
  return validate;
}

function close<Value>(value: Value): Value {
  const closed = (_: string, member: unknown): unknown => {
    if (typeof member !== "object" || member === null || !("properties" in member)) return member;
    return { ...member, additionalProperties: false };
  };
  return JSON.parse(JSON.stringify(value, closed).replaceAll("#/components/schemas/", "#/$defs/")) as Value;
}

export function assertFits(schema: JsonSchema, value: unknown): void {
  const validate = toValidator(schema);
  assert.ok(validate(value), JSON.stringify(validate.errors));
}

/** The operation that describes a row's request, if there is one. */
export function operationOf({ method, path }: Pick<Case, "method" | "path">): Operation | undefined {
  return document.paths[path.split("?")[0] as string]?.[method.toLowerCase()];
}

/** Fails if the answer to a row is not described; `text` is its body, undefined for HEAD. */
export function assertDescribed(row: Case, text: string | undefined): void {
  const { method, path, status, type } = row;
  const operation = operationOf(row);
  if (operation === undefined) {
    assert.ok([204, 302, 404, 405].includes(status) || method === "HEAD", `${method} ${path} is not described`);
    return;
  }
  const about = `${operation.operationId}: ${status} ${type}`;
  const described = operation.responses[status];
  assert.ok(described, about);
  assert.equal(type === null, described.content === undefined, about);
  if (type === null) return;
  const found = Object.entries(described.content ?? {}).find(([name]) => name.split(";")[0] === type.split(";")[0]);
  assert.ok(found, about);
  const [name, { schema }] = found;
  if (text === undefined || operation.operationId === "openapi-json" || !/(?:json|xml)$/.test(name)) return;
  assertFits(schema, name.endsWith("xml") ? readXml(text, schema) : JSON.parse(text));
}
