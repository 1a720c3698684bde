/** Measures contenders in turns, each turn over strings of its own that have just been made from bytes. */

export interface Report {
  readonly runtime: string;
  readonly versions: string;
  readonly readyMs: number;
  /** Of the tables that decide, and of the one that identifies. */
  readonly tableBytes: readonly number[];
  /** Nanoseconds a string: by the set of strings and the contender, the median of all turns. */
  readonly sets: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export type Contender = (text: string) => unknown;

const turns = 61;
const perTurn = 1_000;
const before = 1_000;

/** Returns the median of the nanoseconds a string takes, for each contender. */
export function measure(
  contenders: Readonly<Record<string, Contender>>,
  strings: readonly string[],
): Record<string, number> {
  const bytes = strings.map((text) => Buffer.from(text, "latin1"));
  const next = createRandom();
  // A string that has been read before may be flat, have a hash, or be in a cache: so none is read twice.
  const fresh = (count: number): string[] =>
    Array.from({ length: count }, () => bytes[next(bytes.length)]!.toString("latin1"));
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  const names = Object.keys(contenders);
  // Whatever an engine compiles only after a while, it has compiled by then.
  for (const contender of Object.values(contenders)) for (let k = 0; k < 10; k++) count(contender, fresh(perTurn));
  for (let turn = 0; turn < turns; turn++)
    for (let k = 0; k < names.length; k++) {
      // Another one is the first each turn, so that none always follows the same one.
      const name = names[(k + turn) % names.length]!;
      const contender = contenders[name]!;
      // What others have pushed out of the processor's caches comes back.
      count(contender, fresh(before));
      const texts = fresh(perTurn);
      const begin = performance.now();
      count(contender, texts);
      times[name]!.push(((performance.now() - begin) * 1e6) / perTurn);
    }
  return Object.fromEntries(names.map((name) => [name, median(times[name]!)]));
}

/** Uses the answers, so that no compiler leaves out the questions. */
function count(contender: Contender, texts: readonly string[]): number {
  let found = 0;
  for (let i = 0; i < texts.length; i++) if (contender(texts[i]!)) found++;
  return found;
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[numbers.length >> 1]!;
}

/** Numbers from 0 to before the argument, the same at every run (mulberry32). */
function createRandom(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
