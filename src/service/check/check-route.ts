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
import {
  type CheckEvidence,
  decodeText,
  expectJson,
  isCheckRequest,
  parseCheckEvidence,
  parseJson,
} from "./check-request.ts";

/** Answers to the latest bodies are kept: about 4 MB with strings of usual length, at most 16 MB. */
const maxCachedAnswers = 4096;
/** Longer bodies are not kept, so that memory has a bound. */
const maxCachedBody = 1024;

/** A verdict in the formats in which it was written already. */
interface WrittenVerdict {
  readonly verdict: Verdict;
  readonly written: Partial<Record<AnswerFormat, string>>;
}

interface CachedAnswer {
  readonly answer: WrittenVerdict;
  /** The other parts of the question, whose answer may change. */
  readonly question: CheckEvidence | undefined;
  /** The most recent answer to that question. */
  verified: WrittenVerdict | undefined;
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
  // Most user agents are repeated, and a cache hit takes a tenth of the time of a new verdict.
  const cache = new LRUCache<string, CachedAnswer>({ max: maxCachedAnswers });

  function read(body: Uint8Array): CachedAnswer {
    const text = decodeText(body);
    const before = cache.get(text);
    if (before !== undefined) return before;
    const value = parseJson(text, body);
    if (!isCheckRequest(value)) throw new Problem("no-useragent", wanted);
    const question = readsEvidence(readers) ? parseCheckEvidence(value) : undefined;
    const verdict = detector.check(value.useragent);
    const known: CachedAnswer = { answer: { verdict, written: {} }, question, verified: undefined };
    if (text.length <= maxCachedBody) cache.set(text, known);
    return known;
  }

  function respond(context: RequestContext<Verdict>, format: AnswerFormat, body: Uint8Array): Answer | Promise<Answer> {
    const known = read(body);
    const { question, answer } = known;
    if (question === undefined) return conclude(context, format, answer);
    const lookupClient = clientOf(context.request);
    const last = known.verified?.verdict;
    const verdict = verifyVerdict(readers, answer.verdict, question, question.waitMs, lookupClient, last);
    return verdict instanceof Promise
      ? verdict.then((verdict) => conclude(context, format, verified(known, verdict)))
      : conclude(context, format, verified(known, verdict));
  }

  function conclude(
    context: RequestContext<Verdict>,
    format: AnswerFormat,
    { verdict, written }: WrittenVerdict,
  ): Answer {
    context.outcome = verdict;
    record?.note(verdict);
    written[format] ??= verdictWriters[format].writeVerdict(verdict);
    return { status: 200, headers: (context.format ? fixed : negotiated)[format], body: written[format] };
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

/** The verdict as it was written already; written again only if it has changed. */
function verified(known: CachedAnswer, verdict: Verdict): WrittenVerdict {
  if (verdict === known.answer.verdict) known.verified = known.answer;
  else if (verdict !== known.verified?.verdict) known.verified = { verdict, written: {} };
  return known.verified;
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
