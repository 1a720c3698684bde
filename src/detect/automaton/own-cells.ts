/**
 * Reads from an automaton's file in which classes each state differs from its fallback, without writing out whole rows: a
 * fraction of the time and of the memory. compact.ts lays them out.
 */
import type { AutomatonFile } from "./read-automaton.ts";

/** The cells in which states differ from their fallbacks, with the file's numbers of states. */
export interface OwnCells {
  readonly fallbacks: Uint16Array;
  /** The state whose row has the first transition to a state; the state itself if there is none. */
  readonly parents: Uint16Array;
  /** A state's cells begin at `starts[state]` and end before `starts[state + 1]`; roots have one for every class. */
  readonly starts: Uint32Array;
  readonly columns: Uint8Array;
  readonly next: Uint16Array;
  /** The outputs of a state at once and at the end of the string. */
  readonly outputs: Uint16Array;
  readonly endOutputs: Uint16Array;
}

export function readOwnCells(file: AutomatonFile): OwnCells {
  const { classCount, stateCount, roots, initial, models, changes, columns, values } = file;
  const copies = models.reduce((count, model) => (model === 0 ? count : count + 1), 0);
  const most = columns.length + (roots + copies) * classCount;
  const fallbacks = new Uint16Array(stateCount).fill(roots - 1);
  const parents = new Uint16Array(stateCount);
  const starts = new Uint32Array(stateCount + 1);
  const [ownColumns, next] = [new Uint8Array(most), new Uint16Array(most)];
  const [outputs, endOutputs] = [new Uint16Array(stateCount), new Uint16Array(stateCount)];
  const own = { fallbacks, parents, starts, columns: ownColumns, next, outputs, endOutputs };
  const row = new Uint16Array(classCount);
  const usual = new Uint16Array(classCount);
  let known = Math.max(roots, initial + 1);
  for (let state = 0; state < known; state++) parents[state] = state;
  let change = 0;
  let end = 0;
  for (let state = 0; state < stateCount; state++) {
    const fallback = fallbacks[state]!;
    const copied = state < roots ? state : models[state] === 0 ? fallback : state - models[state]!;
    // The changes of a copy of the fallback's row are the differences; other rows are compared with it.
    const isCompared = copied !== fallback || state < roots;
    if (state < roots) row.fill(state);
    else if (isCompared) fillRow(own, copied, roots, row);
    outputs[state] = outputs[copied]!;
    endOutputs[state] = endOutputs[copied]!;
    for (const last = change + changes[state]!; change < last; change++) {
      const column = columns[change]!;
      let value = values[change]!;
      if (column === classCount) outputs[state] = value;
      else if (column > classCount) endOutputs[state] = value;
      else {
        if (value > 0) value = known - value;
        else {
          // A new state. Its fallback was found earlier, because the fallback of `state` has been read.
          value = known++;
          parents[value] = state;
          if (state >= roots) fallbacks[value] = nextOf(own, fallback, column, roots);
        }
        if (isCompared) row[column] = value;
        else {
          ownColumns[end] = column;
          next[end++] = value;
        }
      }
    }
    if (isCompared) {
      if (state >= roots) fillRow(own, fallback, roots, usual);
      for (let column = 0; column < classCount; column++) {
        if (state >= roots && row[column] === usual[column]) continue;
        ownColumns[end] = column;
        next[end++] = row[column]!;
      }
    }
    starts[state + 1] = end;
  }
  return own;
}

/** Writes into `row` the next state of `state` for every class. */
export function fillRow(own: OwnCells, state: number, roots: number, row: Uint16Array): void {
  const { starts, columns, next } = own;
  if (state >= roots) fillRow(own, own.fallbacks[state]!, roots, row);
  for (let i = starts[state]!; i < starts[state + 1]!; i++) row[columns[i]!] = next[i]!;
}

function nextOf({ starts, columns, next, fallbacks }: OwnCells, from: number, column: number, roots: number): number {
  for (let state = from; ; state = fallbacks[state]!) {
    if (state < roots) return next[starts[state]! + column]!;
    for (let i = starts[state]!; i < starts[state + 1]!; i++) if (columns[i] === column) return next[i]!;
  }
}
