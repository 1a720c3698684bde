/** `whocrawls scan`: reports from log files which crawlers requested what. */

import type { ItemFacts } from "../../detect/compiled-catalogue.ts";
import { type Comparison, toComparison } from "../../scan/compare/comparison.ts";
import type { Tally } from "../../scan/count/tally.ts";
import { type Report, toJsonReport, toReport } from "../../scan/report/report.ts";
import { scanLogs } from "../../scan/run/scan-logs.ts";
import type { ScanTask } from "../../scan/run/scan-threads.ts";
import { toPlainJson } from "../../text/plain-text.ts";
import { openDetector } from "../catalogue-option.ts";
import { type Command, UsageError } from "../command.ts";
import { exitWhenPrinted, print, printBytes } from "../print-output.ts";
import { createProgress, type Progress } from "../progress.ts";
import { findOlderLog, openRobotsOfScan } from "../robots/robots-of-scan.ts";
import { openOlderReport } from "../scan/older-report.ts";
import { remarksOn } from "../scan/parse-filter.ts";
import { openReportFile } from "../scan/report-file.ts";
import { openEvidenceHere } from "../verify/open-evidence-here.ts";
import { chooseFormat } from "./scan-format.ts";
import { help, parseScanOptions, type ScanOptions } from "./scan-options.ts";

export const command: Command = {
  name: "scan",
  summary: "report from log files which crawlers requested what",
  help,
  async run(args) {
    const options = await parseScanOptions(args);
    const file = options.output === undefined ? undefined : await openReportFile(options.output, options.paths);
    const before = options.compare === undefined ? undefined : await openOlderReport(options.compare, options.filter);
    const detector = await openDetector(options.catalogueFiles);
    const progress = createProgress(options.totalBytes);
    const { catalogue } = detector;
    const here = options.verify ? await openEvidenceHere(catalogue, { report: progress.say }) : undefined;
    const robots =
      options.robots === undefined ? undefined : await openRobotsOfScan(options.robots, options.robotsSince);
    for (const warning of robots?.warnings ?? []) progress.say(warning);
    const interruption = new AbortController();
    const interrupt = () => interruption.abort();
    process.once("SIGINT", interrupt);
    const { signal } = interruption;
    let exitCode = 0;
    let hasFormat = false;
    let hasNew = false;
    const nameOf = (path: string) => (path === "-" ? "standard input" : path);
    const isPassing = options.only !== undefined || options.annotate;
    const scan = (task: ScanTask) =>
      scanLogs({
        ...options,
        ...task,
        robots: robots?.task,
        catalogue,
        signal,
        formatOf: (path, lines) => {
          const format = chooseFormat(options, nameOf(path), lines, progress.say);
          hasFormat = true;
          return format;
        },
        onEmpty: (path, tooLong) => {
          if (tooLong > 0) exitCode = 2;
          progress.say(
            `${nameOf(path)}: ${tooLong === 0 ? "It is empty." : "Every line is longer than 512 KiB. For a JSON array: jq -c '.[]' FILE | whocrawls scan -"}`,
          );
        },
        onProgress: progress.update,
        onOutput: printBytes,
        onError: (path, error) => {
          exitCode = Math.max(exitCode, error instanceof UsageError ? 2 : 1);
          for (const line of `${nameOf(path)}: ${error.message}`.split("\n")) progress.say(line);
        },
      });
    // Lines that are passed through with their verification are read again when all addresses are known.
    const isTwice = here !== undefined && isPassing;
    let tally = await scan(isTwice ? { only: undefined, annotate: false } : { ...options, robots: undefined });
    if (here !== undefined && !signal.aborted) {
      const { verifyTally } = await import("../../scan/run/verify-tally.ts");
      const { proofs } = catalogue.verification;
      await verifyTally(tally, { proofs, ...here, limitMs: options.verifyLimitMs, signal, say: progress.say });
      if (isTwice) {
        const findings = new Map(
          [...tally.crawlers].flatMap(([key, { findings }]) => (findings ? [[key, findings]] : [])),
        );
        tally = await scan({ only: options.only, annotate: options.annotate, verify: false, findings });
      }
    }
    process.removeListener("SIGINT", interrupt);
    const older = robots && findOlderLog(tally, robots);
    if (older !== undefined) progress.say(older);
    sayHowItWent(tally, signal.aborted, progress);
    // A format that was named and fits no line is a mistake, and a script should notice.
    if (tally.lines > 0 && tally.broken === tally.lines) exitCode = Math.max(exitCode, 1);
    const isTimeless = tally.untimed > 0 && tally.untimed === tally.excluded && !(tally.first <= tally.last);
    if (isTimeless) {
      exitCode = Math.max(exitCode, 1);
      progress.say("The log has no times, so --since and --until select no request.");
    }
    // Without a log that could be read, a report would say that there were no crawlers.
    const isReport = !isPassing && !isTimeless && (hasFormat || exitCode === 0);
    if (isReport) {
      const report = toReport(tally, unboundNames(catalogue.items), options.filter, options.timezone);
      for (const remark of remarksOn(report, namesOf(catalogue.items))) progress.say(remark);
      if (tally.requests > 0 && tally.sized === 0)
        progress.say("The log has no sizes of answers, so there are no figures of bytes.");
      const comparison = before && toComparison(before, { ...report, catalogue: detector.version });
      hasNew = comparison?.crawlers.some(({ status }) => status === "new") ?? false;
      // Rows of CSV have no place for them.
      if (options.format === "csv") for (const note of comparison?.notes ?? []) progress.say(note);
      const text = await render(report, comparison, options, detector.version);
      if (file === undefined) await print(text);
      else if (signal.aborted || exitCode > 0)
        progress.say(`${options.output} is left as it was, because the report is not complete.`);
      else
        await file.write(text).catch((error: Error) => {
          exitCode = 1;
          progress.say(error.message);
        });
    }
    if (options.tellsNew) exitCode = exitCode > 0 ? 2 : Number(hasNew);
    // Do not wait for standard input or DNS.
    if (signal.aborted || options.verify) await exitWhenPrinted(signal.aborted ? 130 : exitCode);
    return exitCode;
  },
};

