/** The facts of the reference page: as much of an OpenAPI 3.1 document as it reads, and the table of problems. */

/** As much of an OpenAPI 3.1 document as the page reads. */
export interface ReferenceDocument {
  readonly info: { readonly description?: string };
  readonly paths?: Readonly<Record<string, Readonly<Partial<Record<"get" | "post", Operation>>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

export interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly description?: string; readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

export type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** One row of the table of problems. */
export interface ReferenceProblem {
  readonly name: string;
  readonly status: number;
  readonly title: string;
}
