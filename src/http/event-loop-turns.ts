/**
 * Turns for long work: it is done in small parts of all clients in turn, and other requests are served in between.
 */

/** Makes a queue. After each turn `pause` calls back in a later turn of the event loop; a turn after a rest begins at once. */
function createTurns(pause: (done: () => void) => unknown): () => Promise<void> {
  let next: Promise<void> = Promise.resolve();
  return () => {
    const turn = next;
    next = turn.then(() => new Promise((resolve) => void pause(resolve)));
    return turn;
  };
}

/**
 * Before each piece of a list. The pause is a millisecond behind the work: Node accepts one connection in each turn of the
 * event loop, so hundreds that come at once need many turns without this work.
 */
export const nextListTurn = createTurns((done) => setTimeout(() => setTimeout(done, 0), 0));

const { setImmediate = setTimeout } = globalThis as { setImmediate?: (done: () => void) => unknown };

/**
 * Between parts of bodies: after so much time with the lines of one, and before each piece under Node, which reads up to 2 MB of
 * each connection before it looks at the next. Bun reads connections in turn.
 */
export const nextBodyTurn = createTurns((done) => setImmediate(done));

/** Does work that is in parts, each of which waits for its turn. */
export async function inTurns<Result>(parts: Generator<undefined, Result>): Promise<Result> {
  let part = parts.next();
  for (; part.done !== true; part = parts.next()) await nextBodyTurn();
  return part.value;
}

/** After this much work for all bodies, others get a turn: a body of a few bytes can cause seconds of work, and a part of it some milliseconds. */
const sliceMs = 5;
let sliceEndMs = 0;

/** Called before each part of work for a body: returns a turn to wait for if bodies have had their time. */
export function bodyTurnIfDue(): Promise<void> | undefined {
  if (performance.now() < sliceEndMs) return undefined;
  return nextBodyTurn().then(() => {
    sliceEndMs = performance.now() + sliceMs;
  });
}
