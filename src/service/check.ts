/**
 * Check: reads `{"useragent": "…"}`, asks the detector, answers with the verdict. The service's hottest path.
 */
import type { Detector } from "../detect/verdict.ts";
import { type Format, negotiateFormat } from "./negotiate.ts";
import type { Exchange, Handler, Platform, RecordKeeper } from "./options.ts";
import { failure, problem } from "./problems.ts";
import { declaresJson, parseJson, readBody } from "./read-body.ts";
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

/** The body of a Check; the same as the schema `CheckRequest`, which is forty times slower to ask (a test compares). */
export function isCheckRequest(body: unknown): body is { readonly useragent: string } {
  return typeof body === "object" && body !== null && typeof (body as { useragent?: unknown }).useragent === "string";
}

/** Makes the handler of the three Check paths; what it returns never rejects. */
export function createCheck({ detector, record, maxBodyBytes, platform }: CheckParts): Handler {
  const send = platform?.Response === undefined ? createSender() : createPlatformSender(platform.Response);
  const readWhole = platform?.readBody ?? ((request: Request) => request.arrayBuffer());
  const tooLarge = { detail: `A body may have ${maxBodyBytes} bytes.` };
  // The connection still carries what was not read, so it cannot carry another request.
  const close = { connection: "close" };

  // One function with one await: each further one would cost 2 % of the whole request.
  return async function check(exchange: Exchange): Promise<Response> {
    try {
      const { headers } = exchange.request;
      const format = exchange.format ?? negotiateFormat(headers.get("accept"));
      if (format === undefined) return problem(exchange, "not-acceptable", unacceptable);
      if (!declaresJson(headers.get("content-type"))) {
        return problem(exchange, "not-declared-json", undeclared, { "accept-post": "application/json" });
      }
      let body: ArrayBuffer | Uint8Array | undefined;
      try {
        body = await readBody(exchange.request, maxBodyBytes, readWhole);
      } catch {
        return problem(exchange, "not-json", { detail: "The body ended early." }, close);
      }
      if (body === undefined || body.byteLength > maxBodyBytes) return problem(exchange, "too-large", tooLarge, close);
      let value: unknown;
      try {
        value = parseJson(body);
      } catch {
        const coding = headers.get("content-encoding");
        if (coding !== null && coding !== "identity") return problem(exchange, "not-declared-json", encoded, noCoding);
        return problem(exchange, "not-json", body.byteLength === 0 ? empty : unparsable);
      }
      if (!isCheckRequest(value)) return problem(exchange, "no-useragent", missing);
      const verdict = detector.check(value.useragent);
      exchange.verdict = verdict;
      record?.note(verdict);
      return send(exchange, format, format === "json" ? JSON.stringify(verdict) : toCheckXml(verdict));
    } catch (error) {
      return failure(exchange, error);
    }
  };
}

type Sender = (exchange: Exchange, format: Format, text: string) => Response;

/**
 * Makes answers from headers that are shared, and differ only in the request's id: `Response` copies them, which takes
 * half the time of reading them from a literal.
 */
function createSender(): Sender {
  const make = (format: Format, vary: boolean) => new Headers(answerHeaders("", format, vary));
  const fixed = { json: make("json", false), xml: make("xml", false) };
  const negotiated = { json: make("json", true), xml: make("xml", true) };
  return (exchange, format, text) => {
    const headers = (exchange.format === undefined ? negotiated : fixed)[format];
    headers.set("x-request-id", exchange.requestId);
    return new Response(text, { headers });
  };
}

/** Makes answers with a `Response` that may read its headers later, so that they cannot be shared. */
function createPlatformSender(PlatformResponse: typeof Response): Sender {
  return (exchange, format, text) =>
    new PlatformResponse(text, { headers: answerHeaders(exchange.requestId, format, exchange.format === undefined) });
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

const unacceptable = { detail: "The answer is there as application/json and as application/xml." };
const undeclared = { detail: "Send the body with Content-Type: application/json, in UTF-8." };
const encoded = { detail: "Send the body without Content-Encoding." };
const noCoding = { "accept-encoding": "identity" };
const empty = { detail: 'The body is empty; send {"useragent": "…"}.' };
const unparsable = { detail: "The body cannot be parsed as JSON in UTF-8." };
const missing = { detail: 'Send an object with a string, such as {"useragent": "Mozilla/5.0 …"}.' };
