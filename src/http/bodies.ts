/** A body as its head declares it: its media type, and whether it is compressed. It is read whole, and never more of it than is allowed. */
import { BodyError, type HeaderReader, type IncomingRequest } from "./context.ts";
import { nextBodyTurn } from "./event-loop-turns.ts";
import { Problem } from "./problems.ts";
import { readPieces } from "./streams.ts";

const charsetParameter = /;[ \t]*charset[ \t]*=[ \t]*"?([^";, \t]*)"?/gi;

/** The media type in lowercase, one of those in `taken`. Throws a Problem for any other type, or a charset other than UTF-8. */
export function expectType<Type extends string>(
  headers: HeaderReader,
  taken: readonly Type[],
  problem: "type-not-taken" | "not-declared-json" = "type-not-taken",
): Type {
  const contentType = headers.get("content-type") ?? "";
  // Most clients send no parameters.
  const plain = taken.find((known) => known === contentType);
  if (plain !== undefined) return plain;
  // Repeated headers arrive joined by commas, and servers disagree about which one counts.
  if (contentType.includes(",")) throw new Problem("bad-header", "Send Content-Type only once.");
  const [name = ""] = contentType.split(";", 1);
  const type = taken.find((known) => known === name.trim().toLowerCase());
  if (type !== undefined && isUtf8(contentType)) return type;
  const types = taken.join(", ");
  throw new Problem(problem, `Send the body with Content-Type: ${types}, in UTF-8.`, { "accept-post": types });
}

function isUtf8(contentType: string): boolean {
  return [...contentType.matchAll(charsetParameter)].every(([, charset]) => /^utf-?8$/i.test(charset as string));
}

/**
 * Reads the whole body of a request within its time limit, and decompresses it if it is declared to be gzip. It may have at most `maxBytes`,
 * compressed and decompressed. Rejects with a BodyError; throws a Problem for another coding.
 */
export function readBounded(request: IncomingRequest, maxBytes: number): Promise<Uint8Array> {
  const coding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (coding === "identity") return request.readBody(maxBytes);
  if (coding === "gzip" || coding === "x-gzip")
    return request.readBody(maxBytes).then((body) => gunzip(body, maxBytes));
  throw new Problem("type-not-taken", "Send the body uncompressed or compressed with gzip.", {
    "accept-encoding": "gzip, identity",
  });
}

async function gunzip(body: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  // Setting up decompression takes a millisecond, and many may start at once.
  await nextBodyTurn();
  const plain = new Blob([body as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    return await readWhole(readPieces(plain), expectAtMost(maxBytes));
  } catch (error) {
    throw error instanceof BodyError ? error : new BodyError("damaged");
  }
}

/** Makes the function that throws a BodyError for more bytes than these. */
export function expectAtMost(maxBytes: number): (bytes: number) => void {
  return (bytes) => {
    if (bytes > maxBytes) throw new BodyError("too-large", maxBytes);
  };
}

/** Collects a body. `onBytes` receives the number of bytes so far and throws if there are too many, so no more is read than necessary. */
export async function readWhole(
  pieces: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.byteLength;
    onBytes(length);
    parts.push(piece);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.byteLength;
  }
  return body;
}
