/** Random numbers for logs of tests, the same at every run; random-strings.ts has whole numbers and strings. */

/** Makes a generator of numbers from 0 to before 1 (linear congruential). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
