/** Sums the counts of threads, or of several crawlers. */

/**
 * Adds the numbers of `other` to `sum`, including those in lists; for `first` it keeps the earlier time, for `last` the later one. Members
 * of other types are left unchanged.
 */
export function addNumbers<Counts extends object>(sum: Counts, other: Partial<Counts>): void {
  const [ours, theirs] = [sum, other] as Record<string, unknown>[];
  for (const [name, value] of Object.entries(theirs!)) {
    const own = ours![name];
    if (Array.isArray(value) && Array.isArray(own)) addNumbers(own, value);
    else if (typeof value !== "number" || typeof own !== "number") continue;
    else if (name === "first") ours![name] = Math.min(own, value);
    else ours![name] = name === "last" ? Math.max(own, value) : own + value;
  }
}

/** The sum of a figure of some items. */
export function sumOf<Item>(items: readonly Item[], figureOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + figureOf(item), 0);
}
