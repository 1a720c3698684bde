/** The signals that end a process. */

/** Ctrl-C under `npm start` arrives twice: from the terminal, and from npm, which forwards it. */
const sameOrderMs = 2000;

/** A request to shut down. */
export type ShutdownRequest = ReturnType<typeof awaitShutdown>;

/**
 * Handles SIGTERM and SIGINT from now on; no number of them ends the process by itself. Nor does SIGHUP, which means nothing until the files
 * that it rereads have been read. `given` resolves at the first signal with its time, in ms as `performance.now()`, `repeated` at one that comes
 * more than two seconds later: requests in flight are not worth waiting for.
 */
export function awaitShutdown() {
  const given = Promise.withResolvers<number>();
  const repeated = Promise.withResolvers<void>();
  let firstMs: number | undefined;
  const note = () => {
    firstMs ??= performance.now();
    given.resolve(firstMs);
    if (performance.now() - firstMs > sameOrderMs) repeated.resolve();
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, note);
  process.on("SIGHUP", () => {});
  return { given: given.promise, repeated: repeated.promise };
}
