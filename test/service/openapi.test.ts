/**
 * The OpenAPI description tells the truth: what the contract's rows get back is what it describes, and everything it
 * describes some row gets back. The reference page shows all of it and needs nothing from elsewhere.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { detector } from "../../src/detect/default.ts";
import { problems } from "../../src/service/problems.ts";
import { createService } from "../../src/service.ts";
import { contract } from "../contract/cases.ts";
import { get } from "./ask.ts";

type JsonSchema = { [member: string]: unknown };
type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const service = createService({ detector });
const document = (await (await get(service, "/openapi.json")).json()) as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** A described schema as a validator that also refuses members which are not described. */
function toValidator(schema: JsonSchema): z.ZodType {
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(close);
    if (typeof value !== "object" || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, close(member)]));
    // zod takes a reference for a URL, which `/docs#not-found` is not.
    if (copy.format === "uri-reference") delete copy.format;
    if (typeof copy.$ref === "string") copy.$ref = copy.$ref.replace("#/components/schemas/", "#/$defs/");
    return copy.type === "object" ? { ...copy, additionalProperties: false } : copy;
  };
  return z.fromJSONSchema(
    close({ ...schema, $defs: document.components.schemas }) as Parameters<typeof z.fromJSONSchema>[0],
  );
}

describe("the OpenAPI description", () => {
  const seen = new Set<string>();

  test("has every row of the contract", async () => {
    for (const { method, path, headers = {}, body, status, type } of Object.values(contract).flat()) {
      const [address = ""] = path.split("?");
      const operation = document.paths[address]?.[method.toLowerCase()];
      if (operation === undefined) {
        assert.ok([204, 302, 404, 405].includes(status) || method === "HEAD", `${method} ${path} is not described`);
        continue;
      }
      const about = `${operation.operationId}: ${status} ${type}`;
      const described = operation.responses[status];
      assert.ok(described, about);
      assert.equal(type === null, described.content === undefined, about);
      seen.add(`${operation.tags[0]} ${status}`);
      if (type === null) continue;
      const found = Object.entries(described.content ?? {}).find(([name]) => name.split(";")[0] === type.split(";")[0]);
      assert.ok(found, about);
      if (!type.endsWith("json")) continue;
      const init =
        body === undefined
          ? { method, headers }
          : { method, headers, body: typeof body === "string" ? body : new Uint8Array(body) };
      const response = await service.fetch(new Request(`http://localhost${path}`, init));
      if (address === "/openapi.json") continue;
      toValidator(found[1].schema).parse(await response.json());
    }
  });

  test("describes nothing that no row gets back, but for tokens, limits and failures", () => {
    const described = operations.flatMap(({ operation }) =>
      Object.keys(operation.responses).map((status) => `${operation.tags[0]} ${status}`),
    );
    assert.deepEqual(
      [...new Set(described)].filter((answer) => !/ (?:401|429|500|503)$/.test(answer) && !seen.has(answer)),
      [],
    );
  });

  test("fits the whole list, and its validator refuses what is not described", async () => {
    const validator = toValidator({ $ref: "#/components/schemas/List" });
    const list = (await (await get(service, "/RestService/List")).json()) as { items: object[] };
    validator.parse(list);
    assert.equal(validator.safeParse({ ...list, more: 1 }).success, false);
    assert.equal(validator.safeParse({ ...list, items: [{ ...list.items[0], crawler: "true" }] }).success, false);
  });

  test("names each operation once, and knows every parameter", () => {
    assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length);
    const names = (path: string) => document.paths[path]?.get?.parameters?.map(({ name }) => name);
    assert.deepEqual(names("/RestService/List"), ["limit", "offset", "q", "category", "crawler", "source"]);
    assert.deepEqual(names("/RestService/RegExp"), ["useragent", "flavor"]);
  });
});

test("the reference page shows every operation and problem, and loads nothing from elsewhere", async () => {
  const page = (await (await get(service, "/docs")).text()).replaceAll("<wbr>", "");
  for (const { path, operation } of operations) {
    assert.ok(page.includes(`<code>${path}</code>`), path);
    assert.ok(page.includes(`id="${operation.operationId}"`), path);
  }
  for (const name of Object.keys(problems)) assert.ok(page.includes(`id="${name}"`), name);
  assert.doesNotMatch(page, /<(?:img|iframe|object|style)| (?:style|on[a-z]+)="|(?:src|href)="(?:https?:)?\/\//);
  const identifiers = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
  assert.equal(new Set(identifiers).size, identifiers.length);
  for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(identifiers.includes(target as string), target);
  // Every element is closed in its turn.
  const open: string[] = [];
  for (const [, slash, name = ""] of page
    .replace(/<!doctype html>|<(?:meta|link) [^>]*>/g, "")
    .matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    if (slash === "") open.push(name);
    else assert.equal(open.pop(), name);
  }
  assert.deepEqual(open, []);
});
