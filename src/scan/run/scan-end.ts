/** Decides how a scan ends: what it says, whether its report is complete, what needs action, and the exit code. */
import { didYouMean, nearestWord } from "../../text/nearest-word.ts";
import { toInvalidText } from "../count/invalid-addresses.ts";
import type { RequestFilter } from "../count/request-filter.ts";
import type { Tally } from "../count/tally.ts";
import { toComparison } from "../report/comparison.ts";
import { type Finding, toFindings } from "../report/findings.ts";
import type { ParsedReport } from "../report/parse-report.ts";
import type { Report } from "../report/report.ts";
import { type ReportView, toBrokenWarning, toLocalView, toWarnings } from "../report/report-view.ts";

/** What becomes of the report. */
export const outcomes = {
  complete: "complete",
  printed: "only printed",
  other: "only printed, if another log could be read",
  none: "none",
} as const;

const end = (code: number, strict: number, report: keyof typeof outcomes, when: string) => ({
  when,
  code,
  strict,
  report,
});

/** How a scan ends, with its exit code, and the one with `--exit-code`. docs/scan-output.md has the table. */
export const endings = {
  read: end(0, 0, "complete", "the logs were read, and nothing below applies"),
  alarm: end(0, 1, "complete", "a finding needs action, without `--compare`"),
  "new-crawler": end(0, 1, "complete", "a crawler is new, with `--compare`"),
  unread: end(1, 2, "printed", "more than half of the lines could not be read"),
  damaged: end(1, 2, "other", "a log cannot be read or is damaged, or the program that decompresses it is missing"),
  "no-such-crawler": end(
    1,
    2,
    "printed",
    "no request matches, and `--crawler` is in neither the catalogue nor the log",
  ),
  "outside-log": end(1, 2, "printed", "`--since` is a date after the log's end, or `--until` one before its beginning"),
  timeless: end(1, 2, "none", "`--since` or `--until`, and the log has no times"),
  unwritable: end(1, 2, "none", "the report cannot be written, to standard output or to the file of `--output`"),
  stopped: end(1, 2, "none", "a thread of the scan stopped"),
  unknown: end(2, 2, "other", "a log matches no format, or every line of it is longer than 512 KiB"),
  "no-proxies": end(2, 2, "printed", "`--trust-proxy`, which the addresses of no log need"),
  option: end(2, 2, "none", "an option is invalid, or a file that it names"),
  interrupted: end(130, 130, "printed", "Ctrl-C ended the scan"),
};

export type Ending = keyof typeof endings;

/** The code for all that has happened; `isStrict` stands for `--exit-code`. */
export function toExitCode(found: readonly Ending[], isStrict: boolean): number {
  return Math.max(0, ...found.map((ending) => endings[ending][isStrict ? "strict" : "code"]));
}

/** A scan that has read its logs. */
export interface FinishedScan {
  readonly tally: Tally;
  readonly report: Report;
  /** What went wrong with a file, or with the whole scan. */
  readonly faults: readonly Ending[];
  /** Whether the format of any log was found. */
  readonly hasFormat: boolean;
  /** Whether lines are printed instead of a report. */
  readonly isPassing: boolean;
  readonly filter: RequestFilter | undefined;
  /** The limits of the filter that were given as dates, not as ages. */
  readonly dates: readonly ("since" | "until")[];
  /** The names of the catalogue's crawlers. */
  readonly known: readonly string[];
  readonly view: Pick<ReportView, "logs" | "top" | "comparedWith">;
  /** The earlier report, and the version of the catalogue now. */
  readonly before: ParsedReport | undefined;
  readonly catalogue: string;
}

export interface ScanEnd {
  readonly found: readonly Ending[];
  /** Messages for standard error. */
  readonly said: readonly string[];
  /** Absent if there is no report. */
  readonly shown?: {
    readonly view: ReportView;
    /** With the times of the report's zone. */
    readonly local: ReportView;
    readonly findings: readonly Finding[];
  };
  /** False if the report is neither compared nor written to a file. */
  readonly isComplete: boolean;
}

export function endScan(scan: FinishedScan): ScanEnd {
  const { report, hasFormat, isPassing, before, catalogue } = scan;
  const faults = [...scan.faults, ...faultsOf(scan)];
  const isComplete = faults.length === 0;
  const said = toMessages(scan, faults);
  // Without a log that could be read, a report would say that there were no crawlers.
  const isReport =
    !isPassing && !faults.includes("timeless") && (hasFormat || !scan.faults.some((fault) => fault !== "interrupted"));
  if (!isReport) return { found: faults, said, isComplete };
  const comparison = isComplete && before ? toComparison(before, { ...report, catalogue }) : undefined;
  const view = { report, ...scan.view, comparison };
  const local = toLocalView(view);
  const findings = toFindings(local);
  const isNews = comparison?.crawlers.some(({ status }) => status === "new") === true;
  const isAlarm = comparison === undefined && findings.some((finding) => finding.isAlarm);
  const found = [...faults, ...(isNews ? ["new-crawler" as const] : []), ...(isAlarm ? ["alarm" as const] : [])];
  return { found, said, isComplete, shown: { view, local, findings } };
}

