/** Scans the lines of a log in a form, all at once because they are few. */
import type { Verdict } from "../../detect/verdict.ts";
import { createScanner, type ScannerOptions } from "../../scan/count/scanner.ts";
import type { LogFormat } from "../../scan/lines/format.ts";
import { type Report, toReport } from "../../scan/report/report.ts";

/** Makes the function that scans lines; `rulePatterns` are those of the catalogue's rules. */
export function createScanLines(
  check: (useragent: string) => Verdict,
  rulePatterns: () => ReadonlySet<string>,
): (lines: readonly string[], format: LogFormat) => Report {
  const isByRule: ScannerOptions["isByRule"] = ({ pattern }) => rulePatterns().has(pattern);
  return (lines, format) => {
    const scanner = createScanner({ check, isByRule });
    const bytes = new TextEncoder().encode(lines.join("\n"));
    scanner.scan(bytes, bytes.length, format);
    return toReport(scanner.tally);
  };
}
