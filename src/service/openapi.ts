/**
 * The OpenAPI description: what each route takes and answers, with examples that are worked out by the service itself.
 */
import { createRoute, type OpenAPIHono, type RouteConfig, type z } from "@hono/zod-openapi";
import type { Detector } from "../detect/verdict.ts";
import type { ServiceEnv } from "./options.ts";
import { type ProblemName, problems } from "./problems.ts";
import { createRegexpQuery } from "./regexp.ts";
import { CheckRequest, Health, List, listQuery, Problem, Readiness, Verdict } from "./schemas.ts";
import { toCheckXml } from "./xml.ts";

const exampleUseragent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const formats = ["json", "xml"] as const;
type Formats = readonly (typeof formats)[number][];
type Examples = Partial<Record<Formats[number], unknown>>;

/** The paths that come in three forms, by the part that is added to the name of the operation. */
const suffixes = [
  { path: "", id: "", formats, how: "JSON or XML, as the `Accept` header asks; JSON where it does not say." },
  { path: "/json", id: "Json", formats: ["json"], how: "JSON, whatever the `Accept` header says." },
  { path: "/xml", id: "Xml", formats: ["xml"], how: "XML, whatever the `Accept` header says." },
] as const;

/** Describes the service's own routes in the registry of `app`. */
export function describeRoutes(app: OpenAPIHono<ServiceEnv>, detector: Detector, flavors: readonly string[]): void {
  const add = (route: RouteConfig) => app.openAPIRegistry.registerPath(createRoute(route));
  const verdict = detector.check(exampleUseragent);
  const verdictExamples = { json: verdict, xml: toCheckXml(verdict) };
  for (const { path, id, formats, how } of suffixes) {
    const negotiated: readonly ProblemName[] = path === "" ? ["not-acceptable"] : [];
    add({
      method: "post",
      path: `/RestService/Check${path}`,
      operationId: `check${id}`,
      tags: ["Check"],
      summary: "Does this user agent belong to a crawler, and whose?",
      description: `Answers in ${how}`,
      request: {
        body: {
          required: true,
          description: "JSON in UTF-8, at most 64 KiB.",
          content: { "application/json": { schema: CheckRequest, example: { useragent: exampleUseragent } } },
        },
      },
      responses: {
        200: { description: "The verdict.", ...contents(formats, Verdict, "application/", verdictExamples) },
        ...problemResponses(formats, [
          "not-json",
          ...guarded,
          ...negotiated,
          "too-large",
          "not-declared-json",
          "no-useragent",
          "internal",
        ]),
      },
    });
  }
  for (const { path, id, formats, how } of suffixes) {
    const negotiated: readonly ProblemName[] = path === "" ? ["not-acceptable"] : [];
    add({
      method: "get",
      path: `/RestService/List${path}`,
      operationId: `list${id}`,
      tags: ["List"],
      summary: "Which user agent strings does the service evaluate, and with what verdict?",
      description:
        `Answers in ${how} Compressed with gzip for clients that accept it. ` +
        "First the catalogue's strings, then those that Check was asked about, the last seen first.",
      request: { query: listQuery },
      responses: {
        200: { description: "The strings that the filters let through.", ...contents(formats, List, "application/") },
        304: { description: "The client has it already (`If-None-Match`)." },
        ...problemResponses(formats, ["bad-parameter", ...guarded, ...negotiated, "internal", "record-unavailable"]),
      },
    });
  }
  add({
    method: "get",
    path: "/RestService/RegExp",
    operationId: "regexp",
    tags: ["RegExp"],
    summary: "The regular expression that decides",
    description:
      "The expression and nothing else. A client that compiles it, without flags, gets the same answer as Check for every string.",
    request: { query: createRegexpQuery(flavors) },
    responses: {
      200: {
        description: "The expression, or the alternatives that match `useragent`.",
        ...text("text/plain; charset=utf-8"),
      },
      204: { description: "No alternative matches `useragent`: it is not a crawler's." },
      304: { description: "The client has it already (`If-None-Match`)." },
      ...problemResponses(formats, ["bad-parameter", ...guarded, "internal"]),
    },
  });
  add({
    method: "get",
    path: "/healthz",
    operationId: "health",
    tags: ["Service"],
    summary: "Is the service alive?",
    responses: {
      200: { description: "It is.", ...contents(["json"], Health, "application/", { json: { status: "ok" } }) },
    },
  });
  const ready = { ready: true, reasons: [], warnings: [] };
  const stopping = { ready: false, reasons: ["stopping"], warnings: [] };
  add({
    method: "get",
    path: "/readyz",
    operationId: "readiness",
    tags: ["Service"],
    summary: "Should the service be sent requests?",
    responses: {
      200: { description: "It should.", ...contents(["json"], Readiness, "application/", { json: ready }) },
      503: { description: "It should not.", ...contents(["json"], Readiness, "application/", { json: stopping }) },
    },
  });
  for (const [path, summary, contentType] of plainRoutes) {
    add({
      method: "get",
      path,
      operationId: path.slice(1).replace(".", "-"),
      tags: ["Service"],
      summary,
      responses: { 200: { description: summary, ...text(contentType) } },
    });
  }
}

/** What a service that asks for tokens, or limits rates, may answer to anything. */
const guarded = ["unauthorized", "too-many-requests"] as const;

const plainRoutes = [
  ["/openapi.json", "This description", "application/json"],
  ["/docs", "This description, to read", "text/html; charset=utf-8"],
  ["/whocrawls.xsd", "The XML Schema of Check and List", "application/xml; charset=utf-8"],
  ["/problem.xsd", "The XML Schema of problems", "application/xml; charset=utf-8"],
] as const;

/** Writes the document of everything described in the registry of `app`. */
export function toOpenapi(app: OpenAPIHono<ServiceEnv>, version: string) {
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "whocrawls",
      version,
      description:
        "Does this user agent string belong to a web crawler, and whose? One catalogue, one regular expression, one verdict. " +
        "The XML answers are described by /whocrawls.xsd, problems in XML by /problem.xsd.",
      license: { name: "MIT" },
    },
    servers: [{ url: "/" }],
    externalDocs: { url: "/whocrawls.xsd", description: "XML Schema of the XML answers" },
  });
}

function contents(formats: Formats, schema: z.ZodType, prefix: string, examples: Examples = {}) {
  const content: Record<string, { schema: z.ZodType; example?: unknown }> = {};
  for (const format of formats) {
    const example = examples[format];
    content[prefix + format] = example === undefined ? { schema } : { schema, example };
  }
  return { content };
}

function text(contentType: string) {
  return { content: { [contentType]: { schema: { type: "string" as const } } } };
}

/** One response a status; problems that share a status share it. */
function problemResponses(formats: Formats, names: readonly ProblemName[]) {
  const responses: Record<number, { description: string; content: Record<string, { schema: z.ZodType }> }> = {};
  for (const name of names) {
    const { status, title } = problems[name];
    responses[status] = {
      description: `${title} (\`${name}\`).`,
      ...contents(formats, Problem, "application/problem+"),
    };
  }
  return responses;
}
