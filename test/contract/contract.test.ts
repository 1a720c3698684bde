/**
 * Runs the contract's rows twice: in memory, through the fetch handler, and over a socket, as a client sees it. Each answer is what the
 * OpenAPI description says.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { problems } from "../../src/http/problems.ts";
import { type Listener, listen } from "../../src/server/listen/listen.ts";
import { createService } from "../../src/service.ts";
import { type Case, contract } from "./cases.ts";
import { assertDescribed } from "./description.ts";
import { type RawAnswer, sendRequest } from "./socket-client.ts";

const service = createService({ detector });

async function sendInMemory({ method, path, headers, body }: Case): Promise<RawAnswer> {
  const init = { method, headers, ...(body !== undefined && { body }) };
  const response = await service.fetch(new Request(`http://localhost${path}`, init));
  return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
}

let listener: Listener;
before(async () => {
  listener = await listen({ service, host: "127.0.0.1", port: 0 });
});
after(() => listener.close());

for (const [way, send] of [
  ["in memory", sendInMemory],
  ["over a socket", ({ method, path, headers, body }: Case) => sendRequest(listener.port, method, path, headers, body)],
] as const)
  for (const [subject, cases] of Object.entries(contract))
    describe(`${way}: ${subject}`, () => {
      for (const one of cases) test(one.title, async () => verify(one, await send(one)));
    });

function verify(row: Case, { status, headers, body }: RawAnswer): void {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  assert.equal(status, row.status, text);
  assert.equal(headers.get("content-type"), row.type);
  assert.match(headers.get("x-request-id") ?? "", /^[A-Za-z0-9._-]{1,128}$/);
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assertDescribed(row, row.method === "HEAD" ? undefined : text);
  const isEmpty = row.method === "HEAD" || row.type === null;
  if (isEmpty) assert.equal(text, "");
  const value = !isEmpty && row.type?.endsWith("json") ? JSON.parse(text) : undefined;
  let detail: unknown;
  if (row.problem !== undefined && value) {
    const { title } = problems[row.problem];
    assert.deepEqual({ ...value, detail: "" }, { ...value, type: `/docs#${row.problem}`, title, status, detail: "" });
    detail = value.detail;
  } else if (row.problem !== undefined && !isEmpty) {
    assert.ok(text.includes(`<problem xmlns="urn:ietf:rfc:7807"><type>/docs#${row.problem}</type>`), text);
    detail = /<detail>(.*)<\/detail>/.exec(text)?.[1];
  }
  // Each problem says to a person what went wrong this time.
  if (row.problem !== undefined && !isEmpty) assert.match(String(detail), /^[A-Z`"].*(?:[.?]|: Bearer …)$/);
  for (const expected of row.also) {
    if (expected.startsWith("= ")) assert.equal(text, expected.slice(2));
    else if (expected.startsWith("! ")) assert.equal(detail, expected.slice(2));
    else if (expected.startsWith("/")) assert.match(text, toExpression(expected));
    else if (expected.startsWith("{"))
      for (const [name, member] of Object.entries(JSON.parse(expected))) assert.deepEqual(value[name] ?? null, member);
    else verifyHeader(headers, expected);
  }
}

function verifyHeader(headers: Headers, expected: string): void {
  const [, name = "", field = ""] = /^([a-z-]+): (.*)$/.exec(expected)!;
  if (field.startsWith("/")) assert.match(headers.get(name) ?? "", toExpression(field));
  // Bun's own server adds nothing to `Vary` or `Allow`, and keeps what is said of the connection.
  else assert.equal(headers.get(name), field === "-" ? null : field, name);
}

const toExpression = (text: string): RegExp => new RegExp(text.slice(1, -1));
