/** Does the work of the compiler in slices, between which the process serves others. */

/** Requests should wait at most 10 ms for this work. The last part of a slice can take several milliseconds longer than the slice. */
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
