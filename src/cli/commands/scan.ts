/** `whocrawls scan`: reports from log files which crawlers requested what. */

import type { ItemFacts } from "../../detect/compiled-catalogue.ts";
import type { ScanTask } from "../../scan/count/scan-task.ts";
import type { Tally } from "../../scan/count/tally.ts";
import { type Inspection, type InspectOptions, inspectLog } from "../../scan/formats/inspect-log.ts";
import { toComparison } from "../../scan/report/comparison.ts";
import { toFindings } from "../../scan/report/findings.ts";
import { reportSchema, toReport, withoutSizes } from "../../scan/report/report.ts";
import { type ReportView, toLocalView } from "../../scan/report/report-view.ts";
import { toWarnings } from "../../scan/report/warnings.ts";
import { scanLogs } from "../../scan/run/scan-logs.ts";
import { ThreadError } from "../../scan/run/scan-threads.ts";
import type { VerifyOptions } from "../../scan/run/verify-tally.ts";
import { UserError } from "../../text/errors.ts";
import { toPlain, toPlainJson } from "../../text/plain-text.ts";
import { openDetector } from "../catalogue-option.ts";
import type { Command } from "../command.ts";
import { createProgress, type Progress } from "../progress.ts";
import { findOlderLog, openRobotsOfScan } from "../robots/robots-of-scan.ts";
import { openOlderReport } from "../scan/older-report.ts";
import { filterWarnings } from "../scan/parse-filter.ts";
import { openReportFile } from "../scan/report-file.ts";
import { exitWhenPrinted, print } from "../standard-streams.ts";
import { openLocalEvidence } from "../verify/open-local-evidence.ts";
import { help, parseScanOptions, type ScanOptions } from "./scan-options.ts";

export const command: Command = {
  name: "scan",
  summary: "report from log files which crawlers requested what",
  help,
  async run(args) {
    try {
      return await scanAndReport(args);
    } catch (error) {
      if (!(error instanceof ThreadError)) throw error;
      process.stderr.write(`whocrawls scan: ${toPlain(error.message)}\n`);
      return args.includes("--exit-code") ? 2 : 1;
    }
  },
};

async function scanAndReport(args: readonly string[]): Promise<number> {
  const options = await parseScanOptions(args);
  const file = options.output === undefined ? undefined : await openReportFile(options.output, options.paths);
  const before =
    options.compare === undefined ? undefined : await openOlderReport(options.compare, options.task.filter);
  const detector = await openDetector(options.catalogueFiles);
  const progress = createProgress(options.totalBytes);
  const { catalogue } = detector;
  const localEvidence =
    options.task.verify === true ? await openLocalEvidence(catalogue, { report: progress.say }) : undefined;
  const robots = options.robots === undefined ? undefined : await openRobotsOfScan(options.robots, options.robotsSince);
  for (const warning of robots?.warnings ?? []) progress.say(warning);
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once("SIGINT", interrupt);
  const { signal } = interruption;
  let exitCode = 0;
  let hasFormat = false;
  let needsAction = false;
  const said = new Set<string>();
  /** Passing lines through with their verification reads them twice, so messages could repeat. */
  const sayOnce = (text: string) => {
    if (!said.has(text)) progress.say(text);
    said.add(text);
  };
  const nameOf = (path: string) => (path === "-" ? "standard input" : path);
  const { only, annotate = false, filter, timezone } = options.task;
  const isPassing = only !== undefined || annotate;
  const scan = (task: ScanTask) =>
    scanLogs({
      ...options,
      task: { ...task, robots: robots?.task },
      catalogue,
      signal,
      formatOf: (path, lines) => {
        const { format, remarks } = inspect(lines, { ...options, trustProxy: options.task.trustProxy });
        hasFormat = true;
        for (const remark of remarks) sayOnce(`${nameOf(path)}: ${remark}`);
        return format;
      },
      onEmpty: (path, tooLong) => {
        if (tooLong > 0) exitCode = 2;
        sayOnce(
          `${nameOf(path)}: ${tooLong === 0 ? "It is empty." : "Every line is longer than 512 KiB. For a JSON array: jq -c '.[]' FILE | whocrawls scan -"}`,
        );
      },
      onProgress: progress.update,
      onOutput: print,
      onError: (path, error) => {
        exitCode = Math.max(exitCode, error instanceof UserError ? 2 : 1);
        for (const line of `${nameOf(path)}: ${error.message}`.split("\n")) sayOnce(line);
      },
    });
  // Lines that are passed through with their verification are read again when all addresses are known.
  const isTwice = localEvidence !== undefined && isPassing;
  const { proofs } = catalogue.verification;
  const { say } = progress;
  const verifying = localEvidence && { ...localEvidence, proofs, limitMs: options.verifyLimitMs, signal, say };
  const read = verifying && (await readCrawlerAddresses(verifying));
  const task = { ...options.task, crawlerAddresses: read?.crawlerAddresses };
  let tally = await scan(isTwice ? { ...task, only: undefined, annotate: false } : task);
  if (verifying !== undefined && !signal.aborted) {
    const { verifyTally } = await import("../../scan/run/verify-tally.ts");
    await verifyTally(tally, { ...verifying, read: read?.ids, usedMs: read?.usedMs ?? 0 });
    if (isTwice) {
      const findings = new Map(
        [...tally.crawlers].flatMap(([key, { findings }]) => (findings ? [[key, findings]] : [])),
      );
      tally = await scan({ ...options.task, verify: false, findings });
    }
  }
  process.removeListener("SIGINT", interrupt);
  const older = robots && findOlderLog(tally, robots);
  if (older !== undefined) progress.say(older);
  sayHowItWent(tally, signal.aborted, progress);
  // If the given format matches no line, that is a mistake, and a script should notice it.
  if (tally.lines > 0 && tally.broken === tally.lines) exitCode = Math.max(exitCode, 1);
  const isTimeless = tally.untimed > 0 && tally.untimed === tally.excluded && !(tally.first <= tally.last);
  if (isTimeless) {
    exitCode = Math.max(exitCode, 1);
    progress.say("The log has no times, so --since and --until select no requests.");
  }
  // Without a log that could be read, a report would say that there were no crawlers.
  const isReport = !isPassing && !isTimeless && (hasFormat || exitCode === 0);
  if (isReport) {
    const report = toReport(tally, unboundNames(catalogue.items), filter, timezone);
    for (const warning of toWarnings(report)) progress.say(warning);
    for (const remark of filterWarnings(report, namesOf(catalogue.items))) progress.say(remark);
    if (tally.requests > 0 && tally.sized === 0)
      progress.say("The log has no response sizes, so there are no byte counts.");
    const comparison = before && toComparison(before, { ...report, catalogue: detector.version });
    const { paths: logs, top, compare: comparedWith } = options;
    const view: ReportView = { report, logs, top, comparison, comparedWith };
    const local = toLocalView(view);
    needsAction =
      comparison === undefined
        ? toFindings(local).some(({ isAlarm }) => isAlarm)
        : comparison.crawlers.some(({ status }) => status === "new");
    // CSV rows have no place for notes.
    if (options.format === "csv") for (const note of comparison?.notes ?? []) progress.say(note);
    const text = await render(view, local, options, detector.version);
    if (file === undefined) await print(text);
    else if (signal.aborted || exitCode > 0)
      progress.say(`${options.output} was left unchanged because the report is incomplete.`);
    else
      await file.write(text).catch((error: Error) => {
        exitCode = 1;
        progress.say(error.message);
      });
  }
  if (options.setsExitCode) exitCode = exitCode > 0 ? 2 : Number(needsAction);
  // Do not wait for standard input or DNS.
  if (signal.aborted || options.task.verify === true) await exitWhenPrinted(signal.aborted ? 130 : exitCode);
  return exitCode;
}

