/**
 * The answer to a request as a value. fetch.ts and the host's files convert it to their runtime's response and send it.
 */

/** The body of an answer. A stream is read only as fast as the client reads. */
export type Body = string | Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array>;

/**
 * The result of a handler. The pipeline adds `X-Request-Id` and the usual headers; HEAD leaves the body out. `return()`
 * is called on the iterator of a stream when the client goes away, also before its first piece.
 */
export interface Answer {
  readonly status: number;
  /** By names in lower case. One that is frozen is shared by many answers, which spares runtimes reading it again. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body | null;
}

/** Answers without a body, such as 204 or a redirection. */
export function answerEmpty(status: 204 | 302 | 308, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body: null };
}
