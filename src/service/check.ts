/**
 * Check: reads `{"useragent": "…"}`, asks the detector, answers with the verdict. The service's hottest path, so what
 * is answered stays plain text until the host's way of sending it is known.
 */
import type { Detector } from "../detect/verdict.ts";
import { createAnswerCache } from "./answer-cache.ts";
import { type Format, negotiateFormat } from "./negotiate.ts";
import type { Exchange, Handler, Platform, RecordKeeper } from "./options.ts";
import { failureText, type PlainAnswer, problemText, toResponse } from "./problems.ts";
import { declaresJson, readBody } from "./read-body.ts";
import { secureHeaders } from "./secure-headers.ts";
import { toCheckXml } from "./xml.ts";

const contentTypes: Readonly<Record<Format, string>> = {
  json: "application/json",
  xml: "application/xml; charset=utf-8",
};

/** What Check needs to know. */
export interface CheckParts {
  readonly detector: Detector;
  readonly record: RecordKeeper | undefined;
  readonly maxBodyBytes: number;
  readonly platform: Platform | undefined;
}

/** Check in its two halves, for hosts that read bodies themselves, and as a handler. */
export interface Check {
  /** Why a request is refused by its head already. */
  refuse(exchange: Exchange): PlainAnswer | undefined;
  /** Why a body is refused that is longer than allowed. */
  refuseLength(exchange: Exchange): PlainAnswer;
  /** Decides about a body. Never throws. */
  decide(exchange: Exchange, body: ArrayBuffer | Uint8Array): string | PlainAnswer;
  /** The headers of an answer that `decide` gave as text. */
  headersOf(exchange: Exchange): Record<string, string>;
  /** What it returns never rejects. `onAnswer` is told the exchange, its answer's status and when it began. */
  handler(onAnswer?: (exchange: Exchange, status: number, startMs: number) => void): Handler;
}

/** The body of a Check; the same as the schema `CheckRequest`, which is forty times slower to ask (a test compares). */
export function isCheckRequest(body: unknown): body is { readonly useragent: string } {
  return typeof body === "object" && body !== null && typeof (body as { useragent?: unknown }).useragent === "string";
}

/** Makes Check around a detector. */
export function createCheck({ detector, record, maxBodyBytes, platform }: CheckParts): Check {
  const cache = createAnswerCache();
  const tooLarge = { detail: `A body may have ${maxBodyBytes} bytes.` };

  function refuse(exchange: Exchange): PlainAnswer | undefined {
    const { headers } = exchange.request;
    exchange.answerFormat = exchange.format ?? negotiateFormat(headers.get("accept"));
    if (exchange.answerFormat === undefined) return problemText(exchange, "not-acceptable", unacceptable);
    if (declaresJson(headers.get("content-type"))) return undefined;
    return problemText(exchange, "not-declared-json", undeclared, { "accept-post": "application/json" });
  }

  function decide(exchange: Exchange, body: ArrayBuffer | Uint8Array): string | PlainAnswer {
    try {
      let known: ReturnType<typeof cache.find>;
      let text: string | undefined;
      try {
        text = utf8.decode(body);
        known = cache.find(text);
      } catch {
        return unreadable(exchange, body);
      }
      if (known === undefined) {
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          return unreadable(exchange, body);
        }
        if (!isCheckRequest(value)) return problemText(exchange, "no-useragent", missing);
        known = cache.keep(text, detector.check(value.useragent));
      }
      exchange.verdict = known.verdict;
      record?.note(known.verdict);
      if (exchange.answerFormat === "xml") return toCheckXml(known.verdict);
      known.json ??= JSON.stringify(known.verdict);
      return known.json;
    } catch (error) {
      return failureText(exchange, error);
    }
  }

  const refuseLength = (exchange: Exchange) => problemText(exchange, "too-large", tooLarge, close);

  return {
    refuse,
    refuseLength,
    decide,
    headersOf: ({ requestId, answerFormat = "json", format }) =>
      answerHeaders(requestId, answerFormat, format === undefined),

    handler(onAnswer) {
      const send = platform?.Response === undefined ? createSender() : createPlatformSender(platform.Response);
      const readWhole = platform?.readBody ?? ((request: Request) => request.arrayBuffer());

      // One function with one await: each further one would cost 2 % of the whole request.
      return async function check(exchange: Exchange): Promise<Response> {
        const startMs = onAnswer === undefined ? 0 : performance.now();
        let answered: string | PlainAnswer | undefined;
        try {
          answered = refuse(exchange);
          if (answered === undefined) {
            let body: ArrayBuffer | Uint8Array | undefined;
            try {
              body = await readBody(exchange.request, maxBodyBytes, readWhole);
              const isTooLong = body === undefined || body.byteLength > maxBodyBytes;
              answered = isTooLong ? refuseLength(exchange) : decide(exchange, body as ArrayBuffer);
            } catch {
              answered = problemText(exchange, "not-json", { detail: "The body ended early." }, close);
            }
          }
        } catch (error) {
          answered = failureText(exchange, error);
        }
        const isVerdict = typeof answered === "string";
        onAnswer?.(exchange, isVerdict ? 200 : (answered as PlainAnswer).status, startMs);
        return isVerdict ? send(exchange, answered as string) : toResponse(answered as PlainAnswer);
      };
    },
  };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function unreadable(exchange: Exchange, body: ArrayBuffer | Uint8Array): PlainAnswer {
  const coding = exchange.request.headers.get("content-encoding");
  if (coding !== null && coding !== "identity") return problemText(exchange, "not-declared-json", encoded, noCoding);
  return problemText(exchange, "not-json", body.byteLength === 0 ? empty : unparsable);
}

type Sender = (exchange: Exchange, text: string) => Response;

/**
 * Makes answers from headers that are shared, and differ only in the request's id: `Response` copies them, which takes
 * half the time of reading them from a literal.
 */
function createSender(): Sender {
  const make = (format: Format, vary: boolean) => new Headers(answerHeaders("", format, vary));
  const fixed = { json: make("json", false), xml: make("xml", false) };
  const negotiated = { json: make("json", true), xml: make("xml", true) };
  return (exchange, text) => {
    const headers = (exchange.format === undefined ? negotiated : fixed)[exchange.answerFormat ?? "json"];
    headers.set("x-request-id", exchange.requestId);
    return new Response(text, { headers });
  };
}

/** Makes answers with a `Response` that may read its headers later, so that they cannot be shared. */
function createPlatformSender(PlatformResponse: typeof Response): Sender {
  return ({ requestId, answerFormat = "json", format }, text) =>
    new PlatformResponse(text, { headers: answerHeaders(requestId, answerFormat, format === undefined) });
}

function answerHeaders(requestId: string, format: Format, vary: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": contentTypes[format],
    ...secureHeaders,
    "x-request-id": requestId,
  };
  if (vary) headers.vary = "Accept";
  return headers;
}

// The connection still carries what was not read, so it cannot carry another request.
const close = { connection: "close" };
const unacceptable = { detail: "The answer is there as application/json and as application/xml." };
const undeclared = { detail: "Send the body with Content-Type: application/json, in UTF-8." };
const encoded = { detail: "Send the body without Content-Encoding." };
const noCoding = { "accept-encoding": "identity" };
const empty = { detail: 'The body is empty; send {"useragent": "…"}.' };
const unparsable = { detail: "The body cannot be parsed as JSON in UTF-8." };
const missing = { detail: 'Send an object with a string, such as {"useragent": "Mozilla/5.0 …"}.' };
