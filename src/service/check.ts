/**
 * Check: reads `{"useragent": "…"}`, asks the detector, tells the record, answers with the verdict.
 */
import type { Detector } from "../detect/verdict.ts";
import type { Answer } from "./answer.ts";
import { createAnswerCache } from "./answer-cache.ts";
import type { Handler, RequestContext } from "./context.ts";
import { type Format, formatNames, formats } from "./formats.ts";
import { expectJson, parseJson, toText } from "./json-body.ts";
import type { RecordKeeper } from "./options.ts";
import { Problem } from "./problems.ts";
import { formatOf } from "./representation.ts";

/** What Check needs to know. */
export interface CheckParts {
  readonly detector: Detector;
  readonly record: RecordKeeper | undefined;
  readonly maxBodyBytes: number;
}

/** Tells whether a value is the body of a Check, as the schema `CheckRequest` has it. */
export function isCheckRequest(body: unknown): body is { readonly useragent: string } {
  return typeof body === "object" && body !== null && typeof (body as { useragent?: unknown }).useragent === "string";
}

/** Makes the handler of the three paths of Check. */
export function createCheck({ detector, record, maxBodyBytes }: CheckParts): Handler {
  const cache = createAnswerCache();

  function decide(context: RequestContext, format: Format, body: Uint8Array): Answer {
    const { headers } = context.request;
    const text = toText(body, headers);
    let known = cache.find(text);
    if (known === undefined) {
      const value = parseJson(text, body, headers);
      if (!isCheckRequest(value)) throw new Problem("no-useragent", missing);
      known = cache.keep(text, detector.check(value.useragent));
    }
    const { verdict, written } = known;
    context.verdict = verdict;
    record?.note(verdict);
    written[format] ??= formats[format].writeVerdict(verdict);
    return { status: 200, headers: (context.format ? fixed : negotiated)[format], body: written[format] };
  }

  // Not async: each promise costs 2 % of the whole request.
  return function check(context) {
    const format = formatOf(context);
    expectJson(context.request.headers);
    return context.request.readBody(maxBodyBytes).then((body) => decide(context, format, body));
  };
}

type HeadersByFormat = Readonly<Record<Format, Answer["headers"]>>;

const toHeaders = (more: Answer["headers"]) =>
  Object.fromEntries(
    formatNames.map((name) => [name, Object.freeze({ "content-type": formats[name].contentType, ...more })]),
  ) as unknown as HeadersByFormat;
const fixed = toHeaders({});
const negotiated = toHeaders({ vary: "Accept" });

const missing = 'Send an object with a string, such as {"useragent": "Mozilla/5.0 …"}.';
