/**
 * Arrays of CheckMany: items are cut from the body and decided while it is read, and answered together: all or none.
 */

import type { Detector, Verdict } from "../../detect/verdict.ts";
import { decodedBody, readInTime } from "../../http/bodies.ts";
import type { Answer, RequestContext } from "../../http/context.ts";
import { bodyTurnIfDue, nextBodyTurn } from "../../http/event-loop-turns.ts";
import { answerFormats } from "../../http/formats.ts";
import type { AskerOf } from "../../http/guards.ts";
import { toBody, writeItems } from "../../http/pieces.ts";
import { Problem } from "../../http/problems.ts";
import { formatOf } from "../../http/representation.ts";
import { type HoldBody, longestBody } from "../../http/slots.ts";
import type { Asker } from "../../verify/evidence.ts";
import { type EvidenceReaders, readsEvidence, verifyVerdict } from "../../verify/verify-verdict.ts";
import type { Question } from "../check/check-request.ts";
import { verdictWriters } from "../describe/verdict-writers.ts";
import { CutError, createArrayCutter, maxDepth } from "./array-cutter.ts";
import { missing, type OnVerdict, questionOf, useragentOf } from "./many-lines.ts";

export interface ArrayParts {
  readonly detector: Detector;
  readonly readers: EvidenceReaders;
  readonly askerOf: AskerOf;
  /** Told how often each verdict was given. */
  readonly onVerdict: OnVerdict;
  readonly maxLineBytes: number;
  readonly holdBody: HoldBody;
}

/** Limits of an array; more can be sent as lines. */
export const maxItems = 10_000;
export const maxArrayBytes = 4 * 1024 * 1024;

/** The approximate memory of a verdict without its strings, so that many short items count. */
const verdictBytes = 256;
/** Items are cut from parts of this size, so that the items of one are decided within milliseconds. */
const partBytes = 1024;

interface Item {
  readonly verdict: Verdict;
  readonly question: Question | undefined;
}

/** Answers an array by an array. */
export async function answerArray(context: RequestContext, parts: ArrayParts): Promise<Answer> {
  const { request } = context;
  const format = formatOf(context);
  const held = parts.holdBody(request, longestBody(request, request.mostUnreadBytes));
  try {
    const items = await readItems(context, parts, (bytes) => held.count(bytes));
    const verdicts = await verifyItems(items, parts, parts.askerOf(request));
    const body = await toBody(() => writeItems(verdictWriters[format].verdicts, [verdicts], nextBodyTurn), held);
    return { status: 200, headers: { "content-type": answerFormats[format].contentType, vary: "Accept" }, body };
  } catch (error) {
    held.release();
    throw error;
  }
}

/** Reads the items of a body. Throws a Problem or a BodyError; after a wrong item the rest is read, so that the client reads why. */
async function readItems(
  { request }: RequestContext,
  { detector, readers, maxLineBytes }: ArrayParts,
  count: (bytes: number) => void,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let failure: unknown;
  let cutItems = 0;
  const cutter = createArrayCutter(maxLineBytes, (bytes, from, to) => {
    if (cutItems++ === maxItems) throw tooLarge(`An array may have ${maxItems} items`);
    if (failure !== undefined) return;
    try {
      items.push(toItem(parseJson(bytes.subarray(from, to)), items.length, detector, readsEvidence(readers)));
    } catch (error) {
      failure = error;
    }
  });
  let length = 0;
  try {
    for await (const piece of readInTime(request, decodedBody(request).body, () => 0)) {
      length += piece.length;
      if (length > maxArrayBytes) throw tooLarge(`An array may have ${maxArrayBytes} bytes`);
      for (let from = 0; from < piece.length; from += partBytes) {
        const turn = bodyTurnIfDue();
        if (turn !== undefined) await turn;
        cutter.push(piece.subarray(from, from + partBytes));
        count(length + items.length * verdictBytes);
      }
    }
    const other = cutter.end();
    if (other !== undefined) {
      parseJson(other);
      throw new Problem("no-useragent", `Send an array. ${missing}`);
    }
  } catch (error) {
    if (!(error instanceof CutError)) throw error;
    if (error.reason === "not-json") throw new Problem("not-json", notJson, close);
    const most = error.reason === "item-too-deep" ? `be nested ${maxDepth} deep` : `have ${maxLineBytes} bytes`;
    throw tooLarge(`An item of an array may ${most}`);
  }
  if (failure !== undefined) throw failure;
  return items;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(strict.decode(bytes));
  } catch {
    throw new Problem("not-json", notJson);
  }
}

function toItem(value: unknown, index: number, detector: Detector, isReading: boolean): Item {
  const useragent = useragentOf(value);
  if (useragent === undefined) throw new Problem("no-useragent", `Item ${index} of the array is none. ${missing}`);
  const question = isReading ? questionOf(value) : undefined;
  return { verdict: detector.check(useragent), question };
}

/** Verifies all items with evidence at the same time, and reports every verdict. */
async function verifyItems(
  items: readonly Item[],
  { readers, onVerdict }: ArrayParts,
  asker: Asker,
): Promise<readonly Verdict[]> {
  const pending: (Verdict | Promise<Verdict>)[] = [];
  for (const item of items) {
    const turn = bodyTurnIfDue();
    if (turn !== undefined) await turn;
    const { question } = item;
    const verdict = question ? verifyVerdict(readers, item.verdict, question, question.waitMs, asker) : item.verdict;
    // One that fails before all are asked is thrown by Promise.all.
    if (verdict instanceof Promise) verdict.catch(() => {});
    pending.push(verdict);
  }
  const verdicts = await Promise.all(pending);
  for (const verdict of verdicts) {
    const turn = bodyTurnIfDue();
    if (turn !== undefined) await turn;
    onVerdict(verdict, 1);
  }
  return verdicts;
}

/** The rest of the body is not read. */
const close = { connection: "close" };
const notJson = "The body cannot be parsed as JSON in UTF-8.";
const tooLarge = (what: string) =>
  new Problem("too-large", `${what}; of lines (application/x-ndjson) there may be any number.`, close);
