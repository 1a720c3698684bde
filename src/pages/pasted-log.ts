/** Tells lines of a log from user agents, where people paste either. */
import type { LogFormat } from "../scan/format.ts";
import { guessFormat } from "../scan/guess-format.ts";

/** The format of lines that are a log's; undefined if they are user agents, or anything else. */
export function logFormatOf(lines: readonly string[]): LogFormat | undefined {
  const format = guessFormat(lines);
  return format?.name === "plain" ? undefined : format;
}
