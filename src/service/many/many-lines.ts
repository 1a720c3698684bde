/**
 * Turns lines of user agents into lines of verdicts, one by one, in order, as they arrive. Answers are cached,
 * because the same lines occur over and over.
 */

import { createByteCache, type MakeOfBytes } from "../../cache/byte-cache.ts";
import type { Detector, Verdict } from "../../detect/verdict.ts";
import { readInTime } from "../../http/bodies.ts";
import type { IncomingRequest } from "../../http/context.ts";
import { yieldIfSliceUsed } from "../../http/event-loop-turns.ts";
import { Problem, type ProblemName, toBodyProblem, toProblemMembers } from "../../http/problems.ts";
import { createOutput } from "../../scan/count/passed-lines.ts";
import type { LookupClient } from "../../verify/evidence.ts";
import { type EvidenceReaders, knownVerdict, readsEvidence } from "../../verify/verify-verdict.ts";
import { type CheckEvidence, checkEvidenceOf, missing, useragentOf } from "../check/check-request.ts";
import { createLineCutter } from "./line-cutter.ts";
import { hasMark, maxItems, parseJson } from "./parse-json.ts";

/** How lines of one kind are answered. */
export interface LineKind {
  readonly answerOf: MakeOfBytes<LineAnswer>;
  readonly tooLong: LineAnswer;
  /** Writes the end of a response if the rest of the body cannot be read; absent if the line format cannot express that. */
  readonly writeEnd?: (problem: Problem) => Uint8Array;
}

/** A line's verdict (unless the line is invalid or empty), and the line that answers it. */
interface LineAnswer {
  readonly verdict?: Verdict;
  readonly line: Uint8Array;
  /** Answers it again: present for lines with evidence, because what it says may have changed. */
  readonly again?: (lookupClient: LookupClient) => LineAnswer;
}

const encoder = new TextEncoder();
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const toLine = (value: object): Uint8Array => encoder.encode(`${JSON.stringify(value)}\n`);

/** Caches lines of up to 512 bytes: at most 4 MB for each kind, allocated at first use. */
const remember = (make: MakeOfBytes<LineAnswer>) => createByteCache(make, 8192, 512);

