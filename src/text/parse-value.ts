/**
 * Parsers of values that settings and query parameters share. Each throws an Error whose message, such as `must be one of a, b`, continues the
 * name of the value.
 */

/** Makes a parser of whole numbers within bounds, with at most as many digits as the highest one. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) && text.length <= String(most).length ? Number(text) : Number.NaN;
    if (!(number >= least && number <= most)) throw new Error(`must be a whole number from ${least} to ${most}`);
    return number;
  };
}

/** Makes a parser of one of some words. */
export function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((word) => word === text);
    if (word === undefined) throw new Error(`must be one of ${words.join(", ")}`);
    return word;
  };
}
