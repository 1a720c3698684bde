/**
 * Arrays of CheckMany: read whole, and answered together: all items or none.
 */

import type { Detector, Verdict } from "../../detect/verdict.ts";
import { decodedBody, readInTime, readWhole } from "../../http/bodies.ts";
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
import { missing, type Question, questionOf, useragentOf } from "../check/check-request.ts";
import { verdictWriters } from "../describe/verdict-writers.ts";
import type { Limits } from "../limits.ts";
import type { OnVerdict } from "./many-lines.ts";
import { parseItems, tooLarge } from "./parse-items.ts";

export interface ArrayParts {
  readonly detector: Detector;
  readonly readers: EvidenceReaders;
  readonly askerOf: AskerOf;
  /** Told how often each verdict was given. */
  readonly onVerdict: OnVerdict;
  readonly limits: Limits;
  readonly holdBody: HoldBody;
}

/** Limits of an array; more can be sent as lines. */
export const maxItems = 10_000;
export const maxArrayBytes = 1024 * 1024;

/** The approximate memory of a verdict without its strings, so that many short items count. */
const verdictBytes = 256;

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

/** Reads the whole body, and decides its items. Throws a Problem or a BodyError. */
async function readItems(
  { request }: RequestContext,
  { detector, readers, limits }: ArrayParts,
  count: (bytes: number) => void,
): Promise<readonly Item[]> {
  const isReading = readsEvidence(readers);
  const items: Item[] = [];
  const body = await readWhole(
    readInTime(request, decodedBody(request).body, () => 0),
    (bytes) => {
      // The rest of the body is not read.
      if (bytes > maxArrayBytes)
        throw tooLarge(`An array may have at most ${maxArrayBytes.toLocaleString("en")} bytes`, {
          connection: "close",
        });
      count(bytes);
    },
  );
  const values = parseItems(body, limits.maxBodyBytes);
  for (;;) {
    const turn = bodyTurnIfDue();
    if (turn !== undefined) await turn;
    const { done, value } = values.next();
    if (done) return items;
    if (items.length === maxItems) throw tooLarge(`An array may have at most ${maxItems.toLocaleString("en")} items`);
    items.push(toItem(value, items.length, detector, isReading));
    count(body.length + items.length * verdictBytes);
  }
}

function toItem(value: unknown, index: number, detector: Detector, isReading: boolean): Item {
  const useragent = useragentOf(value);
  if (useragent === undefined)
    throw new Problem("no-useragent", `Item ${index} of the array has no user agent. ${missing}`);
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
