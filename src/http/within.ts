/** A limit of time for a promise: the one race with a timer. */

/** Settles as `promise` does, or after `ms` as `late` does: with its value, or with what it throws. The timer ends with the promise. */
export async function within<Value, Late>(
  promise: Promise<Value>,
  ms: number,
  late: () => Late,
): Promise<Value | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms));
  });
  try {
    return await Promise.race([promise, timeout.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