/** More than this share of unread lines is a fault. */
const maxBrokenShare = 0.5;

function faultsOf(scan: FinishedScan): readonly Ending[] {
  const { tally, filter = {}, dates } = scan;
  const { first, last, lines, broken, requests, excluded, untimed } = tally;
  const isTimed = first <= last;
  const isOutside =
    (dates.includes("since") && last < filter.since!) || (dates.includes("until") && first >= filter.until!);
  const found: Readonly<Partial<Record<Ending, boolean>>> = {
    unread: broken > maxBrokenShare * lines,
    "no-such-crawler": requests === 0 && excluded > 0 && unknownNames(scan).length > 0,
    "outside-log": isTimed && isOutside,
    timeless: !isTimed && untimed > 0 && untimed === excluded,
  };
  return Object.entries(found).flatMap(([ending, isFound]) => (isFound ? (ending as Ending) : []));
}

/** The names of the filter that neither the catalogue nor the log has. */
function unknownNames({ tally, filter, known }: FinishedScan): readonly string[] {
  const names = new Set(known.map((name) => name.toLowerCase()));
  return (filter?.crawlers ?? []).filter((name) => {
    const lower = name.toLowerCase();
    return !names.has(lower) && !tally.seenNames.has(lower);
  });
}

/** From this number and share of requests on, user agents that look like another field are reported. */
const manyUnlikely = { requests: 100, share: 0.01 };

function toMessages(scan: FinishedScan, faults: readonly Ending[]): readonly string[] {
  const { tally, report, before, isPassing, view } = scan;
  const { broken, lines, examples, requests, excluded, withoutAgent, unlikely, unlikelyExample, untimed } = tally;
  const such = examples.length > 0 ? ", such as:" : ".";
  const brokenText = toBrokenWarning(report) ?? `${broken} of ${lines} lines could not be read${such}`;
  const hasTimes = !faults.includes("timeless");
  const invalid = toInvalidText(tally.invalidAddresses);
  const messages: readonly (readonly [isSaid: boolean, ...texts: readonly string[]])[] = [
    [faults.includes("interrupted"), "Interrupted; these are the results so far."],
    [broken > 0, brokenText, ...examples.map((example) => `  ${example}`)],
    [invalid !== undefined, invalid ?? ""],
    [
      withoutAgent > 0,
      `${withoutAgent} of ${requests} requests are in lines of the common log, which have no user agent: they count as people's.`,
    ],
    [
      unlikely >= Math.max(manyUnlikely.requests, manyUnlikely.share * requests),
      `The user agents of ${unlikely} of ${requests} requests look like another field. If the order of the fields changes in the log, scan its parts with --log-format. The first such line:`,
      `  ${unlikelyExample}`,
    ],
    [!hasTimes, "No line has a time that could be read, so --since and --until select no requests."],
    [true, ...toWarnings(report).filter((text) => text !== brokenText)],
    [hasTimes && untimed > 0, `Requests without a time are excluded by --since and --until: ${untimed}.`],
    [hasTimes && requests === 0 && excluded > 0, `No request matches the filter; ${excluded} were excluded.`],
    [hasTimes, ...toNameMessages(scan)],
    [requests > 0 && tally.sized === 0 && !isPassing, "The log has no response sizes, so there are no byte counts."],
    [
      before !== undefined && faults.length > 0,
      `The report is not compared with ${view.comparedWith} because the scan did not succeed.`,
    ],
  ];
  return messages.flatMap(([isSaid, ...texts]) => (isSaid ? texts : []));
}

/** The names of the filter by which no request was made. */
function toNameMessages(scan: FinishedScan): readonly string[] {
  const { report, filter, known } = scan;
  const counted = new Set(report.crawlers.map(({ name }) => name.toLowerCase()));
  const unknown = unknownNames(scan);
  return (filter?.crawlers ?? []).flatMap((name) => {
    if (counted.has(name.toLowerCase())) return [];
    const text = JSON.stringify(name);
    return unknown.includes(name)
      ? `There is no crawler named ${text} in the catalogue or in the log.${didYouMean(nearestWord(name, known))}`
      : `No request that matches the filter was made by a crawler named ${text}.`;
  });
}
