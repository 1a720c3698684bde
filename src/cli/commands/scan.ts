/** `whocrawls scan`: reports from log files which crawlers requested what. */

import type { ItemFacts } from "../../detect/compiled-catalogue.ts";
import type { ScanTask } from "../../scan/count/scan-task.ts";
import type { Tally } from "../../scan/count/tally.ts";
import { type Inspection, type InspectOptions, inspectLog } from "../../scan/formats/inspect-log.ts";
import { reportSchema, toReport, withoutSizes } from "../../scan/report/report.ts";
import { type Ending, endScan, type ScanEnd, toExitCode } from "../../scan/run/scan-end.ts";
import { scanLogs } from "../../scan/run/scan-logs.ts";
import { ThreadError } from "../../scan/run/scan-threads.ts";
import type { VerifyOptions } from "../../scan/run/verify-tally.ts";
import { UserError } from "../../text/errors.ts";
import { toPlain, toPlainJson } from "../../text/plain-text.ts";
import { openDetector } from "../catalogue-option.ts";
import type { Command } from "../command.ts";
import { createProgress, type Progress } from "../progress.ts";
import { findOlderLog, openRobotsOfScan, type RobotsOfScan } from "../robots/robots-of-scan.ts";
import { openOlderReport } from "../scan/older-report.ts";
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
      return toExitCode(["stopped"], args.includes("--exit-code"));
    }
  },
};

async function scanAndReport(args: readonly string[]): Promise<number> {
  const options = await parseScanOptions(args);
  const { paths, top, output, compare, task, setsExitCode } = options;
  const file = output === undefined ? undefined : await openReportFile(output, paths);
  const before = compare === undefined ? undefined : await openOlderReport(compare, task.filter);
  const { catalogue, version } = await openDetector(options.catalogueFiles);
  const progress = createProgress(options.totalBytes);
  const { say } = progress;
  const evidence = task.verify === true ? await openLocalEvidence(catalogue, { report: say }) : undefined;
  const robots = options.robots === undefined ? undefined : await openRobotsOfScan(options.robots, options.robotsSince);
  for (const warning of robots?.warnings ?? []) say(warning);
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once("SIGINT", interrupt);
  const { proofs } = catalogue.verification;
  const { signal } = interruption;
  const verifying = evidence && {
    ...evidence,
    proofs,
    limitMs: options.verifyLimitMs,
    failed: new Map<string, string>(),
    signal,
    say,
  };
  const { tally, faults, hasFormat } = await countLogs({ options, catalogue, robots, verifying, progress, signal });
  process.removeListener("SIGINT", interrupt);
  const older = robots && findOlderLog(tally, robots);
  if (older !== undefined) say(older);
  progress.end();
  const end = endScan({
    ...{ tally, faults: signal.aborted ? ([...faults, "interrupted"] as const) : faults, hasFormat },
    report: toReport(tally, unboundNames(catalogue.items), task.filter, task.timezone),
    isPassing: isPassing(task),
    ...{ filter: task.filter, dates: options.dates, before, catalogue: version },
    known: catalogue.items.flatMap(({ name }) => name ?? []),
    view: { logs: paths, top, comparedWith: compare },
  });
  for (const text of end.said) say(text);
  let { found } = end;
  if (end.shown !== undefined) {
    // CSV rows have no place for notes.
    if (options.format === "csv") for (const note of end.shown.view.comparison?.notes ?? []) say(note);
    const text = await render(end.shown, options, version);
    if (file === undefined) await print(text);
    else if (!end.isComplete) say(`${output} was left unchanged because the scan did not succeed.`);
    else
      await file.write(text).catch((error: Error) => {
        found = [...found, "unwritable"];
        say(error.message);
      });
  }
  const exitCode = toExitCode(found, setsExitCode);
  // Do not wait for DNS, or for more input after an interruption or a failure.
  if (signal.aborted || faults.length > 0 || task.verify === true) await exitWhenPrinted(exitCode);
  return exitCode;
}

/** Whether lines are printed instead of a report. */
function isPassing({ only, annotate }: ScanTask): boolean {
  return only !== undefined || annotate === true;
}

