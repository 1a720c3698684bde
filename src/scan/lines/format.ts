/** How to read the lines of a log. Plain data, so that it can be sent to another thread. */
import { type Columns, createColumnsReader } from "./columns.ts";
import { createJsonReader, type JsonPaths } from "./json-lines.ts";
import type { LineReader } from "./line.ts";
import { createTemplateReader, hasUserAgent } from "./template.ts";

/** How a format escapes characters that its lines cannot contain. */
export type Escapes = "none" | "backslash" | "plus" | "percent" | "quotes" | "hash";

/** The envelope that a log collector adds to each line. */
export type EnvelopeName = "syslog" | "kubernetes" | "json";

/** One of template, columns and json says where the fields are; `name` is for people. */
export interface LogFormat {
  readonly name: string;
  readonly escapes: Escapes;
  readonly envelope?: EnvelopeName;
  /** Of the envelope `json`: the path to the member that holds the line, such as `log` of Docker's objects. */
  readonly member?: readonly string[];
  /** Whether the log omits user agents, in which case a request without one may be a person's. */
  readonly omitsUserAgents?: boolean;
  /** The name of the column or member with the number of requests that a line sums up. */
  readonly countName?: string;
  readonly template?: string;
  readonly columns?: Columns;
  readonly json?: JsonPaths;
}

/** Reads the lines of a format, without an envelope. */
export function createReader({ name, template, columns, json }: LogFormat): LineReader {
  if (template !== undefined) return createTemplateReader(template);
  if (columns !== undefined) return createColumnsReader(columns);
  if (json !== undefined) return createJsonReader(json);
  throw new Error(`The format ${name} does not describe its lines.`);
}

/** Whether lines of the format say which user agent asked. */
export function saysUserAgent({ template, columns, json }: LogFormat): boolean {
  if (template !== undefined) return hasUserAgent(template);
  return columns?.columns.includes("useragent") ?? json?.useragent !== undefined;
}
