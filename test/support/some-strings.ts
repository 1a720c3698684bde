/** How many strings a test takes: fewer in every run, all of them with `STRINGS=all`. */

const isLongRun = process.env.STRINGS === "all";

/** `few`, or `most` if all strings are requested. */
export function howMany(few: number, most: number): number {
  return isLongRun ? most : few;
}

/** Of a list at most `few`, evenly chosen, or all. */
export function someOf<T>(list: readonly T[], few = list.length): readonly T[] {
  const every = isLongRun ? 1 : Math.max(1, Math.ceil(list.length / few));
  return list.filter((_, index) => index % every === 0);
}