interface Count {
  readonly options: ScanOptions;
  readonly catalogue: Parameters<typeof scanLogs>[0]["catalogue"];
  readonly robots: RobotsOfScan | undefined;
  readonly verifying: VerifyOptions | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Counts the requests of all logs, verifies them, and says what is wrong with a log. */
async function countLogs({ options, catalogue, robots, verifying, progress, signal }: Count) {
  const faults: Ending[] = [];
  let hasFormat = false;
  let isForwardedGuessed = false;
  const proxies = new Set<Inspection["proxies"]>();
  const said = new Set<string>();
  /** Passing lines through with their verification reads them twice, so messages could repeat. */
  const sayOnce = (text: string) => {
    if (!said.has(text)) progress.say(text);
    said.add(text);
  };
  const nameOf = (path: string) => (path === "-" ? "standard input" : path);
  const scan = (task: ScanTask): Promise<Tally> =>
    scanLogs({
      ...options,
      task: { ...task, robots: robots?.task },
      catalogue,
      signal,
      formatOf: (path, lines) => {
        const inspection = inspect(lines, { ...options, trustProxy: options.task.trustProxy });
        const { format, remarks } = inspection;
        hasFormat = true;
        proxies.add(inspection.proxies);
        isForwardedGuessed ||= inspection.isForwardedGuessed && options.task.trustProxy === undefined;
        for (const remark of remarks) sayOnce(`${nameOf(path)}: ${remark}`);
        return format;
      },
      onEmpty: (path, tooLong) => {
        if (tooLong > 0) faults.push("unknown");
        sayOnce(
          `${nameOf(path)}: ${tooLong === 0 ? "It is empty." : "Every line is longer than 512 KiB. For a JSON array: jq -c '.[]' FILE | whocrawls scan -"}`,
        );
      },
      onProgress: progress.update,
      onOutput: print,
      onError: (path, error) => {
        faults.push(error instanceof UserError ? "unknown" : "damaged");
        for (const line of `${nameOf(path)}: ${error.message}`.split("\n")) sayOnce(line);
      },
    });
  // Lines that are passed through with their verification are read again when all addresses are known.
  const isTwice = verifying !== undefined && isPassing(options.task);
  const read = verifying && (await readCrawlerAddresses(verifying));
  const cloudflare = await openCloudflare(options.task, verifying);
  const task = { ...options.task, cloudflare, crawlerAddresses: read?.crawlerAddresses };
  let tally = await scan(isTwice ? { ...task, only: undefined, annotate: false } : task);
  if (verifying !== undefined && !signal.aborted) {
    const { verifyTally } = await import("../../scan/run/verify-tally.ts");
    await verifyTally(tally, { ...verifying, read: read?.ids, usedMs: read?.usedMs ?? 0, isForwardedGuessed });
    if (isTwice) {
      const findings = new Map(
        [...tally.crawlers].flatMap(([key, { findings }]) => (findings ? [[key, findings]] : [])),
      );
      tally = await scan({ ...options.task, cloudflare, verify: false, findings });
    }
  }
  if (options.task.trustProxy !== undefined && proxies.size > 0 && [...proxies].every((use) => use === "unused"))
    faults.push("no-proxies");
  return { tally, faults, hasFormat };
}

/** Cloudflare's addresses, where addresses are counted. */
async function openCloudflare({ verify, fleets }: ScanTask, verifying: VerifyOptions | undefined) {
  if (!verify && !fleets) return undefined;
  const { toCdnIntervals } = await import("../../scan/run/crawler-address-lists.ts");
  return toCdnIntervals("cloudflare", verifying?.evidence.networks);
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

/** The crawlers to which robots.txt does not apply, by their operators. */
function unboundNames(items: readonly ItemFacts[]): ReadonlySet<string> {
  return new Set(
    items.flatMap(({ name, robotsRules }) => (name !== undefined && robotsRules?.obeys === false ? [name] : [])),
  );
}

/** The report in its format; the table and the page have the times of its zone. */
async function render(
  { view, local, findings }: NonNullable<ScanEnd["shown"]>,
  { format, output, isFull }: ScanOptions,
  version: string,
): Promise<string> {
  const { report, comparison } = view;
  switch (format) {
    case "json": {
      const all = { schema: reportSchema, catalogue: version, findings, ...report, comparison };
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
        isFull,
      });
    }
  }
}
