/**
 * Bodies that are written piece by piece: a piece is made only after the client has read the previous one. Bodies that many clients
 * request are cached.
 */
import { readWhole } from "./bodies.ts";
import type { Body } from "./context.ts";
import { nextListTurn } from "./event-loop-turns.ts";
import type { Slot } from "./slots.ts";
import { toGzip } from "./streams.ts";

/** How items are written one after another. */
export interface ItemsFormat<Item> {
  readonly head: string;
  writeItem(item: Item): string;
  readonly separator: string;
  readonly tail: string;
}

/** Characters written before other requests get a turn, and kept in memory per client. */
const pieceLength = 32_768;

/** Pieces of UTF-8, at least one. */
export type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>, void>;

const encoder = new TextEncoder();

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
      yield encoder.encode(piece);
      piece = "";
      await nextTurn();
    }
  }
  yield encoder.encode(piece + tail);
}

/** Makes a body of pieces: the piece itself if there is only one, else a stream that holds the slot until it ends. */
export async function toBody(write: () => Pieces | Promise<Pieces>, slot: Slot): Promise<Body> {
  let isStreaming = false;
  try {
    const pieces = await write();
    const taken = [await pieces.next(), await pieces.next()] as const;
    if (taken[0].done === false && taken[1].done) return taken[0].value;
    isStreaming = true;
    return slot.hold(pieces, [...taken]);
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
    plain ??= readWhole(write());
    return plain;
  };
  return {
    plain: toPlain,
    gzip() {
      gzip ??= toPlain().then((bytes) => readWhole(toGzip(bytes)));
      return gzip;
    },
  };
}

/** Waits for a turn before a kept body is sent: a megabyte takes a millisecond, and hundreds of clients may request it at once. */
export async function inTurn(body: Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await body;
  await nextListTurn();
  return bytes;
}
