/**
 * The OpenAPI description: the contract's rows get back everything it describes (contract.test.ts checks that each answer is
 * described), and it is valid for other programs.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { detector } from "../../src/detect/built-in/detector.ts";
import { problems } from "../../src/http/problems.ts";
import { createService } from "../../src/service.ts";
import { root, runtimes } from "../cli/command-line.ts";
import { contract } from "../contract/cases.ts";
import {
  assertFits,
  document,
  type JsonSchema,
  operationOf,
  operations,
  toValidator,
} from "../contract/description.ts";
import { recordOf } from "../support/record-of.ts";
import { temporary } from "../support/temporary.ts";
import { open } from "./open.ts";

const folder = temporary();
const rows = Object.values(contract).flat();

describe("the OpenAPI description", () => {
  test("describes nothing that no row gets back, but for guards, limits and failures", () => {
    const seen = new Set(rows.map((row) => `${operationOf(row)?.tags[0]} ${row.status}`));
    const described = operations.flatMap(({ operation }) =>
      Object.keys(operation.responses).map((status) => `${operation.tags[0]} ${status}`),
    );
    assert.deepEqual(
      [...new Set(described)].filter(
        (answer) => !/ (?:401|403|408|421|429|500|503)$/.test(answer) && !seen.has(answer),
      ),
      [],
    );
  });

  test("fits the whole list, and its validator refuses what is not described", async () => {
    const schema = { $ref: "#/components/schemas/List" };
    const list = await open({ record: undefined }).json("/RestService/List");
    assertFits(schema, list);
    const validate = toValidator(schema);
    assert.equal(validate({ ...list, more: 1 }), false);
    assert.equal(validate({ ...list, items: [{ ...list.items[0], crawler: "true" }] }), false);
  });

  test("has every path of the service but those of pages, files, and Envoy", () => {
    const whole = createService({
      files: { addresses: {}, read: () => undefined },
      metrics: async () => ({ contentType: "text/plain", text: "" }),
      record: recordOf({ isKnown: false, newCrawlers: [], spikes: [] }),
    });
    assert.deepEqual(
      whole.paths.filter((path) => path !== "/metrics" && !(path in document.paths)),
      [
        ...["/crawlers", "/crawlers/*", "/robots", "/expression", "/traffic", "/sign-in", "/assets/*"],
        ...["/auth/robots.txt", "/auth/*"],
      ],
    );
    assert.deepEqual(
      Object.keys(document.paths).filter((path) => !whole.paths.includes(path)),
      [],
    );
  });

  test("names each operation once, and knows every parameter", () => {
    // Generated clients name their functions by these.
    assert.deepEqual(
      operations.map(({ operation }) => operation.operationId),
      [
        ...["check", "checkJson", "checkXml", "checkmany", "list", "listJson", "listXml", "regexp", "ranges", "auth"],
        ...["health", "readiness", "openapi-json", "page", "docs"],
      ],
    );
    const names = (path: string) => document.paths[path]?.get?.parameters?.map(({ name }) => name);
    assert.deepEqual(names("/RestService/List"), ["limit", "offset", "q", "category", "crawler", "source"]);
    assert.deepEqual(names("/RestService/RegExp"), ["useragent", "flavor"]);
  });
});

describe("the OpenAPI description, to those who read it with other programs,", () => {
  const contents = operations.flatMap(({ operation: { requestBody, responses } }) =>
    [requestBody?.content, ...Object.values(responses).flatMap(({ headers, content }) => [headers, content])].flatMap(
      (content) => Object.entries(content ?? {}),
    ),
  );

  test("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as object as JsonSchema);
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(document.info.title, "whocrawls");
    assert.equal(document.info.version, detector.version);
    assert.deepEqual(document.info.license, { name: "MIT", identifier: "MIT" });
  });

  for (const [name, guards] of [
    ["without tokens", {}],
    ["with tokens", { authorize: () => true }],
  ] as const) {
    test(`breaks no recommended rule of Redocly's linter, ${name}`, async () => {
      const file = join(folder, "openapi.json");
      const request = new Request("http://crawlers.internal/openapi.json");
      writeFileSync(file, await (await createService({ detector, guards }).fetch(request)).text());
      const program = `${root}test/node_modules/@redocly/cli/bin/cli.js`;
      const args = ["lint", file, "--config", `${root}test/service/redocly.yaml`, "--format", "json"];
      const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
      const { stdout } = spawnSync(runtimes.Node, [program, ...args], { encoding: "utf8", env });
      const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: readonly { message: string }[] };
      assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 }, JSON.stringify(problems, null, 1));
    });
  }

  test("has schemas that are valid, and examples that fit them", () => {
    for (const schema of Object.values(document.components.schemas)) {
      assert.equal(schema.type, "object");
      toValidator(schema);
    }
    let examples = 0;
    for (const [, { schema, example }] of contents) {
      toValidator(schema);
      if (example === undefined) continue;
      examples++;
      assertFits(schema, example);
    }
    assert.ok(examples >= 7, `${examples} examples`);
    for (const { operation } of operations) {
      for (const { name, schema, example } of operation.parameters ?? []) {
        assertFits(schema, example ?? (schema.enum as readonly unknown[] | undefined)?.[0] ?? true);
        if (typeof example !== "string") assert.equal(toValidator(schema)("klingon"), false, name);
      }
    }
  });

  test("says in words what everything is", () => {
    const sentence = /^[A-Z`].*\.$/;
    const expectText = (about: string, text: unknown, form = sentence) => assert.match(String(text), form, about);
    const expectMembers = (about: string, { properties = {}, items }: JsonSchema): void => {
      for (const [name, member] of Object.entries(properties as Record<string, JsonSchema>)) {
        if (name !== "items") expectText(`${about}.${name}`, member.description);
        expectMembers(`${about}.${name}`, member);
      }
      if (items !== undefined) expectMembers(about, items as JsonSchema);
    };
    expectText("info", document.info.description);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (schema.description !== undefined) expectText(name, schema.description);
      expectMembers(name, schema);
    }
    for (const { path, operation } of operations) {
      const { operationId, tags, summary, description, parameters = [], requestBody, responses } = operation;
      expectText(path, operationId, /^[a-z][a-zA-Z-]+$/);
      expectText(path, tags, /^(?:Check|CheckMany|List|RegExp|Service)$/);
      expectText(path, summary, /^[A-Z].*[a-z?]$/);
      if (tags[0] !== "Service" || description !== undefined) expectText(path, description);
      for (const { name, description } of parameters) expectText(`${path} ${name}`, description);
      if (requestBody !== undefined) {
        expectText(path, requestBody.description);
        assert.equal(requestBody.required, true);
      }
      for (const [status, { description }] of Object.entries(responses)) {
        expectText(`${path} ${status}`, description, tags[0] === "Service" ? /^[A-Z]/ : /^[A-Z`].*[.!]$/);
      }
    }
  });

  test("says of paths that fix a format that they do", () => {
    for (const { path, operation } of operations.filter(({ path }) => /(?:Check|List)(?:\/|$)/.test(path))) {
      const format = /\/(json|xml)$/.exec(path)?.[1];
      const expected =
        format === undefined
          ? "Responds in JSON or XML, as the `Accept` header requests; default JSON."
          : `Always responds in ${format.toUpperCase()}, whatever the \`Accept\` header.`;
      assert.ok(operation.description?.startsWith(expected), `${path}: ${operation.description}`);
      const types = Object.keys(operation.responses["200"]?.content ?? {});
      assert.deepEqual(
        types,
        format === undefined ? ["application/json", "application/xml"] : [`application/${format}`],
      );
      assert.equal("406" in operation.responses, format === undefined, path);
    }
  });

  test("names every problem that an operation may answer, and no other", () => {
    /** Problems of failures, and of guards, which no row of the contract meets. */
    const always = ["bad-header", "internal", "misdirected", "too-many-requests", "unauthorized"];
    const ofTag: Readonly<Record<string, readonly string[]>> = {
      Check: ["bad-evidence", "cross-site", "too-slow", "too-many-bodies"],
      CheckMany: ["bad-evidence", "cross-site", "too-slow", "too-many-bodies"],
      List: ["list-timeout", "record-unavailable", "too-many-lists"],
    };
    /** Operations of one tag answer alike, except the operations about the service itself. */
    const groupOf = (tag: string, path: string): string => (tag === "Service" ? path : tag);
    const met = new Map<string, Set<string>>();
    for (const row of rows) {
      const tag = operationOf(row)?.tags[0];
      if (tag === undefined || row.problem === undefined) continue;
      const group = groupOf(tag, row.path.split("?", 1)[0]!);
      met.set(group, (met.get(group) ?? new Set()).add(row.problem));
    }
    for (const { path, operation } of operations.filter(({ path }) => /^\/(?:RestService|auth)/.test(path))) {
      const named = Object.entries(operation.responses).flatMap(([status, { description }]) => {
        const all = [...description.matchAll(/(?<=^|\. )([^.]+) \(`([a-z-]+)`\)\.(?= |$)/g)];
        for (const [, title, name] of all) {
          const known = problems[name as keyof typeof problems];
          assert.deepEqual([known.status, known.title], [Number(status), title]);
        }
        return all.map(([, , name]) => name as string);
      });
      const tag = operation.tags[0]!;
      const expected = new Set([...always, ...(ofTag[tag] ?? []), ...(met.get(groupOf(tag, path)) ?? [])]);
      // `rate-limit` does not count questions of proxies, which are for any host.
      for (const name of path === "/auth" ? ["too-many-requests", "misdirected"] : []) expected.delete(name);
      // The paths that fix a format accept whatever is asked for; a bad Accept is met by the others.
      if (/\/(?:json|xml)$/.test(path)) expected.delete("not-acceptable");
      assert.deepEqual(
        named.toSorted(),
        [...expected].filter((name) => name !== "method-not-allowed").toSorted(),
        path,
      );
    }
  });
});