/** Reads the lists of crawlers' addresses, by which the scan counts, and says how long that took. */
async function readCrawlerAddresses(verifying: VerifyOptions) {
  const { readCrawlerAddressLists, toCrawlerAddressTask } = await import("../../scan/run/crawler-address-lists.ts");
  const fromMs = performance.now();
  const ids = await readCrawlerAddressLists(verifying);
  const crawlerAddresses = toCrawlerAddressTask(verifying.evidence.verifier);
  return { ids, crawlerAddresses, usedMs: performance.now() - fromMs };
}

/** As inspectLog, but the errors are the user's. */
function inspect(lines: readonly string[], options: InspectOptions): Inspection {
  try {
    return inspectLog(lines, options);
  } catch (error) {
    throw new UserError((error as Error).message);
  }
}

/** From this number and share of requests on, user agents that look like another field are reported. */
const manyUnlikely = { requests: 100, share: 0.01 };

function sayHowItWent(tally: Tally, isInterrupted: boolean, { say, end }: Progress): void {
  const { broken, lines, examples, requests, withoutAgent, unlikely, unlikelyExample } = tally;
  if (isInterrupted) say("Interrupted; these are the results so far.");
  if (broken > 0) {
    say(`${broken} of ${lines} lines could not be read${examples.length > 0 ? ", such as:" : "."}`);
    for (const example of examples) say(`  ${example}`);
  }
  if (withoutAgent > 0)
    say(
      `${withoutAgent} of ${requests} requests are in lines of the common log, which have no user agent: they count as people's.`,
    );
  if (unlikely >= manyUnlikely.requests && unlikely >= manyUnlikely.share * requests) {
    say(
      `The user agents of ${unlikely} of ${requests} requests look like another field. If the order of the fields changes in the log, scan its parts with --log-format. The first such line:`,
    );
    say(`  ${unlikelyExample}`);
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

/** `local` is the view with times of the report's zone. */
async function render(
  view: ReportView,
  local: ReportView,
  { format, output }: ScanOptions,
  version: string,
): Promise<string> {
  const { report, comparison } = view;
  switch (format) {
    case "json": {
      const all = { schema: reportSchema, catalogue: version, findings: toFindings(local), ...report, comparison };
      return `${toPlainJson(report.hasSizes ? all : withoutSizes(all), 2)}\n`;
    }
    case "csv":
      return (await import("../../scan/report/report-csv.ts")).toCsv(view);
    case "html": {
      const { style } = await import("../../scan/report/report-style.ts");
      const { createHash } = await import("node:crypto");
      const styleHash = createHash("sha256").update(style).digest("base64");
      return (await import("../../scan/report/report-html.ts")).toHtml(local, styleHash);
    }
    case "table": {
      // 0 means that the terminal does not report its width. hasColors respects NO_COLOR and dumb terminals.
      const { isTTY = false, columns } = process.stdout;
      const isTerminal = isTTY && output === undefined;
      return (await import("../../scan/report/report-table.ts")).toTable(local, {
        width: isTerminal ? columns || undefined : undefined,
        hasColors: isTerminal && process.stdout.hasColors(),
      });
    }
  }
}
