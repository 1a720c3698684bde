/** A service in memory: short ways to ask it, and what it tells its host. */
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import type { RequestEvent } from "../../src/service/options.ts";
import { createService, type Options } from "../../src/service.ts";

type Headers = Readonly<Record<string, string>>;

/** A body that comes in pieces, each when it is wanted. */
export function streamOf(pieces: Iterable<Uint8Array>): ReadableStream {
  const left = pieces[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { value, done } = left.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
  });
}

/** Makes a service; a body that is no text, bytes or stream is sent as JSON. */
export function open(options: Options = {}) {
  const events: RequestEvent[] = [];
  const noted: Verdict[] = [];
  const told: Verdict[] = [];
  const service = createService({
    detector,
    onRequest: (event) => events.push(event),
    onVerdict: (verdict) => told.push(verdict),
    record: { note: (verdict) => void noted.push(verdict) },
    ...options,
  });
  const ask = (path: string, headers: Headers = {}, body?: unknown, method = body === undefined ? "GET" : "POST") => {
    const isSent = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
    const init = {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: isSent ? body : JSON.stringify(body) }),
      ...(body instanceof ReadableStream && { duplex: "half" }),
    };
    return service.fetch(new Request(`http://localhost${path}`, init as RequestInit));
  };
  const text = async (path: string, headers?: Headers, body?: unknown) => (await ask(path, headers, body)).text();
  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes, and a wrong member fails the test.
  const json = async (path: string, headers?: Headers, body?: unknown): Promise<any> =>
    JSON.parse(await text(path, headers, body));
  const statusOf = async (path: string, headers?: Headers, body?: unknown) => {
    const answer = await ask(path, headers, body);
    await answer.body?.cancel();
    return answer.status;
  };
  /** Some header fields of an answer; null for one that is absent. */
  const fieldsOf = async (names: string, ...asked: Parameters<typeof ask>) => {
    const { headers, body } = await ask(...asked);
    await body?.cancel();
    return names.split(" ").map((name) => headers.get(name));
  };
  /** The answer to a Check, or to CheckMany for an array. */
  const check = (body: unknown) => json(`/RestService/Check${Array.isArray(body) ? "Many" : ""}`, {}, body);
  /** The answers of CheckMany to a line for each item. */
  const checkLines = async (items: readonly unknown[]) => {
    const body = items.map((item) => `${JSON.stringify(item)}\n`).join("");
    const lines = await text("/RestService/CheckMany", { "content-type": "application/x-ndjson" }, body);
    return lines.split("\n", items.length).map((line) => JSON.parse(line));
  };
  /** Asks /auth about a user agent. */
  const auth = (query: string, useragent: string, headers: Headers = {}) =>
    ask(`/auth${query}`, { "user-agent": useragent, ...headers });
  return { service, events, noted, told, ask, text, json, statusOf, fieldsOf, check, checkLines, auth };
}
