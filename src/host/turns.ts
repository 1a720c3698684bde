// Turns of the event loop for bodies that come as fast as they are read: one piece a turn, whichever body it is of, so that
// other requests are served in between. Node reads up to 2 MB of each connection before it looks at the next.

let last: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that nobody else was given. */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
