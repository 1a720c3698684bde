/** Lists in which each proxy has appended what it has seen, such as X-Forwarded-For. */

/** What counts where a list has fewer values than there are proxies. */
export type IfFewer = "first" | "none";

/** Longer lists are read from the right only. */
const maxListLength = 2048;

/**
 * The value that the outermost of `proxies` trusted proxies has appended to a list with commas, counted from the right: the client may have
 * forged everything to the left of it. Undefined if that value is missing or empty, and without proxies.
 */
export function forwardedValue(list: string, proxies: number, ifFewer: IfFewer): string | undefined {
  const values = list.slice(-maxListLength).split(",");
  if (proxies === 0 || (proxies > values.length && ifFewer === "none")) return undefined;
  return values.at(-Math.min(proxies, values.length))?.trim() || undefined;
}
