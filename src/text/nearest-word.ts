/** Finds the right word for a wrong one, for messages: policy words, options, parameters, settings. */

/** A longer word is unlikely to be a typo, and comparing it takes time. */
const maxWordLength = 64;

/**
 * The word of `words` that differs from `wrong` in the fewest letters (added, left out, changed, or two swapped), whatever
 * their case; undefined if more than a third differ.
 */
export function nearestWord(wrong: string, words: Iterable<string>): string | undefined {
  if (wrong.length > maxWordLength) return undefined;
  const text = wrong.toLowerCase();
  const letters = lettersOf(text);
  let nearest: string | undefined;
  // Nothing is left of a single letter that differs.
  let most = text.length < 2 ? 0 : Math.max(1, Math.floor(text.length / 3));
  for (const word of words) {
    if (Math.abs(word.length - text.length) > most) continue;
    const other = word.toLowerCase();
    // Most words differ in too many letters, which this test finds out in a tenth of the time.
    const others = lettersOf(other);
    if (countBits(letters & ~others) > most || countBits(others & ~letters) > most) continue;
    const found = distance(text, other, most);
    if (found > most || (found === most && nearest !== undefined)) continue;
    nearest = word;
    most = found;
  }
  return nearest;
}

/** Bits for the letters and digits of a text. Each one that another text lacks is at least one difference. */
function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) & 31);
  return letters;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** The end of a message about a mistake; empty if there is no better word. */
export function didYouMean(word: string | undefined): string {
  return word === undefined ? "" : ` Did you mean ${JSON.stringify(word)}?`;
}

/**
 * Throws TypeError for options of `call` that are not an object, or not among `names`: JavaScript accepts anything, and an
 * unknown option would be silently ignored.
 */
export function checkOptions(
  call: string,
  example: string,
  names: readonly string[],
  options: unknown,
): asserts options is object {
  if (typeof options !== "object" || options === null || Symbol.iterator in options)
    throw new TypeError(`${call} takes an object, such as ${example}.`);
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const hint = didYouMean(nearestWord(name, names));
    throw new TypeError(`${call} has no option ${JSON.stringify(name)}.${hint} Options are ${names.join(", ")}.`);
  }
}

/** Throws TypeError for an option `detector` of another type, such as a promise of a detector. */
export function expectDetector(detector: unknown): void {
  const { check, catalogue } = (detector ?? {}) as { readonly check?: unknown; readonly catalogue?: unknown };
  if (typeof check !== "function" || typeof catalogue !== "object")
    throw new TypeError("`detector` must be a detector, such as the result of loadDetector().");
}

/** The optimal string alignment distance, or a number above `most` as soon as it is certain to exceed it. */
function distance(left: string, right: string, most: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      const isSwapped = row > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isSwapped) cost = Math.min(cost, beforeLast[column - 2]! + 1);
      current.push(cost);
    }
    if (Math.min(...current) > most) return most + 1;
    [beforeLast, last] = [last, current];
  }
  return last[right.length]!;
}
