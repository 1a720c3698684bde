/**
 * Lines of user agents on their way to lines of verdicts: one by one, in order, while they come. What is known of a line is
 * remembered, for the same ones come over and over.
 */

import { createByteCache, type MakeOfBytes } from "../../cache/byte-cache.ts";
import type { Detector, Verdict } from "../../detect/verdict.ts";
import { readInTime } from "../../http/bodies.ts";
import type { IncomingRequest } from "../../http/context.ts";
import { bodyTurnIfDue } from "../../http/event-loop-turns.ts";
import { Problem, type ProblemName, toBodyProblem, toProblemMembers } from "../../http/problems.ts";
import { createOutput } from "../../scan/count/passed-lines.ts";
import type { Asker } from "../../verify/evidence.ts";
import { type EvidenceReaders, knownVerdict, readsEvidence } from "../../verify/verify-verdict.ts";
import { missing, type Question, questionOf, useragentOf } from "../check/check-request.ts";
import { createLineCutter } from "./line-cutter.ts";
import { hasMark } from "./parse-items.ts";

/** Turns lines of one kind into lines of another. */
export interface LineAnswers {
  readonly known: MakeOfBytes<KnownLine>;
  readonly tooLong: KnownLine;
  /** Writes what ends a body that cannot be read on; absent if the lines have no way to say it. */
  readonly writeEnd?: (problem: Problem) => Uint8Array;
}

/** The number and the length of cached lines: at most 4 MB for each kind, allocated at first use. */
const rememberedLines = 8192;
const rememberedBytes = 512;

/** The result of a line: its verdict, unless it is invalid or empty, and the answer's line. */
interface KnownLine {
  readonly verdict: Verdict | undefined;
  readonly answer: Uint8Array;
  /** Answers it again: present for lines with evidence, because what it says may have changed. */
  readonly renew?: (asker: Asker) => KnownLine;
}

const encoder = new TextEncoder();
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const remember = (make: MakeOfBytes<KnownLine>) => createByteCache(make, rememberedLines, rememberedBytes);

/** A user agent a line; each is answered by `0` or `1`, one that is too long by `-`. */
export function textToDigits({ check }: Detector): LineAnswers {
  const digits = [encoder.encode("0\n"), encoder.encode("1\n")] as const;
  return {
    known: remember((bytes, from, to) => {
      const verdict = check(lenient.decode(bytes.subarray(from, to)));
      return { verdict, answer: digits[verdict.crawler ? 1 : 0] };
    }),
    tooLong: { verdict: undefined, answer: encoder.encode("-\n") },
  };
}

/** A user agent a line; each is answered by its verdict. */
export function textToVerdicts({ check }: Detector, basePath: string, maxLineBytes: number): LineAnswers {
  return {
    known: remember((bytes, from, to) => {
      const verdict = check(lenient.decode(bytes.subarray(from, to)));
      return { verdict, answer: toLine(verdict) };
    }),
    ...problemsOf(basePath, maxLineBytes),
  };
}

/** A JSON string or object a line; each is answered by its verdict, or by a problem in its place. Empty lines are none. */
export function objectsToVerdicts(
  { check }: Detector,
  readers: EvidenceReaders,
  basePath: string,
  maxLineBytes: number,
): LineAnswers {
  const nothing: KnownLine = { verdict: undefined, answer: new Uint8Array(0) };
  const notJson = toBad(basePath, "not-json", "The line cannot be parsed as JSON in UTF-8.");
  const noUseragent = toBad(basePath, "no-useragent", missing);
  return {
    known: remember((bytes, from, to) => {
      if (from === to) return nothing;
      let value: unknown;
      try {
        value = JSON.parse(strict.decode(bytes.subarray(from, to)));
      } catch {
        return notJson;
      }
      const useragent = useragentOf(value);
      if (useragent === undefined) return noUseragent;
      const verdict = check(useragent);
      let question: Question | undefined;
      try {
        question = readsEvidence(readers) ? questionOf(value) : undefined;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return toBad(basePath, error.problem, error.details.detail);
      }
      const plain = { verdict, answer: toLine(verdict) };
      return question === undefined ? plain : { ...plain, renew: createRenew(plain, question, readers) };
    }),
    ...problemsOf(basePath, maxLineBytes),
  };
}

const toLine = (value: object): Uint8Array => encoder.encode(`${JSON.stringify(value)}\n`);

/** Makes the function that answers a line with evidence; a line that says the same again is written once. */
function createRenew(
  plain: { readonly verdict: Verdict; readonly answer: Uint8Array },
  question: Question,
  readers: EvidenceReaders,
): NonNullable<KnownLine["renew"]> {
  let last: typeof plain | undefined;
  return (asker) => {
    const verdict = knownVerdict(readers, plain.verdict, question, asker, last?.verdict);
    if (last === undefined || verdict !== last.verdict)
      last = verdict === plain.verdict ? plain : { verdict, answer: toLine(verdict) };
    return last;
  };
}

