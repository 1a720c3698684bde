/** What makes figures of a report incomplete, as sentences above it and on standard error. */
import type { Report } from "./report.ts";
import { toCount, toShare } from "./report-text.ts";
import { toDnsWarning } from "./verification.ts";

const fieldNames = { time: "time", status: "status", bytes: "size" } as const;

/** What to write instead. */
const remedies = {
  time: "Specify its format, such as --log-format '%{%d.%m.%Y %H:%M:%S}t …', or in JSON and CSV name another field: --field time=NAME",
  status: "In JSON and CSV, name another field: --field status=NAME",
  bytes: "In JSON and CSV, name another field: --field bytes=NAME",
} as const;

/** Up to this share of broken lines, a log is as usual: containers write other lines between those of requests. */
const usualBrokenShare = 0.1;

/** A warning if more lines than usual could not be read. */
export function toBrokenWarning({ broken, lines }: Pick<Report, "broken" | "lines">): string | undefined {
  if (!(broken > usualBrokenShare * lines)) return undefined;
  return `Warning: ${toCount(broken)} of ${toCount(lines)} lines (${toShare(broken, lines)}) could not be read, and their requests are not counted.`;
}

/** The warnings, the most important first. */
export function toWarnings(report: Report): readonly string[] {
  const { verificationBasis, unreadable } = report;
  return [
    ...[toBrokenWarning(report), toDnsWarning(verificationBasis)].filter((text) => text !== undefined),
    ...unreadable.map(
      ({ field, lines, example }) =>
        `Warning: the ${fieldNames[field]} of ${toCount(lines)} lines could not be read and counts as missing, such as ${JSON.stringify(example)}. ${remedies[field]}.`,
    ),
  ];
}
