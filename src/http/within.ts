/** A time limit for a promise: the only place that races one with a timer. */

/** A timer that is set for longer would expire at once. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * Settles like `promise` or, after `ms`, with the value that `late` returns or the error it throws. The timer is cleared when the promise
 * settles.
 */
export async function within<Value, Late>(
  promise: Promise<Value>,
  ms: number,
  late: () => Late,
): Promise<Value | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(Math.max(0, ms), maxTimerMs));
  });
  try {
    return await Promise.race([promise, timeout.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
