/** When the record is written next: at its interval, ahead of it, after a rest, or after a back-off. Times are in ms. */

const firstBackoffMs = 100;
const maxBackoffMs = 5000;

export class Pace {
  readonly #intervalMs: number;
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** These on the monotonic clock. */
  #dueAt = 0;
  #restUntil = 0;
  #retryAt = 0;
  #backoffMs = firstBackoffMs;

  /** `onDue` is called once for each time that was armed and has come. */
  constructor(intervalMs: number, onDue: () => void) {
    this.#intervalMs = intervalMs;
    this.#onDue = onDue;
  }

  /** Whether an attempt is to wait since the last one failed. */
  get backingOff(): boolean {
    return performance.now() < this.#retryAt;
  }

  /** Sees that it is due no later than `delayMs` from now, or after the rest or back-off that is under way. */
  arm(delayMs = this.#intervalMs): void {
    const at = Math.max(performance.now() + delayMs, this.#restUntil, this.#retryAt);
    if (this.#timer !== undefined) {
      if (this.#dueAt <= at) return;
      clearTimeout(this.#timer);
    }
    this.#dueAt = at;
    const due = () => {
      this.#timer = undefined;
      this.#onDue();
    };
    this.#timer = setTimeout(due, Math.max(0, at - performance.now())).unref();
  }

  /** Attempts succeed again. The next comes no earlier than after `restMs`, or after the interval if that is shorter. */
  succeeded(restMs: number): void {
    this.#backoffMs = firstBackoffMs;
    this.#restUntil = performance.now() + Math.min(this.#intervalMs, restMs);
  }

  /** An attempt failed: the next waits, twice as long each time, and by chance, since all who lost a database come back. */
  failed(): void {
    this.#retryAt = performance.now() + this.#backoffMs * (0.75 + Math.random() / 2);
    this.#backoffMs = Math.min(2 * this.#backoffMs, maxBackoffMs);
  }

  /** Forgets the back-off under way. */
  hurry(): void {
    this.#retryAt = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
