/**
 * Reads the body of a request: declared to be JSON, no longer than allowed, UTF-8.
 * What the JSON must say is the caller's affair.
 */

/** application/json, with any parameters; a charset, if there is one, must be UTF-8 (RFC 8259 §8.1 knows no other). */
const jsonType = /^[ \t]*application\/json[ \t]*(?:;|$)/i;
const charsetParameter = /;[ \t]*charset[ \t]*=[ \t]*"?([^";, \t]*)"?/gi;

/** Tells whether a `Content-Type` header declares JSON in UTF-8. */
export function declaresJson(contentType: string | null): boolean {
  if (contentType === "application/json") return true;
  if (contentType === null || !jsonType.test(contentType)) return false;
  // Several headers arrive joined by commas; which of them would count is anybody's guess.
  if (contentType.includes(",")) return false;
  for (const [, charset] of contentType.matchAll(charsetParameter)) {
    if (!/^utf-?8$/i.test(charset as string)) return false;
  }
  return true;
}

/**
 * Reads a body of at most `maxBytes`; undefined for a longer one, of which no more is read than it takes to know.
 * `readWhole` is used where `Content-Length` says that the body is short enough: the protocol holds the client to it
 * (RFC 9112 §6.3), and reading a stream piece by piece costs twice as much as a whole small request otherwise does.
 */
export function readBody(
  request: Request,
  maxBytes: number,
  readWhole: (request: Request) => Promise<ArrayBuffer | Uint8Array>,
): Promise<ArrayBuffer | Uint8Array | undefined> {
  const declared = request.headers.get("content-length");
  // A missing or malformed length is not to be trusted with anything; such bodies are counted as they come.
  if (declared === null || !/^\d+$/.test(declared)) return readStream(request, maxBytes);
  return Number(declared) <= maxBytes ? readWhole(request) : Promise.resolve(undefined);
}

async function readStream(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (request.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > maxBytes) {
      // Not awaited: a source may take its time to stop, and the answer does not depend on it.
      reader.cancel().catch(() => {});
      return undefined;
    }
    chunks.push(value);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}
