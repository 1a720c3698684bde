/** What a route's description says, in the terms of OpenAPI. Types only: openapi-parts.ts has the pieces that many routes share. */
import type { JsonSchema } from "./json-schemas.ts";

export type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
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
