/**
 * CheckMany: any number of user agents in one request. Lines are answered while they come, a JSON array as a whole.
 */

import { once } from "../../cache/once.ts";
import { decodedBody, expectType } from "../body/body-type.ts";
import { longestBody } from "../body/held-bodies.ts";
import type { Answer } from "../http/answer.ts";
import type { Handler, RequestContext } from "../http/context.ts";
import { negotiateType } from "../http/negotiate.ts";
import { Problem } from "../http/problems.ts";
import { untilEnd } from "../http/streams.ts";
import { type ArrayParts, answerArray } from "./many-array.ts";
import { answerLines, type LineAnswers, objectsToVerdicts, textToDigits, textToVerdicts } from "./many-lines.ts";

export interface CheckManyParts extends ArrayParts {
  readonly basePath: string;
}

/** The type of lines of JSON, in and out. */
export const ndjson = "application/x-ndjson";
const text = "text/plain";
const bodyTypes = [ndjson, text, "application/json"] as const;

/** Makes the handler of CheckMany. */
export function createCheckMany(parts: CheckManyParts): Handler {
  const { detector, verifier, askerOf, onVerdict, maxLineBytes, basePath, holdBody } = parts;
  // The cache of a kind is created at its first use.
  const kinds = {
    digits: once(() => textToDigits(detector)),
    verdicts: once(() => textToVerdicts(detector, basePath, maxLineBytes)),
    objects: once(() => objectsToVerdicts(detector, verifier, basePath, maxLineBytes)),
  };

  function answerWith(
    { request }: RequestContext,
    contentType: string,
    answers: LineAnswers,
  ): Answer | Promise<Answer> {
    const { body, isCoded } = decodedBody(request);
    const held = holdBody(request, longestBody(request.headers, request.mostUnreadBytes));
    request.signal.addEventListener("abort", held.release);
    const lines = untilEnd(
      answerLines(
        { request, pieces: body, isCoded, asker: askerOf(request), count: held.count },
        answers,
        maxLineBytes,
        onVerdict,
      ),
      undefined,
      held.release,
    );
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

/** Waits for the first piece, so that a body which cannot be read at all gets a problem. */
async function begin(lines: AsyncIterableIterator<Uint8Array>): Promise<AsyncIterableIterator<Uint8Array>> {
  let first: IteratorResult<Uint8Array> | undefined = await lines.next();
  return {
    ...lines,
    async next() {
      const next = first;
      first = undefined;
      return next ?? lines.next();
    },
  };
}

/** Throws a Problem if the client accepts none of them. */
function answerTypeOf({ request }: RequestContext, offered: readonly string[]): string {
  const type = negotiateType(request.headers.get("accept"), offered);
  if (type === undefined) throw new Problem("not-acceptable", `The answer is there as ${offered.join(" and as ")}.`);
  return type;
}
