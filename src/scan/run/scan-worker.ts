/** A thread that scans blocks of a log: it takes one block after another and finally returns its counts. */
import { parentPort, workerData } from "node:worker_threads";
import {
  createThreadScanner,
  type ScanAnswer,
  type ScanRequest,
  type ScanWorkerData,
  scanBlock,
} from "./scan-threads.ts";

const port = parentPort;
if (port === null) throw new Error("This file must be started as a worker thread.");

const scanner = createThreadScanner(workerData as ScanWorkerData);

port.postMessage(undefined satisfies ScanAnswer);
port.on("message", (request: ScanRequest) => {
  if (request === undefined) {
    port.postMessage(scanner.tally satisfies ScanAnswer);
    port.close();
    return;
  }
  const answer: ScanAnswer = scanBlock(scanner, request.bytes, request.parts);
  port.postMessage(answer, [answer.bytes.buffer, ...answer.output.map((part) => part.buffer as ArrayBuffer)]);
});
