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

/** Call between parts of work on bodies. */
export const nextBodyTurn = createTurns((done) => setImmediate(done));

/** Does work in parts, each of which waits for its turn. */
export async function inTurns<Result>(parts: Generator<undefined, Result>): Promise<Result> {
  let part = parts.next();
  for (; part.done !== true; part = parts.next()) await nextBodyTurn();
  return part.value;
}

/**
 * After this much work for all bodies, others get a turn: a body of a few bytes can cause seconds of work, and a single part can take
 * several milliseconds.
 */
const sliceMs = 5;
let sliceEndMs = 0;

/** Called before each part of work for a body: returns a turn to wait for if bodies have used up their time slice. */
export function yieldIfSliceUsed(): Promise<void> | undefined {
  if (performance.now() < sliceEndMs) return undefined;
  return nextBodyTurn().then(() => {
    sliceEndMs = performance.now() + sliceMs;
  });
}
