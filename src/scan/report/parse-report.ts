/** Reads a `--format json` report, which may be from another version or an untrusted source. */
import { z } from "zod";
import { categories } from "../../detect/categories.ts";
import { keyOf } from "../count/crawler-tally.ts";
import type { Comparable } from "./comparison.ts";
import { reportSchema } from "./report.ts";

const count = z.int().nonnegative();
const texts = z.array(z.string()).optional();
const time = z.iso.datetime();
const counts = { requests: count, bytes: count.optional() };
const report = z.object({
  catalogue: z.string(),
  period: z.object({ from: time, to: time }).optional(),
  filter: z.object({ paths: texts, crawlers: texts, categories: texts }).optional(),
  hasSizes: z.boolean(),
  ...counts,
  crawlerRequests: count,
  crawlerBytes: count.optional(),
  operators: z.array(z.object({ name: z.string().nullable(), ...counts })),
  crawlers: z.array(
    z.object({
      name: z.string(),
      operator: z.string().optional(),
      category: z.enum(categories),
      rule: z.boolean(),
      ...counts,
    }),
  ),
});

export interface ParsedReport extends Omit<Comparable, "filter"> {
  /** The filter of the report, without its times. */
  readonly selected: NonNullable<z.infer<typeof report>["filter"]>;
}

/** Throws an Error that says what is wrong with the text. */
export function parseReport(text: string): ParsedReport {
  const value = parseJson(text);
  const { schema } = (value ?? {}) as { readonly schema?: unknown };
  if (schema === undefined)
    throw new Error("It has no member schema: it is not a --format json report, or an older version wrote it.");
  if (schema !== reportSchema)
    throw new Error(`Its schema is ${JSON.stringify(schema)}; this version reads ${reportSchema}.`);
  const { data, error } = report.safeParse(value);
  if (error !== undefined) {
    const [{ path, message }] = error.issues as [z.core.$ZodIssue];
    throw new Error(`${toPlace(path)}: ${message}.`);
  }
  const keys = new Set<string>();
  for (const crawler of data.crawlers) {
    if (keys.has(keyOf(crawler))) throw new Error(`crawlers: ${JSON.stringify(crawler.name)} appears twice.`);
    keys.add(keyOf(crawler));
  }
  const { period, filter = {}, hasSizes } = data;
  const seconds = period === undefined ? 0 : (Date.parse(period.to) - Date.parse(period.from)) / 1000;
  if (seconds < 0) throw new Error("period: It ends before it begins.");
  const sized = [data, ...data.operators, ...data.crawlers];
  if (hasSizes && (data.crawlerBytes === undefined || sized.some(({ bytes }) => bytes === undefined)))
    throw new Error("hasSizes is true, but a byte count is missing.");
  const withBytes = <Row extends { readonly bytes?: number | undefined }>(row: Row) => ({
    ...row,
    bytes: row.bytes ?? 0,
  });
  const { filter: _, ...figures } = withBytes(data);
  return {
    ...figures,
    selected: filter,
    crawlerBytes: data.crawlerBytes ?? 0,
    period: period && { ...period, seconds },
    operators: data.operators.map(withBytes),
    crawlers: data.crawlers.map(withBytes),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`It is not JSON: ${(error as Error).message}`);
  }
}

/** `crawlers[3].requests`. */
function toPlace(path: readonly PropertyKey[]): string {
  return (
    path
      .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
      .join("")
      .replace(/^\./, "") || "The report"
  );
}
