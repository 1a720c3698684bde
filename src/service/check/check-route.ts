/**
 * Check: reads `{"useragent": "…"}`, asks the detector, and the verifier if the body has `ip` or `headers`, notes the verdict in
 * the record and returns it.
 */

import { LRUCache } from "lru-cache";
import type { Verdict } from "../../detect/verdict.ts";
import { readBounded } from "../../http/bodies.ts";
import type { Answer, Handler, RequestContext, Route } from "../../http/context.ts";
import { shareHeaders } from "../../http/fetch.ts";
import { type AnswerFormat, answerFormatNames, answerFormats } from "../../http/formats.ts";
import type { Operation } from "../../http/operation.ts";
import { Problem } from "../../http/problems.ts";
import { responseFormatOf } from "../../http/representation.ts";
import { readsEvidence, verifyVerdict } from "../../verify/verify-verdict.ts";
import type { Deps } from "../deps.ts";
import {
  contents,
  exampleUseragent,
  type FormatChoice,
  guarded,
  inEveryFormat,
  problemResponses,
  refer,
} from "../describe/openapi-parts.ts";
import { verdictWriters } from "../describe/verdict-writers.ts";
import { decodeText, expectJson, isCheckRequest, parseCheckEvidence, parseJson } from "./check-request.ts";

/** Answers to the latest bodies are kept: about 4 MB with strings of usual length, at most 16 MB. */
const maxCachedAnswers = 4096;
/** Longer bodies are not kept, so that memory has a bound. */
const maxCachedBody = 1024;

/** A verdict as it is sent. */
interface WrittenVerdict {
  readonly verdict: Verdict;
  readonly text: string;
}

/** Bodies up to this size are not counted, because a head may be longer. */
const uncountedBytes = 8192;

/** Makes the three routes of Check. */
export function createCheckRoutes(deps: Deps): Route<Verdict>[] {
  const route = { path: "/RestService/Check", method: "POST", handler: createCheck(deps) } as const;
  return inEveryFormat(route, (choice) => describeCheck(deps, choice));
}

function createCheck({ detector, record, readers, clientOf, limits, takeBody }: Deps): Handler<Verdict> {
  const { maxBodyBytes } = limits;
  // Most user agents are repeated, and a kept answer takes a tenth of the time of a new one. By format and body.
  const kept = new LRUCache<string, WrittenVerdict>({ max: maxCachedAnswers });

  function respond(context: RequestContext<Verdict>, format: AnswerFormat, body: Uint8Array): Answer | Promise<Answer> {
    const text = decodeText(body);
    const key = format + text;
    const before = kept.get(key);
    if (before !== undefined) return conclude(context, format, before);
    const value = parseJson(text, body);
    if (!isCheckRequest(value)) throw new Problem("no-useragent", wanted);
    const question = readsEvidence(readers) ? parseCheckEvidence(value) : undefined;
    const verdict = detector.check(value.useragent);
    const write = (verdict: Verdict) => ({ verdict, text: verdictWriters[format].writeVerdict(verdict) });
    if (question === undefined) {
      const answer = write(verdict);
      if (text.length <= maxCachedBody) kept.set(key, answer);
      return conclude(context, format, answer);
    }
    const verified = verifyVerdict(readers, verdict, question, question.waitMs, clientOf(context.request));
    return verified instanceof Promise
      ? verified.then((verdict) => conclude(context, format, write(verdict)))
      : conclude(context, format, write(verified));
  }

  function conclude(context: RequestContext<Verdict>, format: AnswerFormat, { verdict, text }: WrittenVerdict): Answer {
    context.outcome = verdict;
    record?.note(verdict);
    return { status: 200, headers: (context.format ? fixed : negotiated)[format], body: text };
  }

  // Not async: each promise costs 2% of the whole request.
  return function check(context) {
    const format = responseFormatOf(context);
    expectJson(context.request.headers);
    const { request } = context;
    const bytes = Math.min(request.declaredBytes ?? maxBodyBytes, maxBodyBytes);
    const slot = bytes > uncountedBytes ? takeBody(request, bytes) : undefined;
    const body = readBounded(request, maxBodyBytes);
    return (slot === undefined ? body : body.finally(slot.release)).then((body) => respond(context, format, body));
  };
}

type HeadersByFormat = Readonly<Record<AnswerFormat, Answer["headers"]>>;

const toHeaders = (more: Answer["headers"]) =>
  Object.fromEntries(
    answerFormatNames.map((name) => [name, shareHeaders({ "content-type": answerFormats[name].contentType, ...more })]),
  ) as unknown as HeadersByFormat;
const fixed = toHeaders({});
const negotiated = toHeaders({ vary: "Accept" });

const wanted = 'Send an object with a string `useragent`, such as {"useragent": "Mozilla/5.0 …"}.';

/** The example is the detector's answer. */
function describeCheck(
  { detector, limits }: Deps,
  { formats: names, how, problems }: FormatChoice,
): Omit<Operation, "operationId"> {
  return {
    tags: ["Check"],
    summary: "Check one user agent",
    description: how,
    requestBody: {
      required: true,
      description: `JSON in UTF-8, at most ${limits.maxBodyBytes} bytes.`,
      content: { "application/json": { schema: refer("CheckRequest"), example: { useragent: exampleUseragent } } },
    },
    responses: {
      200: { description: "The verdict.", content: contents(names, "Verdict", detector.check(exampleUseragent)) },
      ...problemResponses(names, [
        "not-json",
        ...guarded,
        "cross-site",
        ...problems,
        "too-slow",
        "too-large",
        "not-declared-json",
        "no-useragent",
        "bad-evidence",
        "too-many-bodies",
      ]),
    },
  };
}
