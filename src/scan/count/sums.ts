/** Adds up counts that threads, or several crawlers, have made. */

/**
 * Adds the numbers of `other` to `sum`, those of lists too; of `first` the earlier one stays, of `last` the later one. Members of other
 * types are left alone.
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