function sayHowItWent({ broken, lines, examples }: Tally, isInterrupted: boolean, { say, end }: Progress): void {
  if (isInterrupted) say("Interrupted; this is what was found until then.");
  if (broken > 0) {
    say(`${broken} of ${lines} lines could not be read${examples.length > 0 ? ", such as:" : "."}`);
    for (const example of examples) say(`  ${example}`);
  }
  end();
}

/** The crawlers to which robots.txt does not apply, by their operators. */
function unboundNames(items: readonly ItemFacts[]): ReadonlySet<string> {
  return new Set(
    items.flatMap(({ name, robotsRules }) => (name !== undefined && robotsRules?.obeys === false ? [name] : [])),
  );
}

function namesOf(items: readonly ItemFacts[]): string[] {
  return items.flatMap(({ name }) => name ?? []);
}

/** With a comparison, all formats show only that; JSON has both, so that the next report can be compared with this one. */
async function render(
  report: Report,
  comparison: Comparison | undefined,
  { format, paths, top, output }: ScanOptions,
  version: string,
): Promise<string> {
  switch (format) {
    case "json":
      return `${toPlainJson({ ...toJsonReport(report, version), ...(comparison && { comparison }) }, 2)}\n`;
    case "csv":
      return comparison
        ? (await import("../../scan/compare/comparison-csv.ts")).toComparisonCsv(comparison)
        : (await import("../../scan/report/report-csv.ts")).toCsv(report);
    case "html": {
      const { style } = await import("../../scan/report/report-style.ts");
      const { createHash } = await import("node:crypto");
      const options = { paths, styleHash: createHash("sha256").update(style).digest("base64"), top };
      return comparison
        ? (await import("../../scan/compare/comparison-html.ts")).toComparisonHtml(comparison, options)
        : (await import("../../scan/report/report-html.ts")).toHtml(report, options);
    }
    case "table": {
      // 0 is a terminal that does not tell. hasColors respects NO_COLOR and dumb terminals.
      const { isTTY = false, columns } = process.stdout;
      const isTerminal = isTTY && output === undefined;
      const options = {
        width: isTerminal ? columns || undefined : undefined,
        hasColors: isTerminal && process.stdout.hasColors(),
        top,
      };
      return comparison
        ? (await import("../../scan/compare/comparison-table.ts")).toComparisonTable(comparison, options)
        : (await import("../../scan/report/report-table.ts")).toTable(report, options);
    }
  }
}
