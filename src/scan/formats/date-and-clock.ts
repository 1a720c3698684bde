/** Finds a time that a log splits over two columns or members: the date in one, the time of day in the other. */

const clock = /^\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?(?:\d\d)?))?$/;
const date = /^\d{4}[-/]\d\d[-/]\d\d$/;

/** The indices of the first two whose names and values match; undefined if there is no such pair. */
export function findDateAndClock(
  named: readonly { readonly path: readonly string[]; readonly values: readonly string[] }[],
): { readonly date: number; readonly clock: number } | undefined {
  const find = (name: RegExp, value: RegExp): number =>
    named.findIndex(({ path, values }) => {
      const some = values.filter((text) => text !== "" && text !== "-");
      return name.test(path.at(-1)!) && some.length > 0 && some.every((text) => value.test(text));
    });
  const pair = { date: find(/date|day/i, date), clock: find(/time|clock|hour/i, clock) };
  return pair.date === -1 || pair.clock === -1 ? undefined : pair;
}
