/** Scans logs on every core: reads their blocks, has threads scan them, and adds up their counts. */
import type { CompiledCatalogue } from "../../detect/compiled-catalogue.ts";
import { maxPathBytes } from "../count/path-counts.ts";
import type { ScanTask } from "../count/scan-task.ts";
import { createTally, mergeTally, type Tally } from "../count/tally.ts";
import { sampledLines } from "../formats/format-kind.ts";
import { cutAtDirectives, type Part } from "../formats/w3c.ts";
import type { LogFormat } from "../lines/format.ts";
import { type Block, blockBytes, createBlockMemory, readBlocks } from "./log-blocks.ts";
import {
  blocksPerThread,
  createOwnThread,
  type ScanThread,
  type ScanWorkerData,
  startThread,
  ThreadError,
} from "./scan-threads.ts";
import { shareTables } from "./shared-tables.ts";

export interface ScanLogsOptions {
  readonly task: ScanTask;
  /** Files, `-` for standard input. */
  readonly paths: readonly string[];
  /** At most so many threads, this one included. */
  readonly threads: number;
  /** How many bytes must be left for each further thread, so that it gains more than its start costs. Default: none. */
  readonly threadBytes?: number | undefined;
  /** The size of all files; undefined if it is unknown. */
  readonly totalBytes?: number | undefined;
  /** The catalogue that knows the crawlers. */
  readonly catalogue: CompiledCatalogue;
  /** The format of a log, from its first lines; may throw an Error that says why there is none. */
  readonly formatOf: (path: string, lines: readonly string[]) => LogFormat;
  /** Called for a log without any text, with the number of its lines that were too long. */
  readonly onEmpty: (path: string, tooLong: number) => void;
  /** Ends the scan early: the results so far are returned. */
  readonly signal: AbortSignal;
  /** Called after each block with the total bytes read and lines scanned. */
  readonly onProgress: (bytes: number, lines: number) => void;
  /** Takes the lines to pass through, in order; the next ones wait until it resolves. */
  readonly onOutput: (output: Uint8Array) => Promise<void>;
  /** Called with the reason why a file cannot be read; the other files are still scanned. */
  readonly onError: (path: string, error: Error) => void;
}

const sampledBytes = 65_536;
/** Lines of spaces are not requests in any format. */
const formatOfNothing: LogFormat = { name: "nothing", escapes: "none", template: "\n$nothing" };

/** How many threads gain time, after so many bytes of the logs were sent to them and so many of the files were read. */
export function threadsFor(
  sentBytes: number,
  bytesRead: number,
  { threads, threadBytes, totalBytes }: Pick<ScanLogsOptions, "threads" | "threadBytes" | "totalBytes">,
): number {
  // Logs that one block holds take less time than starting a thread.
  if (threadBytes === undefined) return sentBytes > blockBytes / 2 ? threads : 1;
  // Of compressed files, as much is left as the sizes say. Where they are unknown, logs are probably as long again.
  const share = totalBytes === undefined ? 1 : Math.max(0, totalBytes / bytesRead - 1);
  return Math.min(threads, 1 + Math.floor((sentBytes * share) / threadBytes));
}

/** Resolves with the counts of all logs; rejects with a ThreadError if a thread died. */
export async function scanLogs(options: ScanLogsOptions): Promise<Tally> {
  const memory = createBlockMemory();
  const threads: ScanThread[] = [];
  let workerData: ScanWorkerData | undefined;
  const pending: Promise<void>[] = [];
  const tally = createTally(options.task);
  let bytesBefore = 0;
  let lines = 0;
  let outputs = Promise.resolve();
  let sentBytes = 0;
  const interrupted = new Promise<undefined>((resolve) => {
    options.signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });

  async function send(block: Block, parts: readonly Part[]): Promise<void> {
    workerData ??= {
      task: { ...options.task, maxPathBytes: maxPathBytes / options.threads },
      tables: shareTables(options.catalogue),
    };
    if (threads.length === 0) threads.push(createOwnThread(workerData));
    sentBytes += block.length;
    const bytesRead = bytesBefore + block.position;
    const wanted = threadsFor(sentBytes, bytesRead, options);
    while (threads.length < wanted) threads.push(startThread(workerData));
    // This thread, the first one, scans while the others start or have enough to do.
    const thread = threads.findLast(({ isFree }) => isFree()) as ScanThread;
    const before = outputs;
    const answered = thread.scan(block.bytes, parts);
    outputs = answered.then(async ({ bytes, lines: scanned, output }) => {
      memory.give(bytes);
      lines += scanned;
      await before;
      for (const part of output) if (part.length > 0) await options.onOutput(part);
      options.onProgress(bytesRead, lines);
    });
    // A failure is handled where it is awaited, which may be later.
    outputs.catch(() => {});
    pending.push(outputs);
    if (pending.length >= blocksPerThread * threads.length) await pending.shift();
  }

  async function scanOne(path: string): Promise<void> {
    let position = 0;
    let tooLong = 0;
    let format: LogFormat | undefined;
    const blocks = readBlocks(path, memory);
    try {
      while (!options.signal.aborted) {
        // Standard input may stay idle.
        const read = await Promise.race([blocks.next(), interrupted]);
        if (read?.done !== false) break;
        const block = read.value;
        const sample = format === undefined ? firstLines(block) : [];
        try {
          if (sample.length > 0) format = options.formatOf(path, sample);
        } catch (error) {
          // A line that is cut fits no format.
          throw block.failure ?? error;
        }
        position = block.position;
        tooLong += block.tooLong;
        tally.broken += block.tooLong;
        tally.lines += block.tooLong;
        const parts = cutAtDirectives(block.bytes, block.length, format ?? formatOfNothing);
        // A directive also applies to the following blocks.
        if (format !== undefined) format = parts.at(-1)?.format;
        await send(block, parts);
      }
    } finally {
      // Not awaited: it would wait for a read that has begun.
      blocks.return(undefined).catch(() => {});
    }
    if (format === undefined && !options.signal.aborted) options.onEmpty(path, tooLong);
    bytesBefore += position;
  }

  try {
    for (const path of options.paths) {
      if (options.signal.aborted) break;
      try {
        await scanOne(path);
      } catch (error) {
        if (error instanceof ThreadError) throw error;
        options.onError(path, error as Error);
      }
    }
    await Promise.all(pending);
    // One after the other, because each thread's counts are sent as a copy.
    for (const thread of threads) if (thread.hasScanned()) mergeTally(tally, await thread.end());
  } finally {
    for (const thread of threads) thread.stop();
  }
  return tally;
}

/** The first lines that are not empty. */
function firstLines({ bytes, length }: Block): readonly string[] {
  const text = new TextDecoder().decode(bytes.subarray(0, Math.min(length, sampledBytes)));
  const lines = text.split(/\r?\n/);
  // The last one may be cut.
  if (length > sampledBytes && lines.length > 1) lines.pop();
  return lines.filter((line) => line.trim() !== "").slice(0, sampledLines);
}
