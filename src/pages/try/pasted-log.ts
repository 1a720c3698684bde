/** Tells lines of a log from user agents, where people paste either. */

import { guessFormat } from "../../scan/formats/guess-format.ts";
import type { LogFormat } from "../../scan/lines/format.ts";

/** The format of lines that are a log's; undefined if they are user agents, or anything else. */
export function logFormatOf(lines: readonly string[]): LogFormat | undefined {
  const format = guessFormat(lines);
  return format?.name === "plain" ? undefined : format;
}
