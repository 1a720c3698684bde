/**
 * The body of a list, as JSON or XML, piece by piece: none is made before the client has taken what came before it.
 */
import { toGzip } from "./answer.ts";
import type { Format } from "./negotiate.ts";
import { type ListedItem, listTailXml, toItemXml, toListHeadXml } from "./xml.ts";

/** Items that are written between two chances for other requests: about half a millisecond's work. */
export const itemsPerPiece = 256;

/** What heads a list. */
export interface ListFacts {
  readonly version: string;
  readonly total: number;
  readonly offset: number;
  readonly limit: number | undefined;
  readonly incomplete?: true;
}

type Pages = readonly (readonly ListedItem[])[];
type LatePages = AsyncIterable<readonly ListedItem[]>;

/** Writes a list of items that are at hand, or that are read page by page. */
export function writeList(format: Format, facts: ListFacts, pages: Pages): Generator<string>;
export function writeList(format: Format, facts: ListFacts, pages: LatePages): AsyncGenerator<string>;
export function writeList(format: Format, facts: ListFacts, pages: Pages | LatePages) {
  return Array.isArray(pages) ? writeNow(format, facts, pages) : writeLater(format, facts, pages as LatePages);
}

function* writeNow(format: Format, facts: ListFacts, pages: Pages): Generator<string> {
  yield writeHead(format, facts);
  let isFirst = true;
  for (const page of pages) {
    for (const piece of toPieces(format, page, isFirst)) {
      yield piece;
      isFirst = false;
    }
  }
  yield writeTail(format);
}

async function* writeLater(format: Format, facts: ListFacts, pages: LatePages): AsyncGenerator<string> {
  yield writeHead(format, facts);
  let isFirst = true;
  for await (const page of pages) {
    for (const piece of toPieces(format, page, isFirst)) {
      yield piece;
      isFirst = false;
    }
  }
  yield writeTail(format);
}

function writeHead(format: Format, facts: ListFacts): string {
  return format === "json" ? `${JSON.stringify(facts).slice(0, -1)},"items":[` : toListHeadXml({ ...facts });
}

function writeTail(format: Format): string {
  return format === "json" ? "]}" : listTailXml;
}

function* toPieces(format: Format, items: readonly ListedItem[], isFirst: boolean): Generator<string> {
  for (let start = 0; start < items.length; start += itemsPerPiece) {
    const piece = items.slice(start, start + itemsPerPiece);
    if (format === "xml") yield piece.map(toItemXml).join("");
    else yield (isFirst && start === 0 ? "" : ",") + piece.map((item) => JSON.stringify(item)).join(",");
  }
}

const encoder = new TextEncoder();

/** Sends pieces as they are read; a client that goes away ends the reading. */
export function toStream(pieces: Generator<string> | AsyncGenerator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

/** A body that is kept, as it is and compressed. */
export interface KeptBody {
  plain(): Uint8Array<ArrayBuffer>;
  gzip(): Promise<Uint8Array<ArrayBuffer>>;
}

/** Keeps a body and its compressed form after the first use. */
export function keepBody(pieces: () => Generator<string>): KeptBody {
  let plain: Uint8Array<ArrayBuffer> | undefined;
  let gzip: Promise<Uint8Array<ArrayBuffer>> | undefined;
  const toPlain = (): Uint8Array<ArrayBuffer> => {
    plain ??= encoder.encode([...pieces()].join(""));
    return plain;
  };
  const toCompressed = async (): Promise<Uint8Array<ArrayBuffer>> =>
    new Uint8Array(await new Response(toGzip(toPlain())).arrayBuffer());
  return {
    plain: toPlain,
    gzip() {
      gzip ??= toCompressed();
      return gzip;
    },
  };
}
