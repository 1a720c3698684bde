/** How to read the lines of a log. Plain data, so that it can be sent to another thread. */
import { type Columns, createColumnsReader } from "./columns.ts";
import { createJsonReader, type JsonPaths } from "./json-lines.ts";
import { field, type GivenFields, type LineReader, outcome } from "./line.ts";
import { createLtsvReader, type Labels } from "./ltsv.ts";
import { createTemplateReader, hasUserAgent } from "./template.ts";

/** How a format escapes characters that its lines cannot contain. */
export type Escapes = "none" | "backslash" | "plus" | "percent" | "quotes" | "hash";

/**
 * What a log collector adds to each line: a header, an object that holds the line in the member at a path, such as `log` of Docker, or
 * other text in front.
 */
export type Envelope = Header | Member;
export type Header = "syslog" | "kubernetes" | Front;

export interface Member {
  readonly member: readonly string[];
}

/** Text in front of the line, such as the name of a container or a file, up to the `count`-th separator; blanks in a row are one. */
export interface Front {
  readonly after: " " | ":";
  readonly count: number;
}

/** One of template, columns, json and labels says where the fields are; `name` is for people. */
export interface LogFormat {
  readonly name: string;
  readonly escapes: Escapes;
  /** Around each line, from the outermost. */
  readonly envelopes?: readonly Envelope[];
  /** Whether the log omits user agents, in which case a request without one may be a person's. */
  readonly omitsUserAgents?: boolean;
  /** The name of the column or member with the number of requests that a line sums up. */
  readonly countName?: string;
  /** Of times that readTime does not read. */
  readonly timePattern?: string;
  readonly template?: string;
  /** The template of lines that end earlier, among the others: they have no user agent, so their requests count as people's. */
  readonly shorter?: string;
  readonly columns?: Columns;
  /** What the user has said about the fields, for columns that change within a log. */
  readonly given?: GivenFields;
  readonly json?: JsonPaths;
  readonly labels?: Labels;
}

/** Reads the lines of a format, without their envelopes. */
export function createReader({ name, template, shorter, columns, json, labels }: LogFormat): LineReader {
  if (template !== undefined && shorter !== undefined)
    return createShorterReader(createTemplateReader(template), shorter);
  if (template !== undefined) return createTemplateReader(template);
  if (columns !== undefined) return createColumnsReader(columns);
  if (json !== undefined) return createJsonReader(json);
  if (labels !== undefined) return createLtsvReader(labels);
  throw new Error(`The format ${name} does not describe its lines.`);
}

/** Whether lines of the format say which user agent asked. */
export function saysUserAgent({ template, columns, json, labels }: LogFormat): boolean {
  if (template !== undefined) return hasUserAgent(template);
  return columns?.columns.includes("useragent") ?? (json ?? labels)?.useragent !== undefined;
}

/** Reads lines as `read` does, or as a template whose last field is the size. */
function createShorterReader(read: LineReader, template: string): LineReader {
  const readShorter = createTemplateReader(template);
  return (bytes, from, to, line) => {
    if (read(bytes, from, to, line) === outcome.request) return outcome.request;
    line.from.fill(-1);
    const result = readShorter(bytes, from, to, line);
    const isWhole = result === outcome.request && !bytes.subarray(line.from[field.bytes], to).includes(space);
    return isWhole ? outcome.request : outcome.broken;
  };
}

const space = 0x20;
