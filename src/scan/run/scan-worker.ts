/** A thread that scans blocks of a log: it takes one after the other, and in the end says what it has counted. */
import { parentPort, workerData } from "node:worker_threads";
import { detector } from "../../detect/built-in/detector.ts";
import { isRulePattern } from "../../detect/built-in/items.ts";
import { createScanner } from "../count/scanner.ts";
import { type ScanAnswer, type ScanRequest, type ScanWorkerData, scanBlock } from "./scan-threads.ts";

const port = parentPort;
if (port === null) throw new Error("This file is started as a thread.");

const scanner = createScanner({
  ...(workerData as ScanWorkerData),
  check: detector.check,
  isByRule: ({ pattern }) => isRulePattern(pattern),
});

port.on("message", (request: ScanRequest) => {
  if (request === undefined) {
    port.postMessage(scanner.tally satisfies ScanAnswer);
    port.close();
    return;
  }
  const answer: ScanAnswer = scanBlock(scanner, request.bytes, request.parts);
  port.postMessage(answer, [answer.bytes.buffer, ...answer.output.map((part) => part.buffer as ArrayBuffer)]);
});
