/** How much a test takes: a little in every run, three times as much with `--all`, all of it with `STRINGS=all`. */

/** Whether everything is asked for: with `--all`, and where a test file runs alone. */
export const isAll = process.env.TEST_ONE_RUNTIME === undefined;
const times = process.env.STRINGS === "all" ? Number.POSITIVE_INFINITY : isAll ? 3 : 1;

/** `few`, or more, but at most `most`. */
export function howMany(few: number, most: number): number {
  return Math.min(few * times, most);
}

/** Of a list about `few` or more, evenly chosen. */
export function someOf<T>(list: readonly T[], few = list.length): readonly T[] {
  const every = Math.max(1, Math.ceil(list.length / (few * times)));
  return list.filter((_, index) => index % every === 0);
}
