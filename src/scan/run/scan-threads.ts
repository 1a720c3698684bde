/** What scans blocks: this thread, and others that are started beside it (scan-worker.ts). All answer alike. */
import { Worker } from "node:worker_threads";
import { findPackagedFile } from "../../files/find-packaged-file.ts";
import { createIsByRule } from "../count/agents.ts";
import type { ScanTask } from "../count/scan-task.ts";
import { createScanner, type Scanner } from "../count/scanner.ts";
import type { Tally } from "../count/tally.ts";
import type { LogFormat } from "../lines/format.ts";
import { createSharedCheck, type SharedTables } from "./shared-tables.ts";

/** The parts of a block, each with its format. */
export type Parts = readonly { readonly from: number; readonly to: number; readonly format: LogFormat }[];

export interface ScannedBlock {
  /** The bytes that were scanned, which may be filled again. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly lines: number;
  /** The lines to pass through. */
  readonly output: readonly Uint8Array[];
}

/** The start data of a thread. */
export interface ScanWorkerData {
  readonly task: ScanTask;
  readonly tables: SharedTables;
}

/** A block to scan; the bytes are lent, and come back with the answer. Undefined asks for the counts. */
export type ScanRequest = { readonly bytes: Uint8Array<ArrayBuffer>; readonly parts: Parts } | undefined;

/** Undefined says that the thread has started. */
export type ScanAnswer = ScannedBlock | Tally | undefined;

/** A thread has one block that it scans, and another so that it never has to wait. */
export const blocksPerThread = 2;

export interface ScanThread {
  /** Whether it can begin soon with a block. */
  isFree(): boolean;
  /** Whether it was given a block. */
  hasScanned(): boolean;
  /** Scans a block; its bytes are lent until the answer. */
  scan(bytes: Uint8Array<ArrayBuffer>, parts: Parts): Promise<ScannedBlock>;
  /** Resolves with the counts of all blocks; there are no further ones. */
  end(): Promise<Tally>;
  /** Ends it without its counts. */
  stop(): void;
}

/** A thread that died: its counts are lost, so there can be no report. */
export class ThreadError extends Error {
  override readonly name = "ThreadError";
}

function toThreadError(cause: string): ThreadError {
  return new ThreadError(`A thread of the scan ended: ${cause}`);
}

/** Scans a block in this thread. */
export function scanBlock(scanner: Scanner, bytes: Uint8Array<ArrayBuffer>, parts: Parts): ScannedBlock {
  const before = scanner.tally.lines;
  const output = parts.flatMap(
    ({ from, to, format }) => scanner.scan(bytes.subarray(from, to), to - from, format) ?? [],
  );
  return { bytes, lines: scanner.tally.lines - before, output };
}

/** Makes the scanner of a thread. */
export function createThreadScanner({ task, tables }: ScanWorkerData): Scanner {
  const { items } = tables;
  return createScanner({
    task,
    items,
    check: createSharedCheck(tables),
    isByRule: createIsByRule(() => items),
  });
}

/** This thread, as a thread that scans. */
export function createOwnThread(data: ScanWorkerData): ScanThread {
  const scanner = createThreadScanner(data);
  return {
    isFree: () => true,
    hasScanned: () => true,
    scan: async (bytes, parts) => {
      try {
        return scanBlock(scanner, bytes, parts);
      } catch (error) {
        throw toThreadError((error as Error).message);
      }
    },
    end: async () => scanner.tally,
    stop: () => {},
  };
}

/** Starts a thread that scans. */
export function startThread(workerData: ScanWorkerData): ScanThread {
  const program = findPackagedFile("scan/run/scan-worker.ts", "scan-worker.js");
  const worker = new Worker(program, { workerData, resourceLimits: { maxYoungGenerationSizeMb: 4 } });
  const waiting: { resolve: (answer: ScanAnswer) => void; reject: (error: Error) => void }[] = [];
  let failure: ThreadError | undefined;
  let isStarted = false;
  let blocks = 0;
  const fail = (cause: string): void => {
    failure ??= toThreadError(cause);
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  worker.on("message", (answer: ScanAnswer) => {
    if (answer === undefined) isStarted = true;
    else waiting.shift()?.resolve(answer);
  });
  worker.on("error", (error) => fail((error as Error).message));
  worker.on("exit", (code) => fail(`its exit code is ${code}.`));
  const ask = (request: ScanRequest, transfer: ArrayBuffer[]): Promise<ScanAnswer> =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) return reject(failure);
      waiting.push({ resolve, reject });
      worker.postMessage(request, transfer);
    });
  return {
    // A thread that failed says so when it is asked.
    isFree: () => failure !== undefined || (isStarted && waiting.length < blocksPerThread),
    hasScanned: () => blocks > 0,
    scan: (bytes, parts) => {
      blocks++;
      return ask({ bytes, parts }, [bytes.buffer]) as Promise<ScannedBlock>;
    },
    end: () => ask(undefined, []) as Promise<Tally>,
    stop: () => void worker.terminate(),
  };
}
