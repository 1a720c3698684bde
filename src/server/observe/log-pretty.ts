/** A line of the log for a person on a terminal: the same facts as in JSON, in one glance. */

import type { RequestEvent } from "../../service/options.ts";
import { toPlain } from "../../text/plain-text.ts";
import type { LogLevel } from "../settings/settings.ts";

export type MessageLevel = Exclude<LogLevel, "off">;

/** One line: a message, or an answered request. */
export interface LogLine {
  /** ISO 8601. */
  readonly time: string;
  readonly level: MessageLevel;
  readonly said: string | RequestEvent;
  readonly useragent: string | undefined;
  readonly error: string | undefined;
}

const colors = { error: 31, warn: 33, info: 32 } as const;

/** Writes the line. */
export function toPrettyLine({ time, level, said, useragent, error }: LogLine): string {
  const head = `${time.slice(11, 23)} \u001b[${colors[level]}m${level.padEnd(5)}\u001b[0m`;
  const text = toPlain(typeof said === "string" ? said : describe(said));
  const asked = useragent === undefined ? "" : ` "${toPlain(useragent)}"`;
  const failed = (error?.split("\n") ?? []).map((line) => `\n    ${toPlain(line)}`).join("");
  return `${head} ${text}${asked}${failed}\n`;
}

function describe({ method, route, status, durationMs, requestId }: RequestEvent): string {
  return `${method} ${route} ${status} ${durationMs.toFixed(1)} ms ${requestId}`;
}
