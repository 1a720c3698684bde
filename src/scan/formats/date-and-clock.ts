/** Finds a time that a log splits over two columns or members: the date in one, the time of day in the other. */

const clock = /^\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?(?:\d\d)?))?$/;
const date = /^\d{4}[-/]\d\d[-/]\d\d$/;

/**
 * The indices of the first two fields whose names and values match; undefined if a field has complete times, or if there is no such pair.
 * `values` has the sampled values of each field.
 */
export function findDateAndClock(
  names: readonly string[],
  values: readonly (readonly string[])[],
): { readonly date: number; readonly clock: number } | undefined {
  const find = (name: RegExp, value: RegExp): number =>
    names.findIndex((text, index) => {
      const some = values[index]!.filter((text) => text !== "" && text !== "-");
      return name.test(text) && some.length > 0 && some.every((text) => value.test(text));
    });
  const pair = { date: find(/date|day/i, date), clock: find(/time|clock|hour/i, clock) };
  return pair.date === -1 || pair.clock === -1 ? undefined : pair;
}
