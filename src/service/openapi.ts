/**
 * The OpenAPI description of each route, with examples computed by the service itself.
 */

import type { Detector } from "../detect/verdict.ts";
import { authParameters } from "./auth.ts";
import { maxItems, ndjson } from "./check-many.ts";
import { type Format, formatNames, formats } from "./formats.ts";
import { listParameters } from "./list.ts";
import { type ProblemName, problems } from "./problems.ts";
import type { Parameter } from "./query.ts";
import { createRegexpParameters } from "./regexp.ts";
import { type JsonSchema, refer, schemas } from "./schemas.ts";

export type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: "query";
    readonly description: string;
    readonly schema: JsonSchema;
    readonly example?: string | number;
  }[];
  readonly requestBody?: { readonly required: true; readonly description: string; readonly content: Content };
  readonly responses: Readonly<Record<string, OperationResponse>>;
}
interface OperationResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  readonly content?: Content;
}
type Method = "get" | "post";
type Paths = Readonly<Record<string, Partial<Record<Method, Operation>>>>;

export interface OpenapiParts {
  readonly detector: Detector;
  readonly flavors: readonly string[];
  readonly hasMetrics: boolean;
  /** Whether tokens are asked for. */
  readonly needsToken: boolean;
}

/** Makes the function that describes a service at an address. */
export function createOpenapi(parts: OpenapiParts) {
  let paths: Paths | undefined;
  return (server: string) => {
    paths ??= {
      ...checkPaths(parts),
      ...checkManyPath(),
      ...listPaths(),
      ...regexpPath(parts.flavors),
      ...authPath(),
      ...servicePaths(parts.hasMetrics),
    };
    return {
      openapi: "3.1.0",
      info: {
        title: "whocrawls",
        version: parts.detector.version,
        description:
          "Does this user agent string belong to a web crawler, and whose? One catalogue, one regular expression, one verdict. " +
          "The XML answers are described by /whocrawls.xsd, problems in XML by /problem.xsd.",
        license: { name: "MIT" },
      },
      servers: [{ url: server }],
      externalDocs: { url: `${server}/whocrawls.xsd`, description: "XML Schema of the XML answers" },
      ...(parts.needsToken && { security: [{ bearer: [] }] }),
      paths,
      components: { schemas, securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    };
  };
}
export type OpenapiDocument = ReturnType<ReturnType<typeof createOpenapi>>;

const exampleUseragent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

/** What a service that asks for tokens, or limits rates, may answer to anything. */
const guarded = ["bad-header", "unauthorized", "too-many-requests"] as const;

/** The paths of one operation: one whose format the client chooses, and below it one for each format. */
function inEveryFormat(
  path: string,
  method: Method,
  toOperation: (
    formats: readonly Format[],
    how: string,
    problems: readonly ProblemName[],
  ) => Omit<Operation, "operationId">,
): Paths {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const how = `Answers in ${formatNames.map((format) => format.toUpperCase()).join(" or ")}, as the \`Accept\` header asks; JSON where it does not say.`;
  const rows: [string, Operation][] = [
    [path, { operationId: name, ...toOperation(formatNames, how, ["not-acceptable"]) }],
  ];
  for (const format of formatNames) {
    const how = `Answers in ${format.toUpperCase()}, whatever the \`Accept\` header says.`;
    const operationId = `${name}${format[0]?.toUpperCase()}${format.slice(1)}`;
    rows.push([`${path}/${format}`, { operationId, ...toOperation([format], how, []) }]);
  }
  return Object.fromEntries(rows.map(([path, operation]) => [path, { [method]: operation }]));
}

function checkPaths({ detector }: OpenapiParts): Paths {
  const verdict = detector.check(exampleUseragent);
  const examples = { json: verdict, xml: formats.xml.writeVerdict(verdict) };
  return inEveryFormat("/RestService/Check", "post", (formats, how, negotiated) => ({
    tags: ["Check"],
    summary: "Does this user agent belong to a crawler, and whose?",
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
        "too-large",
        "not-declared-json",
        "no-useragent",
        "bad-evidence",
        "internal",
      ]),
    },
  }));
}

function checkManyPath(): Paths {
  const lines: Content = { [ndjson]: { schema: refer("Verdict") }, "text/plain": { schema: { type: "string" } } };
  const items = { type: "array", items: { anyOf: [{ type: "string" }, refer("CheckRequest")] } };
  const verdicts = { type: "array", items: refer("Verdict"), xml: { name: "checks", wrapped: true } };
  const operation: Operation = {
    operationId: "checkmany",
    tags: ["CheckMany"],
    summary: "The same of any number of user agents, in order",
    description:
      "Lines are answered while they come: lines of JSON by a verdict each, a bad one by a problem in its place; lines of text " +
      "by `0` or `1` each, or by verdicts, as the `Accept` header asks. An array is answered by an array, or in XML.",
    requestBody: {
      required: true,
      description: `Lines of JSON or text, of at most 64 KiB each; or an array of at most ${maxItems} items. May be in gzip.`,
      content: {
        [ndjson]: { schema: { anyOf: items.items.anyOf } },
        "text/plain": { schema: { type: "string" } },
        "application/json": { schema: items },
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
        "too-large",
        "type-not-taken",
        "no-useragent",
        "bad-evidence",
        "internal",
      ]),
    },
  };
  return { "/RestService/CheckMany": { post: operation } };
}

