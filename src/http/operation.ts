/** What a route's description says, in the terms of OpenAPI and JSON Schema. Types only. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema;
  readonly required?: readonly string[];
  readonly xml?: Readonly<Record<string, string | boolean>>;
  readonly $ref?: string;
}
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
