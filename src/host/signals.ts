// The signals that end a process.

/** Resolves at the first signal; a second one ends the process at once. */
export function untilToldToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve();
      });
    }
  });
}