function listPaths(): Paths {
  return inEveryFormat("/RestService/List", "get", (formats, how, negotiated) => ({
    tags: ["List"],
    summary: "Which user agent strings does the service evaluate, and with what verdict?",
    description:
      `${how} Compressed with gzip for clients that accept it. ` +
      "First the catalogue's strings, then those that Check was asked about, the last seen first.",
    parameters: parameters(listParameters),
    responses: {
      200: { description: "The strings that the filters let through.", content: contents(formats, "List") },
      304: { description: "The client has it already (`If-None-Match`)." },
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

function regexpPath(flavors: readonly string[]): Paths {
  const operation: Operation = {
    operationId: "regexp",
    tags: ["RegExp"],
    summary: "The regular expression that decides",
    description:
      "The expression and nothing else. A client that compiles it, without flags, gets the same answer as Check for every string.",
    parameters: parameters(createRegexpParameters(flavors)),
    responses: {
      200: {
        description: "The expression, or the alternatives that match `useragent`.",
        content: text("text/plain; charset=utf-8"),
      },
      204: { description: "No alternative matches `useragent`: it is not a crawler's." },
      304: { description: "The client has it already (`If-None-Match`)." },
      ...problemResponses(formatNames, ["bad-parameter", ...guarded, "internal"]),
    },
  };
  return { "/RestService/RegExp": { get: operation } };
}

function authPath(): Paths {
  const headers = Object.fromEntries(
    ["", "-Name", "-Operator", "-Category", "-Purposes", "-Verification", "-Verification-Reason"].map((end) => [
      `X-Crawler${end}`,
      { schema: { type: "string" } },
    ]),
  );
  const operation: Operation = {
    operationId: "auth",
    tags: ["Service"],
    summary: "Should a proxy let this request through?",
    description:
      "For nginx's auth_request, Caddy's forward_auth, Traefik's ForwardAuth, and Envoy's ext_authz, which may add the original " +
      "path and use any method. Reads the original request's `User-Agent`, and its path from `X-Forwarded-Uri`: " +
      "robots.txt is always let through. Where the service believes proxies (`trust-proxy`), crawlers are verified by their address in " +
      "`X-Forwarded-For`.",
    parameters: parameters(authParameters),
    responses: {
      204: { description: "It should.", headers },
      403: { description: "The policy in the query refuses this crawler.", headers },
      ...problemResponses(formatNames, ["bad-parameter", ...guarded, "internal"]),
    },
  };
  return { "/auth": { get: operation } };
}

function servicePaths(hasMetrics: boolean): Paths {
  const get = (path: string, operation: Omit<Operation, "tags" | "operationId">, operationId = path.slice(1)) => ({
    [path]: { get: { operationId: operationId.replace(".", "-"), tags: ["Service"] as const, ...operation } },
  });
  const plain = (path: string, summary: string, contentType: string, security: object = { security: [] }) =>
    get(path, { summary, ...security, responses: { 200: { description: summary, content: text(contentType) } } });
  const json = (name: keyof typeof schemas, example: unknown): Content => ({
    "application/json": { schema: refer(name), example },
  });
  return {
    ...get(
      "/healthz",
      {
        summary: "Is the service alive?",
        security: [],
        responses: { 200: { description: "It is.", content: json("Health", { status: "ok" }) } },
      },
      "health",
    ),
    ...get(
      "/readyz",
      {
        summary: "Should the service be sent requests?",
        security: [],
        responses: {
          200: { description: "It should.", content: json("Readiness", { ready: true, reasons: [], warnings: [] }) },
          503: {
            description: "It should not.",
            content: json("Readiness", { ready: false, reasons: ["stopping"], warnings: [] }),
          },
        },
      },
      "readiness",
    ),
    ...(hasMetrics && plain("/metrics", "Figures for Prometheus", "text/plain; version=0.0.4; charset=utf-8", {})),
    ...plain("/openapi.json", "This description", "application/json"),
    ...plain("/", "A page that checks user agents while one types", "text/html; charset=utf-8"),
    ...plain("/docs", "This description, to read", "text/html; charset=utf-8"),
    ...plain("/whocrawls.xsd", "The XML Schema of Check and List", "application/xml; charset=utf-8"),
    ...plain("/problem.xsd", "The XML Schema of problems", "application/xml; charset=utf-8"),
  };
}

function parameters(table: Readonly<Record<string, Parameter<unknown>>>): NonNullable<Operation["parameters"]> {
  return Object.entries(table).map(([name, { about, schema, example }]) => ({
    name,
    in: "query",
    description: about,
    schema,
    ...(example !== undefined && { example }),
  }));
}

function contents(
  names: readonly Format[],
  schema: keyof typeof schemas,
  examples: Partial<Record<Format, unknown>> = {},
): Content {
  const rows = names.map((name) => {
    const example = examples[name];
    return [formats[name].asked[0], { schema: refer(schema), ...(example !== undefined && { example }) }];
  });
  return Object.fromEntries(rows);
}

function text(contentType: string): Content {
  return { [contentType]: { schema: { type: "string" } } };
}

/** One response a status; problems that share a status share it. */
function problemResponses(names: readonly Format[], all: readonly ProblemName[]): Operation["responses"] {
  const content = Object.fromEntries(names.map((name) => [formats[name].problemType, { schema: refer("Problem") }]));
  const responses: Record<string, { description: string; content: Content }> = {};
  for (const name of all) {
    const { status, title } = problems[name];
    const before = responses[status]?.description;
    responses[status] = { description: `${before === undefined ? "" : `${before} `}${title} (\`${name}\`).`, content };
  }
  return responses;
}
