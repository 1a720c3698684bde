/** The time limit for reading bodies. One timer for all of them: on Bun, a timer for each body lengthens the pauses for garbage. */

interface Deadline {
  readonly endMs: number;
  readonly giveUp: () => void;
}

/** Time limits that are all equally long, so they end in the order in which they begin. */
export class Deadlines {
  readonly #timeoutMs: number;
  readonly #open = new Set<Deadline>();
  #isWatching = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Calls `giveUp` after the time, unless the result is called before. */
  begin(giveUp: () => void): () => void {
    const deadline = { endMs: performance.now() + this.#timeoutMs, giveUp };
    this.#open.add(deadline);
    if (!this.#isWatching) this.#watch(this.#timeoutMs);
    return () => this.#open.delete(deadline);
  }

  #watch(ms: number): void {
    this.#isWatching = true;
    setTimeout(() => this.#endLate(), ms).unref();
  }

  #endLate(): void {
    this.#isWatching = false;
    for (const deadline of this.#open) {
      const leftMs = deadline.endMs - performance.now();
      if (leftMs > 0) {
        this.#watch(leftMs);
        return;
      }
      this.#open.delete(deadline);
      deadline.giveUp();
    }
  }
}
