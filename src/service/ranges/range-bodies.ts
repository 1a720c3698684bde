/**
 * The bodies of GET /ranges. The file of all lists is kept; a long file of chosen lists holds a slot of lists while it is sent, so
 * that slow clients cannot fill the memory with them.
 */
import type { RangesFormat } from "../../export/ranges/range-formats.ts";
import type { Body } from "../http/answer.ts";
import { nextListTurn } from "../http/event-loop-turns.ts";
import { type ListSlot, needSlot } from "../list/list-slots.ts";
import { type KeptBody, keepBody } from "../list/list-writer.ts";

/** Bytes that are handed over at once. */
const pieceBytes = 32_768;

/** Makes the function that returns the file of all lists in a format; it is written again if its validator changes. */
export function createKeptFiles(): (format: RangesFormat, etag: string, write: () => string) => KeptBody {
  const files = new Map<RangesFormat, { readonly etag: string; readonly body: KeptBody }>();
  return (format, etag, write) => {
    const known = files.get(format);
    if (known?.etag === etag) return known.body;
    const body = keepBody(async function* () {
      yield write();
      return "";
    });
    files.set(format, { etag, body });
    return body;
  };
}

/** Sending a file takes a part of a millisecond, and hundreds of clients may ask for it at once. */
export async function inTurn(body: Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await body;
  await nextListTurn();
  return bytes;
}

/** Makes the body of a file of chosen lists. Throws a Problem if it is long and no slot is free. */
export function toChosenBody(text: string, takeSlot: () => ListSlot | undefined): Body {
  if (text.length <= pieceBytes) return text;
  return needSlot(takeSlot).hold(cut(new TextEncoder().encode(text)));
}

async function* cut(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
    await nextListTurn();
  }
}
