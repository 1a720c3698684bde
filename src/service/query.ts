/**
 * Query parameters: each at most once, then validated by a schema; the first that is wrong is named.
 */
import type { z } from "@hono/zod-openapi";
import type { ProblemDetails } from "./problems.ts";

export type ParsedQuery<Value> =
  | { readonly success: true; readonly value: Value }
  | { readonly success: false; readonly details: ProblemDetails };

/** Reads the parameters that `schema` knows from a URL; others are ignored. Absent ones are absent from the value. */
export function parseQuery<Shape extends z.ZodRawShape>(
  url: string,
  schema: z.ZodObject<Shape>,
): ParsedQuery<z.output<z.ZodObject<Shape>>> {
  const found: Record<string, string> = {};
  const start = url.indexOf("?");
  if (start !== -1) {
    const end = url.indexOf("#", start);
    const parameters = new URLSearchParams(url.slice(start, end === -1 ? undefined : end));
    for (const name of Object.keys(schema.shape)) {
      const [value, second] = parameters.getAll(name);
      if (second !== undefined) {
        return { success: false, details: { parameter: name, detail: `Give \`${name}\` only once.` } };
      }
      if (value !== undefined) found[name] = value;
    }
  }
  const result = schema.safeParse(found);
  if (result.success) return { success: true, value: result.data };
  const issue = result.error.issues[0] as z.core.$ZodIssue;
  const allowed = issue.code === "invalid_value" ? { allowed: issue.values.map(String) } : undefined;
  return { success: false, details: { parameter: String(issue.path[0]), detail: issue.message, ...allowed } };
}
