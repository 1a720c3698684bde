/**
 * The body of a list in any format, piece by piece: a piece is made after the client has read the previous one.
 */
import type { RecordedString } from "../../record/store.ts";
import type { FormatFacts, ItemsFormat } from "../describe/answer-formats.ts";
import type { ListedItem, ListFacts } from "../describe/members.ts";
import type { Body } from "../http/answer.ts";
import { nextListTurn } from "../http/event-loop-turns.ts";
import { Problem } from "../http/problems.ts";
import { toBytes, toGzip } from "../http/streams.ts";
import type { ListSlot } from "./list-slots.ts";

/** Characters that are written between two chances for other requests, and kept in memory for each client. */
const pieceLength = 32_768;

/** Pieces of text; the generator returns the last one, so that a short list is known to be complete. */
export type Pieces = AsyncGenerator<string, string>;

/** Writes items that are at hand, or that are read page by page; `nextTurn` gives others a turn after each piece. */
export async function* writeItems<Item>(
  { head, writeItem, separator, tail }: ItemsFormat<Item>,
  pages: Iterable<readonly Item[]> | AsyncIterable<readonly Item[]>,
  nextTurn: () => Promise<void>,
): Pieces {
  let piece = head;
  let before = "";
  for await (const page of pages) {
    for (const item of page) {
      piece += before + writeItem(item);
      before = separator;
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = "";
      await nextTurn();
    }
  }
  return piece + tail;
}

/** Writes a list. */
export function writeList(
  format: FormatFacts,
  facts: ListFacts,
  pages: Iterable<readonly ListedItem[]> | AsyncIterable<readonly ListedItem[]>,
): Pieces {
  return writeItems(format.list(facts), pages, nextListTurn);
}

/** Makes a body of pieces: text if there is only one piece, else a stream that keeps the slot until its end. */
export async function toBody(write: () => Pieces | Promise<Pieces>, slot: ListSlot): Promise<Body> {
  let isStreaming = false;
  try {
    const pieces = await write();
    const { done, value } = await pieces.next();
    if (done) return value;
    isStreaming = true;
    return slot.hold(toBytes(value, pieces));
  } finally {
    if (!isStreaming) slot.release();
  }
}

/** A body that is kept, as it is and compressed. */
export interface KeptBody {
  plain(): Promise<Uint8Array<ArrayBuffer>>;
  gzip(): Promise<Uint8Array<ArrayBuffer>>;
}

/** Keeps a body and its compressed form after the first use. */
export function keepBody(write: () => Pieces): KeptBody {
  let plain: Promise<Uint8Array<ArrayBuffer>> | undefined;
  let gzip: Promise<Uint8Array<ArrayBuffer>> | undefined;
  const toPlain = (): Promise<Uint8Array<ArrayBuffer>> => {
    plain ??= collect(toBytes("", write()));
    return plain;
  };
  return {
    plain: toPlain,
    gzip() {
      gzip ??= toPlain().then((bytes) => collect(toGzip(bytes)));
      return gzip;
    },
  };
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of pieces) parts.push(piece as Uint8Array<ArrayBuffer>);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Limits the time that is waited for the record; the time that a client takes does not count. */
export interface RecordWait {
  /** Rejects with a Problem if the time is over or the record fails. */
  within<Value>(promise: Promise<Value>): Promise<Value>;
  /** The same for each page. */
  pages<Value>(pages: AsyncIterable<Value>): AsyncGenerator<Value>;
}

const unavailable = "The record cannot be read now; the catalogue's strings are at ?source=catalogue.";

/** Makes a limit of `ms` for one list. */
export function createRecordWait(ms: number): RecordWait {
  let leftMs = ms;
  const within = async <Value>(promise: Promise<Value>): Promise<Value> => {
    const start = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const detail = "The search takes too long; request fewer strings, or none of the filters.";
      timer = setTimeout(() => reject(new Problem("list-timeout", detail)), Math.max(0, leftMs));
    });
    try {
      return await Promise.race([promise, timeout]);
    } catch (error) {
      throw error instanceof Problem ? error : new Problem("record-unavailable", unavailable);
    } finally {
      clearTimeout(timer);
      leftMs -= performance.now() - start;
    }
  };
  return {
    within,
    async *pages(pages) {
      const iterator = pages[Symbol.asyncIterator]();
      try {
        for (let page = await within(iterator.next()); !page.done; page = await within(iterator.next()))
          yield page.value;
      } finally {
        // Not awaited: what hangs does not end for being asked to.
        iterator.return?.().catch(() => {});
      }
    },
  };
}

/** The catalogue's items and behind them the record's. */
export async function* joinPages(
  items: readonly ListedItem[],
  recorded: AsyncIterable<readonly RecordedString[]> = noPages(),
): AsyncGenerator<readonly ListedItem[]> {
  yield items;
  for await (const page of recorded) yield page.map(toItem);
}

async function* noPages(): AsyncGenerator<never> {}

function toItem({ cut, count, firstSeen, lastSeen, ...verdict }: RecordedString): ListedItem {
  return {
    ...verdict,
    source: "evaluated",
    count,
    firstSeen: new Date(firstSeen).toISOString(),
    lastSeen: new Date(lastSeen).toISOString(),
    ...(cut && { cut }),
  };
}
