/**
 * Schedules long work: it is done in small parts, round-robin over all clients, and other requests are served in between.
 */

/**
 * Makes a queue. After each turn, `pause` calls back in a later iteration of the event loop; a turn after an idle period starts at once.
 */
function createTurns(pause: (done: () => void) => unknown): () => Promise<void> {
  let next: Promise<void> = Promise.resolve();
  return () => {
    const turn = next;
    next = turn.then(() => new Promise((resolve) => void pause(resolve)));
    return turn;
  };
}

/**
 * Call before each piece of a list. Each turn is followed by a pause of a millisecond: Node accepts one connection per iteration of the
 * event loop, so hundreds that arrive at once need many iterations without this work.
 */
export const nextListTurn = createTurns((done) => setTimeout(() => setTimeout(done, 0), 0));

const { setImmediate = setTimeout } = globalThis as { setImmediate?: (done: () => void) => unknown };

/** Call between pieces of a body. */
export const nextBodyTurn = createTurns((done) => setImmediate(done));

/**
 * After this much work in steps, others get a turn: a request of a few bytes can cause seconds of work, and a single step can take several
 * milliseconds.
 */
const requestSliceMs = 5;
let sliceEndMs = 0;

/**
 * Does work in steps, each of which should take at most a few milliseconds. All works in progress share a slice of time; when it is used up,
 * each waits for its turn before its next step. Rejects with the reason of `signal` once that is aborted.
 */
export async function inSlices<Result>(
  steps: Generator<undefined, Result>,
  { signal, sliceMs = requestSliceMs }: { readonly signal?: AbortSignal | undefined; readonly sliceMs?: number } = {},
): Promise<Result> {
  for (;;) {
    if (performance.now() >= sliceEndMs) {
      await nextBodyTurn();
      signal?.throwIfAborted();
      sliceEndMs = performance.now() + sliceMs;
    }
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
