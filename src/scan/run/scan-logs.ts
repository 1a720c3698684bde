/** Scans logs on every core: reads their blocks, has threads scan them, and adds up their counts. */
import type { CompiledCatalogue } from "../../detect/compiled-catalogue.ts";
import { maxPathBytes } from "../count/path-counts.ts";
import type { ScanTask } from "../count/scan-task.ts";
import { createTally, mergeTally, type Tally } from "../count/tally.ts";
import { sampledLines } from "../formats/format-kind.ts";
import { cutAtDirectives, type Part } from "../formats/w3c.ts";
import type { LogFormat } from "../lines/format.ts";
import { type Block, blockBytes, createBlockMemory, readBlocks } from "./log-blocks.ts";
import { createOwnThread, type ScanThread, type ScanWorkerData, startThread, ThreadError } from "./scan-threads.ts";
import { shareTables } from "./shared-tables.ts";

export interface ScanLogsOptions {
  readonly task: ScanTask;
  /** Files, `-` for standard input. */
  readonly paths: readonly string[];
  readonly threads: number;
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

/** A thread has one block that it scans, and another so that it never has to wait. */
const blocksPerThread = 2;
const sampledBytes = 65_536;
/** Lines of spaces are not requests in any format. */
const formatOfNothing: LogFormat = { name: "nothing", escapes: "none", template: "\n$nothing" };

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
  let next = 0;
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
    // Logs that one block holds take less time than starting a thread.
    const isLong = sentBytes > blockBytes / 2;
    while (isLong && threads.length < options.threads) threads.push(startThread(workerData));
    const thread = threads[next++ % threads.length] as ScanThread;
    const before = outputs;
    const bytesRead = bytesBefore + block.position;
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
    for (const thread of threads) mergeTally(tally, await thread.end());
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
