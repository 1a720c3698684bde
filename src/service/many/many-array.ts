/**
 * Arrays of CheckMany: read whole, and answered together: all items or none.
 */

import type { Verdict } from "../../detect/verdict.ts";
import { decodedBody, readInTime, readWhole } from "../../http/bodies.ts";
import type { Answer, RequestContext } from "../../http/context.ts";
import { nextBodyTurn, yieldIfSliceUsed } from "../../http/event-loop-turns.ts";
import { answerFormats } from "../../http/formats.ts";
import { toBody, writeItems } from "../../http/pieces.ts";
import { Problem } from "../../http/problems.ts";
import { responseFormatOf } from "../../http/representation.ts";
import { readableBytes } from "../../http/slots.ts";
import { readsEvidence, verifyVerdict } from "../../verify/verify-verdict.ts";
import { type CheckEvidence, checkEvidenceOf, missing, useragentOf } from "../check/check-request.ts";
import type { Deps } from "../deps.ts";
import { verdictWriters } from "../describe/verdict-writers.ts";
import { maxArrayBytes, parseArray, tooLarge } from "./parse-json.ts";

/** The approximate memory of a verdict without its strings, so that many short items count. */
const verdictBytes = 256;

/** Answers an array by an array. */
export async function answerArray(context: RequestContext, deps: Deps): Promise<Answer> {
  const { request } = context;
  const format = responseFormatOf(context);
  const held = deps.reserveBody(request, readableBytes(request, request.maxUnreadBytes));
  try {
    const array = await readWhole(
      readInTime(request, decodedBody(request).body, () => 0),
      (bytes) => {
        // The rest of the body is not read.
        if (bytes > maxArrayBytes) throw tooLarge(tooManyBytes, { connection: "close" });
        held.count(bytes);
      },
    );
    await yieldIfSliceUsed();
    const items = parseArray(array);
    held.count(array.length + items.length * verdictBytes);
    const verdicts = await decideItems(items, deps, request);
    const body = await toBody(() => writeItems(verdictWriters[format].verdicts, [verdicts], nextBodyTurn), held);
    return { status: 200, headers: { "content-type": answerFormats[format].contentType, vary: "Accept" }, body };
  } catch (error) {
    held.release();
    throw error;
  }
}

const tooManyBytes = `An array may have at most ${maxArrayBytes.toLocaleString("en")} bytes`;

interface Item {
  readonly useragent: string;
  readonly question: CheckEvidence | undefined;
}

/** Decides items, verifies all with evidence at the same time, and reports every verdict. Throws a Problem if one is invalid. */
async function decideItems(
  values: readonly unknown[],
  { detector, readers, clientOf, onVerdict }: Deps,
  request: RequestContext["request"],
): Promise<readonly Verdict[]> {
  const isReading = readsEvidence(readers);
  const lookupClient = clientOf(request);
  // All are read before the first is verified, because a signature counts once.
  const items = await mapInTurns(values, (value, index): Item => {
    const useragent = useragentOf(value);
    if (useragent === undefined)
      throw new Problem("no-useragent", `Item ${index} of the array has no user agent. ${missing}`);
    return { useragent, question: isReading ? checkEvidenceOf(value) : undefined };
  });
  const pending = await mapInTurns(items, ({ useragent, question }) => {
    const plain = detector.check(useragent);
    const verdict = question ? verifyVerdict(readers, plain, question, question.waitMs, lookupClient) : plain;
    // One that fails before all are asked is thrown by Promise.all.
    if (verdict instanceof Promise) verdict.catch(() => {});
    return verdict;
  });
  const verdicts = await Promise.all(pending);
  await mapInTurns(verdicts, onVerdict);
  return verdicts;
}

/** Maps items one by one, and gives others a turn in between. */
async function mapInTurns<Item, Mapped>(
  items: readonly Item[],
  map: (item: Item, index: number) => Mapped,
): Promise<Mapped[]> {
  const mapped: Mapped[] = [];
  for (const item of items) {
    await yieldIfSliceUsed();
    mapped.push(map(item, mapped.length));
  }
  return mapped;
}
