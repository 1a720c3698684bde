/**
 * The pieces of descriptions that many routes share, and routes that exist once for each format.
 */

import type { schemas } from "../../generated/json-schemas.ts";
import type { Route } from "../../http/context.ts";
import { type AnswerFormat, answerFormatNames, answerFormats } from "../../http/formats.ts";
import type { Content, JsonSchema, Operation } from "../../http/operation.ts";
import { type ProblemName, problems } from "../../http/problems.ts";
import type { Parameter } from "../../http/query.ts";
import { capitalize } from "../../text/capitalize.ts";

export const exampleUseragent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

/** The schema of this name. */
export function refer(name: keyof typeof schemas): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Possible problems of all routes that a service with tokens or rate limits guards. */
export const guarded = ["bad-header", "unauthorized", "misdirected", "too-many-requests", "internal"] as const;

/** What differs between the paths of one operation. */
export interface FormatChoice {
  readonly formats: readonly AnswerFormat[];
  /** How the format is chosen, in words. */
  readonly how: string;
  /** Problems of the choice. */
  readonly problems: readonly ProblemName[];
}

/** The routes of one operation: one whose format the client chooses, and below it one for each format. */
export function inEveryFormat<Outcome>(
  route: Omit<Route<Outcome>, "operation">,
  toOperation: (choice: FormatChoice) => Omit<Operation, "operationId">,
): Route<Outcome>[] {
  const { path } = route;
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const toName = (format: AnswerFormat) => name + capitalize(format);
  const names = answerFormatNames.map((format) => format.toUpperCase()).join(" or ");
  const how = `Responds in ${names}, as the \`Accept\` header requests; default JSON.`;
  const negotiated: FormatChoice = { formats: answerFormatNames, how, problems: ["not-acceptable"] };
  return [
    { ...route, operation: () => ({ operationId: name, ...toOperation(negotiated) }) },
    ...answerFormatNames.map((format): Route<Outcome> => {
      const how = `Always responds in ${format.toUpperCase()}, whatever the \`Accept\` header.`;
      const fixed: FormatChoice = { formats: [format], how, problems: [] };
      const operation = () => ({ operationId: toName(format), ...toOperation(fixed) });
      return { ...route, path: `${path}/${format}`, format, operation };
    }),
  ];
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

/** One schema as the content of several formats. The example of XML has the members of JSON, as the schema has. */
export function contents(names: readonly AnswerFormat[], schema: keyof typeof schemas, example?: object): Content {
  const content = { schema: refer(schema), ...(example !== undefined && { example }) };
  const rows = names.map((name) => [answerFormats[name].mediaTypes[0], content]);
  return Object.fromEntries(rows);
}

/** A content that is text. */
export function textContent(contentType: string): Content {
  return { [contentType]: { schema: { type: "string" } } };
}

/** One response per status; problems with the same status share it. */
export function problemResponses(names: readonly AnswerFormat[], all: readonly ProblemName[]): Operation["responses"] {
  const content = Object.fromEntries(
    names.map((name) => [answerFormats[name].problemType, { schema: refer("Problem") }]),
  );
  const responses: Record<string, { description: string; content: Content }> = {};
  for (const name of all) {
    const { status, title } = problems[name];
    const before = responses[status]?.description;
    responses[status] = { description: `${before === undefined ? "" : `${before} `}${title} (\`${name}\`).`, content };
  }
  return responses;
}

/** Describes GET of one text that anyone may read. */
export function textOperation(operationId: string, summary: string, contentType: string): () => Operation {
  return () => ({
    operationId,
    tags: ["Service"],
    summary,
    responses: { 200: { description: summary, content: textContent(contentType) } },
  });
}
