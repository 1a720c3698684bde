/** What is shown of a scan: its report and related data. */
import type { Comparison } from "./comparison.ts";
import type { Report } from "./report.ts";

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
