/**
 * The body of a list in any format, piece by piece: a piece is made after the client has read the previous one.
 */

import { nextListTurn } from "../../http/event-loop-turns.ts";
import { type Pieces, writeItems } from "../../http/pieces.ts";
import { Problem } from "../../http/problems.ts";
import { within } from "../../http/within.ts";
import type { RecordedString } from "../../record/store.ts";
import type { VerdictWriter } from "../describe/verdict-writers.ts";
import type { ListedItem, ListFacts } from "../schemas.ts";

/** Writes a list. */
export function writeList(
  format: VerdictWriter,
  facts: ListFacts,
  pages: Iterable<readonly ListedItem[]> | AsyncIterable<readonly ListedItem[]>,
): Pieces {
  return writeItems(format.list(facts), pages, nextListTurn);
}

/** Limits the time spent waiting for the record; the time that the client takes does not count. */
export interface RecordWait {
  /** Rejects with a Problem if the time is over or the record fails. */
  waitFor<Value>(promise: Promise<Value>): Promise<Value>;
  /** The same for each page. */
  pages<Value>(pages: AsyncIterable<Value>): AsyncGenerator<Value>;
}

const unavailable =
  "The record cannot be read at the moment; the catalogue's strings are available with ?source=catalogue.";

/** Makes a limit of `ms` for one list. */
export function createRecordWait(ms: number): RecordWait {
  let leftMs = ms;
  const timeOut = (): never => {
    throw new Problem("list-timeout", "The search takes too long; request fewer strings, or use no filters.");
  };
  const waitFor = async <Value>(promise: Promise<Value>): Promise<Value> => {
    const start = performance.now();
    try {
      return await within(promise, leftMs, timeOut);
    } catch (error) {
      throw error instanceof Problem ? error : new Problem("record-unavailable", unavailable);
    } finally {
      leftMs -= performance.now() - start;
    }
  };
  return {
    waitFor,
    async *pages(pages) {
      const iterator = pages[Symbol.asyncIterator]();
      try {
        for (let page = await waitFor(iterator.next()); !page.done; page = await waitFor(iterator.next()))
          yield page.value;
      } finally {
        // Not awaited, because a hanging iterator may never return.
        iterator.return?.().catch(() => {});
      }
    },
  };
}

/** The catalogue's items and behind them the record's. */
export async function* joinPages(
  items: readonly ListedItem[],
  recorded: AsyncIterable<readonly RecordedString[]> | readonly never[] = [],
): AsyncGenerator<readonly ListedItem[]> {
  yield items;
  for await (const page of recorded) yield page.map(toItem);
}

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
