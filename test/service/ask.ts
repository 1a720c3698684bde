/**
 * Short ways to ask a service in memory.
 */
import type { Service } from "../../src/service.ts";

/** Sends a GET. */
export async function get(
  service: Service,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return service.fetch(new Request(`http://localhost${path}`, { headers }));
}

/** Sends a Check of one user agent. */
export async function check(service: Service, useragent: string, format: "json" | "xml" = "json"): Promise<Response> {
  return post(service, `/RestService/Check/${format}`, JSON.stringify({ useragent }));
}

/** Sends a body that is declared to be JSON. */
export async function post(
  service: Service,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const all = { "content-type": "application/json", ...headers };
  return service.fetch(new Request(`http://localhost${path}`, { method: "POST", headers: all, body }));
}
