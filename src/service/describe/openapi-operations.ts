/**
 * The description of the operations: Check, CheckMany, List, RegExp and /auth, with examples that the service computes.
 */
import type { Detector } from "../../detect/verdict.ts";
import { authParameters } from "../check/auth.ts";
import { listParameters } from "../list/list-query.ts";
import { ndjson } from "../many/check-many.ts";
import { maxArrayBytes, maxItems } from "../many/many-array.ts";
import { createRegexpParameters } from "../regexp.ts";
import { formatNames, formats } from "./answer-formats.ts";
import { refer } from "./json-schemas.ts";
import {
  type Content,
  contents,
  exampleUseragent,
  guarded,
  inEveryFormat,
  type Operation,
  type Paths,
  parameters,
  problemResponses,
  text,
} from "./openapi-parts.ts";

/** Describes Check; the example is worked out. */
export function checkPaths(detector: Detector): Paths {
  const verdict = detector.check(exampleUseragent);
  const examples = { json: verdict, xml: formats.xml.writeVerdict(verdict) };
  return inEveryFormat("/RestService/Check", "post", (formats, how, negotiated) => ({
    tags: ["Check"],
    summary: "Check one user agent",
    description: how,
    requestBody: {
      required: true,
      description: "JSON in UTF-8, at most 64 KiB.",
      content: { "application/json": { schema: refer("CheckRequest"), example: { useragent: exampleUseragent } } },
    },
    responses: {
      200: { description: "The verdict.", content: contents(formats, "Verdict", examples) },
      ...problemResponses(formats, [
        "not-json",
        ...guarded,
        ...negotiated,
        "too-slow",
        "too-large",
        "not-declared-json",
        "no-useragent",
        "bad-evidence",
        "internal",
        "too-many-bodies",
      ]),
    },
  }));
}

const exampleUseragents = [exampleUseragent, "curl/8.5.0"];
const exampleItems = [{ useragent: exampleUseragent }, "curl/8.5.0"];
const toJson = (item: unknown): string => JSON.stringify(item);

/** Describes CheckMany. */
export function checkManyPath(): Paths {
  const lines: Content = { [ndjson]: { schema: refer("Verdict") }, "text/plain": { schema: { type: "string" } } };
  const items = { type: "array", items: { anyOf: [{ type: "string" }, refer("CheckRequest")] } };
  const verdicts = { type: "array", items: refer("Verdict"), xml: { name: "checks", wrapped: true } };
  const operation: Operation = {
    operationId: "checkmany",
    tags: ["CheckMany"],
    summary: "Check any number of user agents, in order",
    description:
      "Lines are answered while they arrive. Each line of JSON gets a verdict, or a problem if it is invalid. Each line of text " +
      "gets `0` or `1`, or a verdict, as the `Accept` header requests. An array gets an array, or XML.",
    requestBody: {
      required: true,
      description: `Lines of JSON or text, of at most 64 KiB each; or an array of at most ${maxItems} items and ${maxArrayBytes} bytes. May be in gzip.`,
      content: {
        [ndjson]: { schema: { anyOf: items.items.anyOf }, example: exampleItems.map(toJson).join("\n") },
        "text/plain": { schema: { type: "string" }, example: exampleUseragents.join("\n") },
        "application/json": { schema: items, example: exampleItems },
      },
    },
    responses: {
      200: {
        description: "The verdicts, in the order of the user agents.",
        content: {
          ...lines,
          "application/json": { schema: verdicts },
          "application/xml": { schema: verdicts },
        },
      },
      ...problemResponses(formatNames, [
        "not-json",
        ...guarded,
        "not-acceptable",
        "too-slow",
        "too-large",
        "type-not-taken",
        "no-useragent",
        "bad-evidence",
        "internal",
        "too-many-bodies",
      ]),
    },
  };
  return { "/RestService/CheckMany": { post: operation } };
}

/** Describes List. */
export function listPaths(): Paths {
  return inEveryFormat("/RestService/List", "get", (formats, how, negotiated) => ({
    tags: ["List"],
    summary: "List the user agent strings of the catalogue and the record, with verdicts",
    description:
      `${how} Compressed with gzip for clients that accept it. ` +
      "First the catalogue's strings, then the recorded ones, the last seen first.",
    parameters: parameters(listParameters),
    responses: {
      200: { description: "The strings that match the filters.", content: contents(formats, "List") },
      304: { description: "The client's copy is current (`If-None-Match`)." },
      ...problemResponses(formats, [
        "bad-parameter",
        ...guarded,
        ...negotiated,
        "internal",
        "record-unavailable",
        "list-timeout",
        "too-many-lists",
      ]),
    },
  }));
}

/** Describes RegExp with its flavors. */
export function regexpPath(flavors: readonly string[]): Paths {
  const operation: Operation = {
    operationId: "regexp",
    tags: ["RegExp"],
    summary: "The regular expression",
    description: "Only the expression. Compiled without flags, it returns the same result as Check for every string.",
    parameters: parameters(createRegexpParameters(flavors)),
    responses: {
      200: {
        description: "The expression, or the alternatives that match `useragent`.",
        content: text("text/plain; charset=utf-8"),
      },
      204: { description: "No alternative matches `useragent`; it is not a crawler." },
      304: { description: "The client's copy is current (`If-None-Match`)." },
      ...problemResponses(formatNames, ["bad-parameter", ...guarded, "internal"]),
    },
  };
  return { "/RestService/RegExp": { get: operation } };
}

/** Describes /auth. */
export function authPath(): Paths {
  const headers = Object.fromEntries(
    ["", "-Name", "-Operator", "-Category", "-Purposes", "-Verification", "-Verification-Reason"].map((end) => [
      `X-Crawler${end}`,
      { schema: { type: "string" } },
    ]),
  );
  const operation: Operation = {
    operationId: "auth",
    tags: ["Service"],
    summary: "Tell a proxy whether to allow a request",
    description:
      "For nginx's auth_request, Caddy's forward_auth, Traefik's ForwardAuth, and Envoy's ext_authz, which may add the original " +
      "path and use any method. Reads the original request's `User-Agent`, and its path from `X-Forwarded-Uri`: " +
      "robots.txt is always allowed. Below `/auth/`, which is for Envoy, the answer is 200 instead of 204, the path is what " +
      "follows `/auth`, and the policy is in the header `X-Crawler-Policy`. With `trust-proxy`, crawlers are verified by their address in " +
      "`X-Forwarded-For`, and by their signatures for the host in `X-Forwarded-Host` (`authority`).",
    parameters: parameters(authParameters),
    responses: {
      204: { description: "Allow the request.", headers },
      403: { description: "The policy in the query refuses this crawler.", headers },
      ...problemResponses(formatNames, ["bad-parameter", ...guarded, "internal"]),
    },
  };
  return { "/auth": { get: operation } };
}
