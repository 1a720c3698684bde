/** The signals that end a process. */

/** Ctrl-C under `npm start` arrives twice: from the terminal, and from npm, which forwards it. */
const sameOrderMs = 2000;

/** A request to shut down. */
export interface ShutdownRequest {
  /** Resolves at the first signal with its time, in ms as `performance.now()`. */
  readonly given: Promise<number>;
  /** Resolves at a signal more than two seconds after the first: requests in flight are not worth waiting for. */
  readonly repeated: Promise<void>;
}

/**
 * Handles SIGTERM and SIGINT from now on; no number of them ends the process by itself. Nor does SIGHUP, which means nothing until the files
 * that it rereads have been read.
 */
export function awaitShutdown(): ShutdownRequest {
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
