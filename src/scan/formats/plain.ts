/** Lines that contain only a user agent. */
import type { LogFormat } from "../lines/format.ts";
import { mostFit } from "../lines/most-fit.ts";
import { type FormatKind, isUserAgent } from "./format-kind.ts";

const format: LogFormat = { name: "plain", escapes: "none", template: "$http_user_agent" };

export const plain: FormatKind = {
  names: ["plain"],
  lines: "only a user agent; detected if the lines begin with a product and its version, such as `Mozilla/5.0`",
  formatOf: () => format,
  guess: (lines) => (lines.some(isUserAgent) && mostFit(lines, isPlain) ? format : undefined),
};

/** A user agent has no tabs: they part the columns of a table. */
function isPlain(line: string): boolean {
  return line === "-" || (isUserAgent(line) && !line.includes("\t"));
}
