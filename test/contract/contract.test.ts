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
import type { Case } from "./case.ts";
import { contract } from "./cases.ts";
import { assertDescribed } from "./description.ts";
import { type RawAnswer, sendRequest } from "./socket-client.ts";

const service = createService({ detector });

type Send = (row: Case, body: Uint8Array<ArrayBuffer> | undefined) => Promise<RawAnswer>;

async function sendInMemory(
  { method, path, headers = {} }: Case,
  body: Uint8Array<ArrayBuffer> | undefined,
): Promise<RawAnswer> {
  const request = new Request(`http://localhost${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  const response = await service.fetch(request);
  return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
}

let listener: Listener;
before(async () => {
  listener = await listen({ service, host: "127.0.0.1", port: 0 });
});
after(() => listener.close());

const ways: Readonly<Record<string, Send>> = {
  "in memory": sendInMemory,
  "over a socket": ({ method, path, headers = {} }, body) => sendRequest(listener.port, method, path, headers, body),
};

for (const [way, send] of Object.entries(ways)) {
  describe(way, () => {
    for (const [subject, rows] of Object.entries(contract)) {
      describe(subject, () => {
        for (const row of rows) test(title(row), async () => verify(row, await send(row, toBytes(row.body))));
      });
    }
  });
}

function title({ method, path, headers, body, about, status, problem }: Case): string {
  const sent = typeof body === "string" ? body : `${body ?? ""}`;
  const facts = about ?? `${JSON.stringify(headers ?? {})} ${JSON.stringify(sent.slice(0, 60))}`;
  return `${method} ${path} ${facts} -> ${status} ${problem ?? ""}`;
}

function toBytes(body: Case["body"]): Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined) return undefined;
  return typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
}

function verify(row: Case, { status, headers, body }: RawAnswer): void {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  assert.equal(status, row.status, text);
  assert.equal(headers.get("content-type"), row.type);
  assert.match(headers.get("x-request-id") ?? "", /^[A-Za-z0-9._-]{1,128}$/);
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  for (const [name, expected] of Object.entries(row.answers ?? {})) {
    if (expected instanceof RegExp) assert.match(headers.get(name) ?? "", expected);
    // Bun's own server adds nothing to `Vary` or `Allow`, and keeps what is said of the connection.
    else assert.equal(headers.get(name), expected, name);
  }
  assertDescribed(row, row.method === "HEAD" ? undefined : text);
  if (row.method === "HEAD" || status === 204 || status === 304) assert.equal(text, "");
  else if (row.type?.endsWith("json")) {
    const value: Record<string, unknown> = JSON.parse(text);
    for (const [name, expected] of Object.entries(row.json ?? {})) assert.deepEqual(value[name], expected);
    if (row.problem !== undefined) {
      const { title } = problems[row.problem];
      assert.deepEqual({ ...value, detail: "" }, { ...value, type: `/docs#${row.problem}`, title, status, detail: "" });
      verifyDetail(row, value.detail as string);
    }
  } else if (row.problem !== undefined) {
    assert.ok(text.includes(`<problem xmlns="urn:ietf:rfc:7807"><type>/docs#${row.problem}</type>`), text);
    verifyDetail(row, /<detail>(.*)<\/detail>/.exec(text)?.[1] ?? "");
  }
  if (typeof row.text === "string") assert.equal(text, row.text);
  else if (row.text !== undefined) assert.match(text, row.text);
}

/** Each problem says to a person what went wrong this time. */
function verifyDetail(row: Case, detail: string): void {
  if (row.detail !== undefined) assert.equal(detail, row.detail);
  else assert.match(detail, /^[A-Z`"].*(?:\.|: Bearer …)$/);
}
