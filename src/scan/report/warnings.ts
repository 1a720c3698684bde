/** What makes figures of a report incomplete, as sentences above it and on standard error. */
import type { Report } from "./report.ts";
import { toCount } from "./report-text.ts";
import { toDnsWarning } from "./verification.ts";

const fieldNames = { time: "time", status: "status", bytes: "size" } as const;

/** What to write instead. */
const remedies = {
  time: "Specify its format, such as --log-format '%{%d.%m.%Y %H:%M:%S}t …', or in JSON and CSV name another field: --field time=NAME",
  status: "In JSON and CSV, name another field: --field status=NAME",
  bytes: "In JSON and CSV, name another field: --field bytes=NAME",
} as const;

/** The warnings, the most important first. */
export function toWarnings({ verificationBasis, unreadable }: Report): readonly string[] {
  const dns = toDnsWarning(verificationBasis);
  return [
    ...(dns === undefined ? [] : [dns]),
    ...unreadable.map(
      ({ field, lines, example }) =>
        `Warning: the ${fieldNames[field]} of ${toCount(lines)} lines could not be read and counts as missing, such as ${JSON.stringify(example)}. ${remedies[field]}.`,
    ),
  ];
}
