/**
 * CheckMany: any number of user agents in one request. Lines are answered while they come, a JSON array as a whole.
 */
import type { Detector, Verdict } from "../detect/verdict.ts";
import type { Verification } from "../detect/verification.ts";
import type { Asker, Verifier } from "../verify/verification.ts";
import type { Answer } from "./answer.ts";
import type { AskerOf } from "./asker.ts";
import { DamagedBodyError, decodedBody, expectType } from "./body-type.ts";
import { BodyError, type Handler, type RequestContext } from "./context.ts";
import type { Question } from "./evidence.ts";
import { formats } from "./formats.ts";
import {
  answerLines,
  type LineAnswers,
  missing,
  type OnVerdict,
  objectsToVerdicts,
  questionOf,
  textToDigits,
  textToVerdicts,
  useragentOf,
} from "./many-lines.ts";
import { negotiateType } from "./negotiate.ts";
import { once } from "./once.ts";
import { Problem } from "./problems.ts";
import { formatOf } from "./representation.ts";

export interface CheckManyParts {
  readonly detector: Detector;
  readonly verifier: Verifier | undefined;
  readonly askerOf: AskerOf;
  /** Told how often each verdict was given. */
  readonly onVerdict: OnVerdict;
  readonly maxLineBytes: number;
  readonly basePath: string;
}

/** Most items of an array. */
export const maxItems = 10_000;
const maxArrayBytes = 16 * 1024 * 1024;

/** The type of lines of JSON, in and out. */
export const ndjson = "application/x-ndjson";
const text = "text/plain";
const bodyTypes = [ndjson, text, "application/json"] as const;

/** Makes the handler of CheckMany. */
export function createCheckMany(parts: CheckManyParts): Handler {
  const { detector, verifier, askerOf, onVerdict, maxLineBytes, basePath } = parts;
  // What a kind remembers is made when the first of it comes.
  const kinds = {
    digits: once(() => textToDigits(detector)),
    verdicts: once(() => textToVerdicts(detector, basePath, maxLineBytes)),
    objects: once(() => objectsToVerdicts(detector, verifier, basePath, maxLineBytes)),
  };

  function answerWith(context: RequestContext, contentType: string, answers: LineAnswers): Answer | Promise<Answer> {
    const { body, isCoded } = decodedBody(context.request);
    const { request } = context;
    const lines = answerLines(body, answers, maxLineBytes, onVerdict, request.signal, askerOf(request));
    const headers = { "content-type": contentType, "cache-control": "no-store", vary: "Accept" };
    // Who sends plain lines may wait for the head of the answer before the first of them.
    return isCoded
      ? begin(lines).then((body) => ({ status: 200, headers, body }))
      : { status: 200, headers, body: lines };
  }

  return (context) => {
    const type = expectType(context.request.headers, bodyTypes);
    if (type === "application/json") return answerArray(context, parts);
    const answerType = answerTypeOf(context, type === text ? [text, ndjson] : [ndjson]);
    if (answerType === text) return answerWith(context, "text/plain; charset=utf-8", kinds.digits());
    return answerWith(context, ndjson, type === text ? kinds.verdicts() : kinds.objects());
  };
}

/** Waits for the first piece, so that a body which cannot be read at all gets a problem: rejects with it. */
async function begin(lines: AsyncGenerator<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  let first: IteratorResult<Uint8Array> | undefined;
  try {
    first = await lines.next();
  } catch (error) {
    throw error instanceof DamagedBodyError ? new Problem("not-json", error.message) : error;
  }
  // No generator, which would not end `lines` where it is ended before its own beginning.
  const iterator: AsyncIterableIterator<Uint8Array> = {
    async next() {
      const next = first;
      first = undefined;
      return next ?? lines.next();
    },
    return: () => lines.return(undefined),
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

/** Throws a Problem where the client accepts none of them. */
function answerTypeOf({ request }: RequestContext, offered: readonly string[]): string {
  const type = negotiateType(request.headers.get("accept"), offered);
  if (type === undefined) throw new Problem("not-acceptable", `The answer is there as ${offered.join(" and as ")}.`);
  return type;
}

async function answerArray(
  context: RequestContext,
  { detector, verifier, askerOf, onVerdict }: CheckManyParts,
): Promise<Answer> {
  const format = formatOf(context);
  const items = parseArray(await readArray(decodedBody(context.request).body));
  const questions = items.map((item) => verifier && questionOf(item));
  const asker = askerOf(context.request);
  const verdicts = await Promise.all(
    items.map((item, index) => decide(detector.check(useragentOf(item)), questions[index], verifier, asker)),
  );
  for (const verdict of verdicts) onVerdict(verdict, 1);
  const { contentType, writeVerdicts } = formats[format];
  return { status: 200, headers: { "content-type": contentType, vary: "Accept" }, body: writeVerdicts(verdicts) };
}

function decide(
  verdict: Verdict,
  question: Question | undefined,
  verifier: Verifier | undefined,
  asker: Asker,
): Verdict | Promise<Verdict> {
  if (!verdict.crawler || question === undefined || verifier === undefined) return verdict;
  const { waitMs } = question;
  const verify = (verification: Verification | undefined): Verdict =>
    verification === undefined ? verdict : { ...verdict, verification };
  const verification = verifier.verify(verdict, question, waitMs, asker);
  return verification instanceof Promise ? verification.then(verify) : verify(verification);
}

async function readArray(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let length = 0;
  let json = "";
  try {
    for await (const piece of pieces) {
      length += piece.length;
      if (length > maxArrayBytes) throw new BodyError("too-large", maxArrayBytes);
      json += decoder.decode(piece, { stream: true });
    }
    return json + decoder.decode();
  } catch (error) {
    if (error instanceof DamagedBodyError) throw new Problem("not-json", error.message);
    if (error instanceof TypeError) throw new Problem("not-json", notJson);
    throw error;
  }
}

/** Throws a Problem where there is anything but user agents: an array is answered as a whole or not at all. */
function parseArray(json: string): readonly unknown[] {
  let items: unknown;
  try {
    items = JSON.parse(json);
  } catch {
    throw new Problem("not-json", notJson);
  }
  if (!Array.isArray(items)) throw new Problem("no-useragent", `Send an array. ${missing}`);
  if (items.length > maxItems) {
    throw new Problem(
      "too-large",
      `An array may have ${maxItems} items; of lines (${ndjson}) there may be any number.`,
    );
  }
  const wrong = items.findIndex((item) => useragentOf(item) === undefined);
  if (wrong !== -1) throw new Problem("no-useragent", `Item ${wrong} of the array is none. ${missing}`);
  return items;
}

const notJson = "The body cannot be parsed as JSON in UTF-8.";
