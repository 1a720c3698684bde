/** What is shown of a scan: its report and related data; and what stands above it. */
import { sumOf } from "../count/sums.ts";
import { createToLocal } from "../count/timezone.ts";
import type { Comparison } from "./comparison.ts";
import { toPeriodText } from "./filter-report.ts";
import type { Report } from "./report.ts";
import { toCount, toIso, toRequests, toShare } from "./report-text.ts";
import { sumOfResults } from "./verification.ts";

/** Tables, pages and findings show its times as they are: `toLocalView` makes them those of the report's zone. */
export interface ReportView {
  readonly report: Report;
  /** The logs, as they were named. */
  readonly logs: readonly string[];
  /** How an earlier report differs, and how it was named. */
  readonly comparison?: Comparison | undefined;
  readonly comparedWith?: string | undefined;
  /** Rows of each list. Default: by list. */
  readonly top?: number | undefined;
}

/** `access.log`, `access.log and 3 more`. */
export function toLogName([first = "-", ...others]: readonly string[]): string {
  const name = first === "-" ? "the log" : first.slice(first.lastIndexOf("/") + 1);
  return others.length > 0 ? `${name} and ${others.length} more` : name;
}

/** The period of a report, or why it has none, since the log may lie outside that of the filter; and what was read of the log. */
export function toReadText(report: Report): string {
  const { period, logPeriod, requests, timezone, lines, broken, hasSizes, crawlers, unreadable: fields } = report;
  const isTimeless = fields.every(({ field }) => field !== "time");
  const whole = logPeriod && `The log covers ${toPeriodText(logPeriod, timezone)}. `;
  const times =
    period === undefined
      ? (whole ?? (requests === 0 ? "" : isTimeless ? "The log has no times. " : "No time could be read. "))
      : `${toPeriodText(period, timezone)}. `;
  const unreadable = broken > 0 ? `, ${toCount(broken)} of them unreadable` : "";
  const hasStatuses = crawlers.length === 0 || crawlers.some(({ statuses }) => Object.keys(statuses).length > 0);
  const lacking = [...(hasStatuses ? [] : ["no statuses"]), ...(hasSizes ? [] : ["no sizes"])].join(" and ");
  return `${times}${toCount(lines)} ${lines === 1 ? "line" : "lines"} read${unreadable}${lacking && `; the log has ${lacking}`}.`;
}

/** The view for people, with times as clocks of the report's zone show them; JSON and CSV have times in UTC. */
export function toLocalView(view: ReportView): ReportView {
  // Already so; a copy of a report with thousands of crawlers would take a tenth of the time of a scan.
  if (view.report.timezone === "UTC") return view;
  const toLocal = createToLocal(view.report.timezone);
  const localize = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value), (name, one) =>
      /^(?:from|to|first|last)$/.test(name) && typeof one === "string" ? toIso(toLocal(Date.parse(one) / 1000)) : one,
    );
  return { ...view, report: localize(view.report), comparison: view.comparison && localize(view.comparison) };
}

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

/** What could not be verified: without addresses, in time, or because DNS gave no answer for half of the addresses or more. */
function toVerificationWarnings({ crawlers, verificationBasis }: Report): readonly string[] {
  const checked = crawlers.filter(({ verification }) => verification !== undefined);
  if (verificationBasis === undefined || checked.length === 0) return [];
  const { dnsAsked, dnsFailed } = verificationBasis;
  const unchecked = sumOf(checked, ({ verification }) => verification!.unchecked);
  const all = sumOf(checked, ({ verification }) => sumOfResults(verification!));
  const hasAddresses = checked.some(
    ({ verification, suspects }) =>
      verification!.unverifiable < sumOfResults(verification!) ||
      suspects?.addresses.some(({ address }) => address !== null),
  );
  return [
    ...(hasAddresses ? [] : ["Warning: no crawler could be verified: the log has no addresses of clients."]),
    ...(unchecked === 0
      ? []
      : [
          `Warning: ${toCount(unchecked)} of ${toRequests(all)} in the name of known crawlers are unchecked: --verify ended before (--verify-limit).`,
        ]),
    ...(dnsFailed === 0 || dnsFailed < dnsAsked / 2
      ? []
      : [
          `Warning: DNS failed for ${toCount(dnsFailed)} of ${toCount(dnsAsked)} addresses, so genuine and spoofed crawlers count as unverifiable.`,
        ]),
  ];
}

/** The warnings, the most important first. */
export function toWarnings(report: Report): readonly string[] {
  const { unreadable, crawlers, paths, pathsExact } = report;
  const broken = toBrokenWarning(report);
  // Of estimates, none may be left.
  const lacksPaths = pathsExact && paths.length === 0 && crawlers.some(({ robots }) => robots);
  return [
    ...(broken === undefined ? [] : [broken]),
    ...toVerificationWarnings(report),
    ...(lacksPaths ? ["Warning: the log has no paths, so no request could be compared with robots.txt."] : []),
    ...unreadable.map(
      ({ field, lines, example }) =>
        `Warning: the ${fieldNames[field]} of ${toCount(lines)} lines could not be read and counts as missing, such as ${JSON.stringify(example)}. ${remedies[field]}.`,
    ),
  ];
}
