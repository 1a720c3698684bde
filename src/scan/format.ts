/** The formats of logs that are known by name, and what reads each. Plain data, so that it can be sent to another thread. */
import { type Columns, createColumnsReader } from "./columns.ts";
import { createJsonReader, type JsonPaths } from "./json-lines.ts";
import type { LineReader } from "./line.ts";
import { createTemplateReader } from "./template.ts";

/** How a format writes characters that its lines cannot have as they are. */
export type Escapes = "none" | "backslash" | "plus" | "percent" | "quotes";

/** How to read the lines of a log; `name` is for people. */
export interface LogFormat {
  readonly name: string;
  readonly escapes: Escapes;
  readonly template?: string;
  readonly columns?: Columns;
  readonly json?: JsonPaths;
}

const common = '%h %l %u %t "%r" %>s %b';
const combined = `${common} "%{Referer}i" "%{User-Agent}i"`;

/** From the documentation of AWS, "Access logs for your Application Load Balancer". */
const alb =
  '$type $time_iso8601 $elb $remote_addr $target $t1 $t2 $t3 $status $target_status $received $bytes_sent "$request" "$http_user_agent"';

/** The formats that a name is enough for, in the order in which they are tried; those of columns and JSON say themselves where their fields are. */
export const templates: Readonly<Record<string, LogFormat>> = {
  alb: { name: "alb", escapes: "backslash", template: alb },
  vhost_combined: { name: "vhost_combined", escapes: "backslash", template: `%v ${combined}` },
  combined: { name: "combined", escapes: "backslash", template: combined },
  common: { name: "common", escapes: "backslash", template: common },
  plain: { name: "plain", escapes: "none", template: "$http_user_agent" },
};

export function createReader({ name, template, columns, json }: LogFormat): LineReader {
  if (template !== undefined) return createTemplateReader(template);
  if (columns !== undefined) return createColumnsReader(columns);
  if (json !== undefined) return createJsonReader(json);
  throw new Error(`The format ${name} says nothing of its lines.`);
}