/** A user agent a line; each is answered by `0` or `1`, one that is too long by `-`. */
export function textToDigits({ check }: Detector): LineKind {
  const [no, yes, tooLong] = ["0\n", "1\n", "-\n"].map((line) => encoder.encode(line)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const answerOf = remember((bytes, from, to) => {
    const verdict = check(lenient.decode(bytes.subarray(from, to)));
    return { verdict, line: verdict.crawler ? yes : no };
  });
  return { answerOf, tooLong: { line: tooLong } };
}

/** A user agent a line; each is answered by its verdict. */
export function textToVerdicts({ check }: Detector, basePath: string, maxLineBytes: number): LineKind {
  const answerOf = remember((bytes, from, to) => {
    const verdict = check(lenient.decode(bytes.subarray(from, to)));
    return { verdict, line: toLine(verdict) };
  });
  return { answerOf, ...problemsOf(basePath, maxLineBytes) };
}

/** A JSON string or object a line; each is answered by its verdict, or by a problem in its place. Empty lines are none. */
export function objectsToVerdicts(
  { check }: Detector,
  readers: EvidenceReaders,
  basePath: string,
  maxLineBytes: number,
): LineKind {
  const isReading = readsEvidence(readers);
  const empty = { line: new Uint8Array(0) };
  const notJson = toBad(basePath, "not-json", "The line cannot be parsed as JSON in UTF-8.");
  const noUseragent = toBad(basePath, "no-useragent", missing);
  const answerOf = remember((bytes, from, to) => {
    if (from === to) return empty;
    const value = parseJson(bytes.subarray(from, to));
    if (value === undefined) return notJson;
    const useragent = useragentOf(value);
    if (useragent === undefined) return noUseragent;
    const verdict = check(useragent);
    const plain = { verdict, line: toLine(verdict) };
    try {
      const question = isReading ? checkEvidenceOf(value) : undefined;
      return question === undefined ? plain : { ...plain, again: createAgain(verdict, question, readers) };
    } catch (error) {
      if (error instanceof Problem) return toBad(basePath, error.problem, error.details.detail);
      throw error;
    }
  });
  return { answerOf, ...problemsOf(basePath, maxLineBytes) };
}

/** Makes the function that answers a line with evidence; a line that says the same again is written once. */
function createAgain(
  plain: Verdict,
  question: CheckEvidence,
  readers: EvidenceReaders,
): (lookupClient: LookupClient) => LineAnswer {
  let last: LineAnswer | undefined;
  return (lookupClient) => {
    const verdict = knownVerdict(readers, plain, question, lookupClient, last?.verdict);
    if (last === undefined || verdict !== last.verdict) last = { verdict, line: toLine(verdict) };
    return last;
  };
}

function problemsOf(basePath: string, maxLineBytes: number): Pick<LineKind, "tooLong" | "writeEnd"> {
  return {
    tooLong: toBad(basePath, "too-large", `A line may have at most ${maxLineBytes.toLocaleString("en")} bytes.`),
    writeEnd: ({ problem, details }) => toLine(toProblemMembers(basePath, problem, details)),
  };
}

function toBad(basePath: string, name: ProblemName, detail: string): LineAnswer {
  return { line: toLine(toProblemMembers(basePath, name, { detail })) };
}

/** Others may get a turn between parts of this size, which can be hundreds of lines, and an answer of forty times that. */
const partBytes = 1024;
/** Answers are sent when this many bytes have accumulated, or when no lines are left. */
const answerBytes = 65_536;

/** A body of lines. */
export interface LinesBody {
  readonly request: IncomingRequest;
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly isCoded: boolean;
  readonly lookupClient: LookupClient;
  readonly maxLineBytes: number;
  /** How long the client may leave answers unread before its body is read. */
  readonly unreadMs: number;
  /** Told how many bytes are kept for it; throws a Problem if there is no room. */
  readonly count: (keptBytes: number) => void;
  readonly onVerdict: (verdict: Verdict) => void;
}

/**
 * Answers the lines of a body, and reports every verdict. Throws what reading the body throws, or writes the reason as the last line, if
 * there is a way to say it. A line must come in time; between lines the client may pause.
 */
export async function* answerLines(
  { request, isCoded, lookupClient, maxLineBytes, unreadMs, ...body }: LinesBody,
  { answerOf, tooLong, writeEnd }: LineKind,
): AsyncGenerator<Uint8Array> {
  let output = createOutput(partBytes);
  let lines = 0;
  let hasBegun = false;
  let hasAnswered = false;
  let discarded: Promise<number> | undefined;
  const cutter = createLineCutter(maxLineBytes, (bytes, start, to, isTooLong) => {
    const from = lines === 0 && hasMark(bytes, start, to) ? start + 3 : start;
    lines++;
    const known = isTooLong ? tooLong : answerOf(bytes, from, to);
    const { verdict, line } = known.again?.(lookupClient) ?? known;
    if (verdict !== undefined) body.onVerdict(verdict);
    output.write(line, 0, line.length);
  });
  function take(): Uint8Array {
    const bytes = output.bytes();
    output = createOutput(partBytes);
    hasAnswered = true;
    return bytes;
  }
  // Of a compressed body also the beginning must come in time, before there is any line; and so must what is discarded.
  function unfinished(): number | undefined {
    if (discarded !== undefined) return -1;
    return cutter.isInLine() || (isCoded && !hasBegun) ? lines : undefined;
  }
  const pieces = readInTime(request, body.pieces, unfinished);
  const discardRest = () => {
    discarded = discard(pieces);
    discarded.catch(() => {});
  };
  try {
    for await (const piece of pieces) {
      hasBegun = true;
      for (let from = 0; from < piece.length; from += partBytes) {
        await yieldIfSliceUsed();
        if (request.signal.aborted) return;
        cutter.push(piece.subarray(from, from + partBytes));
        body.count(cutter.keptBytes());
        const isLastPart = from + partBytes >= piece.length;
        if (output.length() < (isLastPart ? 1 : answerBytes)) continue;
        const timer = setTimeout(discardRest, unreadMs);
        try {
          yield take();
        } finally {
          clearTimeout(timer);
        }
        if (await discarded) throw new Problem("too-large", unread);
      }
    }
  } catch (error) {
    const problem = toBodyProblem(error);
    // A compressed body without any answer so far gets a problem with a status.
    if (problem === undefined || writeEnd === undefined || (isCoded && !hasAnswered)) throw problem ?? error;
    yield writeEnd(problem);
    return;
  }
  cutter.end();
  if (output.length() > 0) yield take();
}

/**
 * Reads the rest of a body, and returns its length. If a client keeps sending without reading, client and service would wait for each
 * other; and closing a connection with unread bytes loses what the client has not read yet.
 */
async function discard(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    await yieldIfSliceUsed();
  }
  return length;
}

const unread =
  "The responses were not read while the body was being sent, so the remaining lines are not answered. Read the responses while you send, " +
  `or send arrays (application/json) of at most ${maxItems.toLocaleString("en")} items.`;