function problemsOf(basePath: string, maxLineBytes: number): Pick<LineAnswers, "tooLong" | "writeEnd"> {
  return {
    tooLong: toBad(basePath, "too-large", `A line may have at most ${maxLineBytes.toLocaleString("en")} bytes.`),
    writeEnd: ({ problem, details }) => toLine(toProblemMembers(basePath, problem, details)),
  };
}

function toBad(basePath: string, name: ProblemName, detail: string): KnownLine {
  return { verdict: undefined, answer: toLine(toProblemMembers(basePath, name, { detail })) };
}

/** Lines are looked at in parts of this size and answered before the next: short ones can make an answer of ten times that. */
const partBytes = 16_384;
/** Answers go out when there is so much of them, or when there is no more to answer. */
const answerBytes = 65_536;

/** Verdicts are told in sums over this many lines, or over half a second: most lines come again and again. */
const toldLines = 16_384;
const toldMs = 500;
/** And over this many characters: in half a second, a compressed body can become 100 MB of long lines. */
const toldCharacters = 1024 * 1024;

/** Receives a verdict and how often it was given. */
export type OnVerdict = (verdict: Verdict, times: number) => void;

/** Sums up equal verdicts. */
function createSums(onVerdict: OnVerdict) {
  const sums = new Map<Verdict, number>();
  let lines = 0;
  let characters = 0;
  let sinceMs = performance.now();
  return {
    add(verdict: Verdict): void {
      const times = sums.get(verdict) ?? 0;
      sums.set(verdict, times + 1);
      lines++;
      if (times === 0) characters += verdict.useragent.length;
    },
    tellDue(): void {
      if (lines >= toldLines || characters >= toldCharacters || performance.now() - sinceMs >= toldMs) this.tell();
    },
    tell(): void {
      for (const [verdict, times] of sums) onVerdict(verdict, times);
      sums.clear();
      lines = 0;
      characters = 0;
      sinceMs = performance.now();
    },
  };
}

/** The body of lines: the request, its pieces, and what counts the bytes that are kept for it. */
export interface LinesBody {
  readonly request: IncomingRequest;
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly isCoded: boolean;
  readonly asker: Asker;
  readonly count: (keptBytes: number) => void;
}

/**
 * Answers the lines of a body, and reports every verdict, also if the client leaves early. Throws what reading the body
 * throws, or writes the reason as the last line, if there is a way to say it. A line must come in time; between lines the client may pause.
 */
export async function* answerLines(
  { request, pieces, isCoded, asker, count }: LinesBody,
  { known, tooLong, writeEnd }: LineAnswers,
  maxLineBytes: number,
  onVerdict: OnVerdict,
): AsyncGenerator<Uint8Array> {
  let output = createOutput(partBytes);
  const sums = createSums(onVerdict);
  let lines = 0;
  let hasBegun = false;
  let hasAnswered = false;
  const cutter = createLineCutter(maxLineBytes, (bytes, start, to, isTooLong) => {
    const from = lines === 0 && hasMark(bytes, start, to) ? start + 3 : start;
    lines++;
    const line = isTooLong ? tooLong : known(bytes, from, to);
    const { verdict, answer } = line.renew?.(asker) ?? line;
    if (verdict !== undefined) sums.add(verdict);
    output.write(answer, 0, answer.length);
  });
  // Of a compressed body also the beginning must come in time, before there is any line.
  const unfinished = () => (cutter.isInLine() || (isCoded && !hasBegun) ? lines : undefined);
  const take = (): Uint8Array => {
    const bytes = output.bytes();
    output = createOutput(partBytes);
    hasAnswered = true;
    return bytes;
  };
  try {
    for await (const piece of readInTime(request, pieces, unfinished)) {
      hasBegun = true;
      for (let from = 0; from < piece.length; from += partBytes) {
        const turn = bodyTurnIfDue();
        if (turn !== undefined) {
          await turn;
          if (request.signal.aborted) return;
        }
        cutter.push(piece.subarray(from, from + partBytes));
        count(cutter.keptBytes());
        sums.tellDue();
        if (output.length() >= answerBytes) yield take();
      }
      if (output.length() > 0) yield take();
    }
  } catch (error) {
    sums.tell();
    const problem = toBodyProblem(error);
    // A compressed body that gives no answer at all gets a problem with a status.
    if (problem === undefined || writeEnd === undefined || (isCoded && !hasAnswered)) throw problem ?? error;
    yield writeEnd(problem);
    return;
  } finally {
    sums.tell();
  }
  cutter.end();
  sums.tell();
  if (output.length() > 0) yield take();
}
