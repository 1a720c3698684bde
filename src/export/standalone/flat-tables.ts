/** Automata as tables that need no reading: programs in languages where decoding docs/automaton.md's format takes long look into them. */
import { type Rows, readRows } from "../../detect/automaton/tables.ts";
import { fromBytesText } from "../../detect/text.ts";

/** How many of the states that strings lead to most often have whole rows; in rare browsers' strings, 85 % of the characters need no others. */
const wholeRows = 160;

/**
 * Writes an automaton, given as a text of toBytesText. It begins with six numbers: character classes, states, the initial state, the
 * number of states that are never left, which are the first, then that of states with whole rows, also the first, and that of changes. Then
 * follow the class of each byte; the whole rows, which have the next state for each class; for each of the other states its model, and,
 * with one more at the end, where its changes begin; for each change the next state, and then for each change the class; for each state
 * whether it accepts. A state leads where its model does, but for its changes. Classes and results are bytes, the other numbers have 16 bits,
 * little-endian.
 */
export function toFlatTable(text: string, isHot: boolean): Uint8Array {
  const rows = readRows(fromBytesText(text));
  const { classCount, classOf, outputs, columns, targets, starts, models, places } = rows;
  const states = [...places.keys()].sort((a, b) => places[a]! - places[b]!);
  // A root has no model.
  const whole = Math.max(
    isHot ? wholeRows : 0,
    1 + Math.max(...states.filter((s) => models[s] === s).map((s) => places[s]!)),
  );
  const others = states.slice(whole);
  const changes = others.map((state) => {
    const all = Array.from({ length: starts[state + 1]! - starts[state]! }, (_, at) => starts[state]! + at);
    // The other columns are results.
    return all.filter((at) => columns[at]! < classCount);
  });
  const kept = changes.flat();
  const firsts = [0];
  for (const { length } of changes) firsts.push(firsts.at(-1)! + length);
  const head = [classCount, states.length, places[rows.initial]!, rows.settled, whole, kept.length];
  return Uint8Array.from([
    ...head.flatMap(toBytes),
    ...Array.from({ length: 256 }, (_, byte) => classOf[Math.min(byte, 128)]!),
    ...states.slice(0, whole).flatMap((state) => toWholeRow(rows, state).flatMap((next) => toBytes(places[next]!))),
    ...others.flatMap((state) => toBytes(places[models[state]!]!)),
    ...firsts.flatMap(toBytes),
    ...kept.flatMap((at) => toBytes(places[targets[at]!]!)),
    ...kept.map((at) => columns[at]!),
    ...states.map((state) => Math.min(outputs[state]!, 1)),
  ]);
}

function toWholeRow(rows: Rows, state: number): number[] {
  const { classCount, models, starts, columns, targets } = rows;
  const model = models[state]!;
  const row = model === state ? Array.from({ length: classCount }, () => state) : toWholeRow(rows, model);
  for (let at = starts[state]!; at < starts[state + 1]!; at++)
    if (columns[at]! < classCount) row[columns[at]!] = targets[at]!;
  return row;
}

function toBytes(value: number): number[] {
  if (value > 0xffff) throw new RangeError("an automaton has more states or changes than 16 bits can number");
  return [value & 0xff, value >> 8];
}
