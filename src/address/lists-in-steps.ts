/** Sorts and changes long lists in steps, between which others may run: sorting 200,000 prefixes takes a quarter of a second. */

/** So many items take a millisecond or two. */
export const stepItems = 2048;

/** What `change` makes of each item. */
export function* mapInSteps<From, To>(items: Iterable<From>, change: (item: From) => To): Generator<undefined, To[]> {
  const changed: To[] = [];
  for (const item of items) if (changed.push(change(item)) % stepItems === 0) yield;
  return changed;
}

/** A sorted copy; of equal items, the first stays first. */
export function* sortInSteps<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Generator<undefined, Item[]> {
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += stepItems) {
    runs.push(items.slice(at, at + stepItems).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) longer.push(yield* merge(runs[at]!, runs[at + 1] ?? [], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merge<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Generator<undefined, Item[]> {
  const merged: Item[] = [];
  for (let at = 0, otherAt = 0; merged.length < one.length + other.length; ) {
    const isOne = otherAt === other.length || (at < one.length && compare(one[at]!, other[otherAt]!) <= 0);
    merged.push(isOne ? one[at++]! : other[otherAt++]!);
    if (merged.length % stepItems === 0) yield;
  }
  return merged;
}
