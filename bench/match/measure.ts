/** Measures contenders in turns, each turn over strings of its own that have just been made. */
import { createRandom } from "../../test/support/random-strings.ts";

export type Contender<Input> = (input: Input) => unknown;

/** Nanoseconds a string. */
export interface Times {
  /** Each string is drawn from the whole set: tables are read at other places each time. */
  readonly cold: number;
  /** A hundred strings of the set over and over: what they need of the tables is in the processor's caches. */
  readonly warm: number;
}

/** Of what takes less than a microsecond. */
const usualTurns = 61;
const perTurn = 1_000;
const distinctWhenWarm = 100;

/** Returns the medians of all turns, by contender; `make` makes of bytes what contenders read. */
export function measure<Input>(
  contenders: Readonly<Record<string, Contender<Input>>>,
  strings: readonly string[],
  make: (bytes: Buffer) => Input,
  turns = usualTurns,
): Record<string, Times> {
  const bytes = strings.map((text) => Buffer.from(text, "latin1"));
  const next = createRandom(1);
  // A string that has been read before may be flat, have a hash, or be in a cache: so none is read twice.
  const fresh = (from: readonly Buffer[]): Input[] =>
    Array.from({ length: perTurn }, () => make(from[next(from.length)]!));
  const times = Object.keys(contenders).map((name) => ({ name, cold: [] as number[], warm: [] as number[] }));
  // Whatever an engine compiles only after a while, it has compiled by then.
  for (const contender of Object.values(contenders)) for (let k = 0; k < 10; k++) count(contender, fresh(bytes));
  for (let turn = 0; turn < turns; turn++)
    for (let k = 0; k < times.length; k++) {
      // Another one is the first each turn, so that none always follows the same one.
      const { name, cold, warm } = times[(k + turn) % times.length]!;
      const few = Array.from({ length: distinctWhenWarm }, () => bytes[next(bytes.length)]!);
      for (const [list, from] of [
        [cold, bytes],
        [warm, few],
      ] as const) {
        // What others have pushed out of the processor's caches comes back.
        count(contenders[name]!, fresh(from));
        list.push(timeOf(contenders[name]!, fresh(from)));
      }
    }
  return Object.fromEntries(times.map(({ name, cold, warm }) => [name, { cold: median(cold), warm: median(warm) }]));
}

function timeOf<Input>(contender: Contender<Input>, inputs: readonly Input[]): number {
  const begin = performance.now();
  count(contender, inputs);
  return ((performance.now() - begin) * 1e6) / inputs.length;
}

/** Makes a string that no engine has seen before. */
export const toText = (bytes: Buffer): string => bytes.toString("latin1");

/** Uses the answers, so that no compiler leaves out the questions. */
function count<Input>(contender: Contender<Input>, inputs: readonly Input[]): number {
  let found = 0;
  for (let i = 0; i < inputs.length; i++) if (contender(inputs[i]!)) found++;
  return found;
}

/** The middle one, or the higher of two. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}
