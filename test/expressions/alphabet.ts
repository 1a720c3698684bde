/** Which characters the sets of expressions match, as bit masks: a bit stands for all characters that no set tells apart. */

/** A set as it is written, and the flags that change what it matches. */
export interface WrittenSet {
  readonly text: string;
  readonly flags: string;
}

/** The flags that a set depends on. */
export const flagsOfSet = (flags: string): string => flags.replace(/[^isuv]/g, "");

const units = 0x10000;
const points = 0x20000;
const surrogates = { from: 0xd800, to: 0xe000 };

/** Every code unit; and every character of the first two planes, without surrogates, which would join. */
const allUnits = Array.from({ length: units }, (_, at) => String.fromCharCode(at)).join("");
const allPoints =
  allUnits.slice(0, surrogates.from) +
  allUnits.slice(surrogates.to) +
  Array.from({ length: points - units }, (_, at) => String.fromCodePoint(units + at)).join("");

/** Asks the engine for every character of the sets, once; returns the mask of a set. */
export function createAlphabet(sets: readonly WrittenSet[]): (set: WrittenSet) => bigint {
  const keyOf = ({ text, flags }: WrittenSet): string => `${flags} ${text}`;
  const known = new Map(sets.map((set) => [keyOf(set), set]));
  const members = new Map([...known].map(([key, set]) => [key, membersOf(set)]));
  const classes = new Int32Array(points);
  let count = 1;
  for (const set of members.values()) {
    const moved = new Map<number, number>();
    const whole = new Map<number, boolean>();
    for (let at = 0; at < points; at++) whole.set(classes[at]!, (whole.get(classes[at]!) ?? true) && set[at] === 1);
    for (let at = 0; at < points; at++) {
      const old = classes[at]!;
      if (set[at] === 0 || whole.get(old)) continue;
      if (!moved.has(old)) moved.set(old, count++);
      classes[at] = moved.get(old)!;
    }
  }
  const examples = new Map<number, number>();
  classes.forEach((name, at) => {
    if (!examples.has(name)) examples.set(name, at);
  });
  const masks = new Map(
    [...members].map(([key, set]) => {
      const found = [...examples].filter(([, at]) => set[at] === 1);
      return [key, found.reduce((mask, [name]) => mask | (1n << BigInt(name)), 0n)];
    }),
  );
  return (set) => masks.get(keyOf(set))!;
}

/** 1 for each character that the set matches. Characters beyond the first two planes are not looked at. */
function membersOf({ text, flags }: WrittenSet): Uint8Array {
  const members = new Uint8Array(points);
  const hasPoints = /[uv]/.test(flags);
  const pointAt = (at: number): number => {
    if (!hasPoints || at < surrogates.from) return at;
    const shifted = at + surrogates.to - surrogates.from;
    return shifted < units ? shifted : units + Math.floor((shifted - units) / 2);
  };
  const run = new RegExp(`(?:${text})+`, `g${flags}`);
  for (const { 0: found, index } of (hasPoints ? allPoints : allUnits).matchAll(run))
    members.fill(1, pointAt(index), pointAt(index + found.length - 1) + 1);
  if (hasPoints) {
    // A surrogate alone is a character, too.
    const one = new RegExp(`^(?:${text})$`, flags);
    for (let at = surrogates.from; at < surrogates.to; at++) members[at] = one.test(String.fromCharCode(at)) ? 1 : 0;
  }
  return members;
}
