/** A thread that scans blocks of a log: it takes one after the other, and in the end says what it has counted. */
import { parentPort, workerData } from "node:worker_threads";
import { detector } from "../../detect/built-in/detector.ts";
import { isRulePattern } from "../../detect/built-in/items.ts";
import { createScanner } from "../count/scanner.ts";
import type { Tally } from "../count/tally.ts";
import type { LogFormat } from "../lines/format.ts";

/** The start data of a thread. */
export interface ScanWorkerData {
  readonly only: "crawlers" | "people" | undefined;
  readonly annotate: boolean;
  readonly verify: boolean;
}

/** A part of a block to scan; the bytes are lent, and come back with the answer. Undefined asks for the counts. */
export type ScanRequest =
  | {
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly parts: readonly { readonly from: number; readonly to: number; readonly format: LogFormat }[];
    }
  | undefined;

export type ScanAnswer =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly lines: number; readonly output: readonly Uint8Array[] }
  | { readonly tally: Tally };

const port = parentPort;
if (port === null) throw new Error("This file is started as a thread.");

const { only, annotate, verify } = workerData as ScanWorkerData;
const scanner = createScanner({
  check: detector.check,
  isByRule: ({ pattern }) => isRulePattern(pattern),
  only,
  annotate,
  verify,
});

port.on("message", (request: ScanRequest) => {
  if (request === undefined) {
    port.postMessage({ tally: scanner.tally } satisfies ScanAnswer);
    port.close();
    return;
  }
  const { bytes, parts } = request;
  const before = scanner.tally.lines;
  const output = parts.flatMap(
    ({ from, to, format }) => scanner.scan(bytes.subarray(from, to), to - from, format) ?? [],
  );
  const answer: ScanAnswer = { bytes, lines: scanner.tally.lines - before, output };
  port.postMessage(answer, [bytes.buffer, ...output.map((part) => part.buffer as ArrayBuffer)]);
});
