/**
 * The pipeline of every request: find its route, ask the guards, call the handler, complete the answer with common headers. Errors
 * become problems. It does not use sockets; fetch.ts and the host's files convert requests and answers.
 */
import type { Answer, Forwarded, Handler, IncomingRequest, RequestContext, Route } from "./context.ts";
import { createGuards, type GuardOptions } from "./guards.ts";
import { answerProblem, type ErrorPage, Problem } from "./problems.ts";
import { answerRoute, type FindRoute } from "./router.ts";

/** An answer that is ready to be sent. */
export interface FinishedAnswer extends Answer {
  /** Headers of this answer only, in addition to those that answers share. */
  readonly added: Readonly<Record<string, string>>;
}

/** Answers a request; `send` converts the answer for the runtime. Never throws and never rejects. */
export type Handle = <Sent>(request: IncomingRequest, send: (answer: FinishedAnswer) => Sent) => Sent | Promise<Sent>;

/** What requests are answered with until the host replaces it. */
export interface Site<Outcome> {
  readonly find: FindRoute<Outcome>;
  readonly errorPage: ErrorPage | undefined;
}

export interface PipelineOptions<Outcome> {
  /** The current site. A request is answered by the site that was current when it began. */
  readonly site: () => Site<Outcome>;
  /** Prefix of every path if the service is mounted below another, such as `/bots`; else empty. */
  readonly basePath: string;
  readonly guards: GuardOptions | undefined;
  readonly forwarded: Forwarded | undefined;
  /** Makes the id of a request whose client sent no valid one. */
  readonly requestId: (() => string) | undefined;
  /** Called once per request when the answer is ready, with the time since the arrival of the head; must not throw. */
  readonly onAnswer: ((context: RequestContext<Outcome>, status: number, durationMs: number) => void) | undefined;
}

/** Makes the pipeline. */
export function createPipeline<Outcome>(options: PipelineOptions<Outcome>): Handle {
  const { site, basePath, onAnswer } = options;
  const requestIdFor = createRequestIds(options.requestId);
  const guards = createGuards(options.guards ?? {}, options.forwarded);

  function answerInOrder(
    context: RequestContext<Outcome>,
    route: Route<Outcome>,
    added: Record<string, string>,
    errorPage: ErrorPage | undefined,
  ): ReturnType<Handler> {
    try {
      refuseHead(context.request);
      for (const guard of guards) {
        const held = guard(context, route, added);
        if (held !== undefined) return held;
      }
      return answerRoute(route, context);
    } catch (error) {
      return answerProblem(context, error, errorPage);
    }
  }

  return function handle<Sent>(request: IncomingRequest, send: (answer: FinishedAnswer) => Sent) {
    const startMs = onAnswer === undefined ? 0 : performance.now();
    const { path } = request;
    const { find, errorPage } = site();
    const isMounted = basePath !== "" && path.startsWith(`${basePath}/`);
    const { route, rest } = find(isMounted ? path.slice(basePath.length) : path);
    const requestId = requestIdFor(request.headers.get("x-request-id"));
    const added: Record<string, string> = { "x-request-id": requestId };
    const context: RequestContext<Outcome> = {
      request,
      requestId,
      basePath,
      route: route.path,
      rest,
      format: route.format,
      outcome: undefined,
      problem: undefined,
      error: undefined,
      warning: undefined,
    };
    const complete = (answer: Answer): Sent => {
      const durationMs = onAnswer === undefined ? 0 : performance.now() - startMs;
      const sent = send(finish(request, answer, added));
      onAnswer?.(context, answer.status, durationMs);
      return sent;
    };
    // The answer of a host's own route may have what no header can hold.
    const completeOrFail = (answer: Answer): Sent => {
      try {
        return complete(answer);
      } catch (error) {
        return complete(answerProblem(context, error, errorPage));
      }
    };
    const answered = answerInOrder(context, route, added, errorPage);
    if (!(answered instanceof Promise)) return completeOrFail(answered);
    return answered.then(completeOrFail, (error) => complete(answerProblem(context, error, errorPage)));
  };
}

/** A valid `X-Request-Id` of a client. */
const validId = /^[A-Za-z0-9._-]{1,128}$/;
/** The host's own may have other characters, if a header can hold them. */
const validOwnId = /^[!-~]{1,128}$/;

/**
 * Makes the function that turns an `X-Request-Id` header into the id of the request: the client's own if it is valid, else the one that the
 * host makes, else one of the counter.
 */
function createRequestIds(generate?: () => string): (header: string | null) => string {
  const count = createCounter();
  const make = (): string => {
    try {
      const made = String(generate?.());
      return validOwnId.test(made) ? made : count();
    } catch {
      return count();
    }
  };
  const next = generate === undefined ? count : make;
  return (header) => (header !== null && validId.test(header) ? header : next());
}

/** A random prefix and a count: unique enough to find a request in a log, and next to free. */
function createCounter(): () => string {
  let prefix = "";
  let count = 0;
  return () => {
    // Created with the first request, because edge runtimes provide no random numbers before.
    if (prefix === "") prefix = crypto.randomUUID().slice(0, 13);
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** Headers of every answer: browsers do not guess types and send no referrer. */
export const secureHeaders = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" } as const;

/** An unread body of up to this many bytes is discarded, so that the connection can be used again. */
const maxUnreadBytes = 65_536;

/** Throws a Problem if the head of a request must be refused. */
function refuseHead(request: IncomingRequest): void {
  const { method, headers } = request;
  // Two servers may interpret a request with two hosts differently.
  if (headers.get("host")?.includes(",")) throw new Problem("bad-header", "Send Host only once.", close);
  if (method !== "POST" && hasLongBody(request))
    throw new Problem("too-large", "Do not send a body with this method.", close);
}

/** Completes an answer: HEAD gets the head only, and a long unread body closes the connection. */
function finish(request: IncomingRequest, answer: Answer, added: Record<string, string>): FinishedAnswer {
  const { status, headers } = answer;
  if (added.vary !== undefined && headers.vary !== undefined) added.vary = `${headers.vary}, ${added.vary}`;
  if (!request.isBodyTaken && hasLongBody(request)) added.connection = "close";
  const body = request.method === "HEAD" ? leaveOut(answer.body, added) : answer.body;
  return { status, headers, added, body };
}

const close = { connection: "close" };

/** Whether the body may be longer than the part that is discarded unread; some bodies have no declared length. */
function hasLongBody({ headers, declaredBytes = 0 }: IncomingRequest): boolean {
  return headers.get("transfer-encoding") !== null || declaredBytes > maxUnreadBytes;
}

const encoder = new TextEncoder();

/** Sets the headers that describe the body GET would send. */
function leaveOut(body: Answer["body"], added: Record<string, string>): null {
  if (body === null) return null;
  if (typeof body === "string" || body instanceof Uint8Array) {
    added["content-length"] = String((typeof body === "string" ? encoder.encode(body) : body).byteLength);
    return null;
  }
  body[Symbol.asyncIterator]().return?.();
  // Without it, Bun sends a length of 0, which RFC 9110 §8.6 forbids.
  added["transfer-encoding"] = "chunked";
  return null;
}
