/** Reading the strings of a store page by page. */
import {
  isFiltered,
  type Page,
  type PageStart,
  pageRows,
  type RecordedString,
  type RecordQuery,
  type Store,
} from "./store.ts";

/**
 * Pages of the strings that match, the last seen first. A string that is seen again while the list is being read moves to the
 * front and may be missing; none is returned twice. Rejects as the store does, and with the reason of `signal`.
 */
export async function* listPages(
  store: Pick<Store, "page" | "count">,
  query: RecordQuery,
  signal?: AbortSignal,
): AsyncGenerator<readonly RecordedString[]> {
  let { offset: skip = 0, limit: left = Infinity } = query;
  // Past the last string there is nothing left, whatever the filter.
  if (skip > 0 && skip >= ((await store.count({})) ?? Infinity)) return;
  let start: PageStart | undefined = 0;
  if (!isFiltered(query)) {
    // The store skips by index. Only with a filter must strings be read to be skipped.
    start = skip;
    skip = 0;
  }
  while (start !== undefined && left > 0) {
    signal?.throwIfAborted();
    const page: Page = await store.page(query, start, Math.min(pageRows, skip + left));
    const rows = page.rows.slice(skip, skip + left);
    skip = Math.max(0, skip - page.rows.length);
    left -= rows.length;
    start = page.next;
    if (rows.length > 0) yield rows;
  }
}
