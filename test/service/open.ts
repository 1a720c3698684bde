/** A service in memory: short ways to ask it, and what it tells its host. */
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import type { RequestEvent } from "../../src/service/options.ts";
import { createService, type Options } from "../../src/service.ts";

type Headers = Readonly<Record<string, string>>;

/** Makes a service; a body that is no text, bytes or stream is sent as JSON. */
export function open(options: Options = {}) {
  const events: RequestEvent[] = [];
  const noted: Verdict[] = [];
  const service = createService({
    detector,
    onRequest: (event) => events.push(event),
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
  /** The answer to a Check, or to CheckMany for an array. */
  const check = async (body: unknown) =>
    JSON.parse(await text(`/RestService/Check${Array.isArray(body) ? "Many" : ""}`, {}, body));
  /** The answers of CheckMany to a line for each item. */
  const checkLines = async (items: readonly unknown[]) => {
    const body = items.map((item) => `${JSON.stringify(item)}\n`).join("");
    const lines = await text("/RestService/CheckMany", { "content-type": "application/x-ndjson" }, body);
    return lines.split("\n", items.length).map((line) => JSON.parse(line));
  };
  /** Asks /auth about a user agent. */
  const auth = (query: string, useragent: string, headers: Headers = {}) =>
    ask(`/auth${query}`, { "user-agent": useragent, ...headers });
  return { service, events, noted, ask, text, check, checkLines, auth };
}
