/**
 * The parts of a route's description: types, and pieces that many routes share.
 */

import { type ProblemName, problems } from "../http/problems.ts";
import type { Parameter } from "../http/query.ts";
import { type Format, formatNames, formats } from "./answer-formats.ts";
import { type JsonSchema, refer, type schemas } from "./json-schemas.ts";

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
export interface OperationResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  readonly content?: Content;
}
export type Method = "get" | "post";
export type Paths = Readonly<Record<string, Partial<Record<Method, Operation>>>>;

export const exampleUseragent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

/** Possible answers of all routes in a service with tokens or rate limits. */
export const guarded = ["bad-header", "unauthorized", "too-many-requests"] as const;

/** The paths of one operation: one whose format the client chooses, and below it one for each format. */
export function inEveryFormat(
  path: string,
  method: Method,
  toOperation: (
    formats: readonly Format[],
    how: string,
    problems: readonly ProblemName[],
  ) => Omit<Operation, "operationId">,
): Paths {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const how = `Answers in ${formatNames.map((format) => format.toUpperCase()).join(" or ")}, as the \`Accept\` header requests; default JSON.`;
  const rows: [string, Operation][] = [
    [path, { operationId: name, ...toOperation(formatNames, how, ["not-acceptable"]) }],
  ];
  for (const format of formatNames) {
    const how = `Answers in ${format.toUpperCase()}, for any \`Accept\` header.`;
    const operationId = `${name}${format[0]?.toUpperCase()}${format.slice(1)}`;
    rows.push([`${path}/${format}`, { operationId, ...toOperation([format], how, []) }]);
  }
  return Object.fromEntries(rows.map(([path, operation]) => [path, { [method]: operation }]));
}

/** Describes the parameters of a query by their table. */
export function parameters(table: Readonly<Record<string, Parameter<unknown>>>): NonNullable<Operation["parameters"]> {
  return Object.entries(table).map(([name, { about, schema, example }]) => ({
    name,
    in: "query",
    description: about,
    schema,
    ...(example !== undefined && { example }),
  }));
}

/** One schema as the content of several formats. */
export function contents(
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

/** A content that is text. */
export function text(contentType: string): Content {
  return { [contentType]: { schema: { type: "string" } } };
}

/** One response a status; problems that share a status share it. */
export function problemResponses(names: readonly Format[], all: readonly ProblemName[]): Operation["responses"] {
  const content = Object.fromEntries(names.map((name) => [formats[name].problemType, { schema: refer("Problem") }]));
  const responses: Record<string, { description: string; content: Content }> = {};
  for (const name of all) {
    const { status, title } = problems[name];
    const before = responses[status]?.description;
    responses[status] = { description: `${before === undefined ? "" : `${before} `}${title} (\`${name}\`).`, content };
  }
  return responses;
}
