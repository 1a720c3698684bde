/**
 * For each state another one whose row is nearly the same, its model, so that only the difference need be kept. Most
 * states of a search stand for the beginning of a word; what they answer to any character but the word's next is what the
 * same text without its first character would (the failure of Aho and Corasick).
 */

export interface ModelledState {
  readonly state: number;
  /** Comes earlier in the order; the first state is its own model. */
  readonly model: number;
  /** The classes for which the two lead to different states; all of them for the first. */
  readonly changed: readonly number[];
  /** How many characters lead to the state, at least. */
  readonly depth: number;
}

/** A model that differs in no more transitions than a chain can hold is good enough: no better one is looked for. */
export const few = 2;

/** How many of the states before may serve as a model beyond those that are likely to: more hardly help, and take time. */
const recent = 64;

/** The states that are reached from `initial`, breadth first; `rows[state][class]` is the next state. */
export function inOrderOfModels(rows: readonly (readonly number[])[], initial: number): ModelledState[] {
  const resting = mostEntered(rows);
  const records: ModelledState[] = [];
  const modelOf = new Int32Array(rows.length).fill(-1);
  const depth = new Int32Array(rows.length).fill(-1);
  const cameFrom = new Int32Array(rows.length).fill(-1);
  const lastClass = new Int32Array(rows.length);
  const queue: number[] = [];
  const enter = (state: number, deep: number, from: number, c: number): void => {
    if (depth[state] !== -1) return;
    depth[state] = deep;
    cameFrom[state] = from;
    lastClass[state] = c;
    queue.push(state);
  };
  enter(resting, 0, -1, 0);
  enter(initial, 0, -1, 0);
  for (let i = 0; i < queue.length; i++) {
    const state = queue[i]!;
    const row = rows[state]!;
    const from = cameFrom[state]!;
    const c = lastClass[state]!;
    let model = state;
    let fewest = row.length + 1;
    const consider = (candidate: number): void => {
      if (candidate === state || modelOf[candidate] === -1) return;
      const count = differences(row, rows[candidate]!, fewest);
      if (count >= fewest) return;
      fewest = count;
      model = candidate;
    };
    consider(resting);
    if (from >= 0) {
      // The text without its first character; only its last one; that behind the start of the string; all but the last.
      for (const likely of [rows[modelOf[from]!]![c]!, rows[resting]![c]!, rows[initial]![c]!, initial, from])
        consider(likely);
      for (let j = i - 1; j >= Math.max(0, i - recent) && fewest > few; j--) consider(queue[j]!);
    }
    modelOf[state] = model;
    const changed = row.flatMap((target, k) => (model === state || target !== rows[model]![k] ? [k] : []));
    records.push({ state, model, changed, depth: depth[state]! });
    row.forEach((target, k) => {
      enter(target, depth[state]! + 1, state, k);
    });
  }
  return records;
}

/** The state that most transitions lead to: where nothing has begun. */
function mostEntered(rows: readonly (readonly number[])[]): number {
  const entered = new Int32Array(rows.length);
  for (const row of rows) for (const target of row) entered[target]!++;
  return entered.indexOf(entered.reduce((a, b) => Math.max(a, b), 0));
}

/** In how many places two rows differ; counts no further than `enough`. */
function differences(a: readonly number[], b: readonly number[], enough: number): number {
  let count = 0;
  for (let c = 0; c < a.length && count < enough; c++) if (a[c] !== b[c]) count++;
  return count;
}
