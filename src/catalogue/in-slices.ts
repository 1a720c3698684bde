/** Does the work of the compiler in slices, between which the process serves others. */

/** Nobody may wait longer than 10 ms for someone else's work. A part that begins at the end of a slice can take several milliseconds. */
const sliceMs = 2;

/** Does all parts; rejects with the error of a part, or with the reason of `signal`. */
export async function inSlices<Result>(parts: Generator<undefined, Result>, signal?: AbortSignal): Promise<Result> {
  for (;;) {
    const endMs = performance.now() + sliceMs;
    let part = parts.next();
    while (part.done !== true && performance.now() < endMs) part = parts.next();
    if (part.done === true) return part.value;
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }
}
