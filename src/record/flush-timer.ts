/** Decides when the record is written next: at its interval, earlier, after a rest, or after a backoff. Times are in ms. */

const firstBackoffMs = 100;
const longestBackoffMs = 5000;

/** Holds no process open. */
export class FlushTimer {
  readonly #intervalMs: number;
  readonly #onDue: () => unknown;
  readonly #ticker: NodeJS.Timeout;
  #due: NodeJS.Timeout | undefined;
  /** These on the monotonic clock. */
  #restUntil = 0;
  #backoffUntil = 0;
  #backoffMs = firstBackoffMs;
  #isStopped = false;

  /** `onTick` is called at every interval, `onDue` once after `soon` was. */
  constructor(intervalMs: number, onTick: () => void, onDue: () => unknown) {
    this.#intervalMs = intervalMs;
    this.#onDue = onDue;
    this.#ticker = setInterval(onTick, intervalMs).unref();
  }

  /** Whether no attempt is to be made since the last one failed. */
  get isBackingOff(): boolean {
    return performance.now() < this.#backoffUntil;
  }

  /** Due as soon as the rest or the backoff under way is over. */
  soon(): void {
    if (this.#due !== undefined || this.#isStopped) return;
    const due = () => {
      this.#due = undefined;
      this.#onDue();
    };
    const delayMs = Math.max(this.#restUntil, this.#backoffUntil) - performance.now();
    this.#due = setTimeout(due, Math.max(0, delayMs)).unref();
  }

  /** Attempts succeed again. The next comes no earlier than after `restMs`, or after the interval if that is shorter. */
  succeeded(restMs: number): void {
    clearTimeout(this.#due);
    this.#due = undefined;
    this.#backoffMs = firstBackoffMs;
    this.#restUntil = performance.now() + Math.min(this.#intervalMs, restMs);
  }

  /** The next attempt waits, twice as long each time, and by chance, since all who lost a database come back together. */
  failed(): void {
    this.#backoffUntil = performance.now() + this.#backoffMs * (0.75 + Math.random() / 2);
    this.#backoffMs = Math.min(2 * this.#backoffMs, longestBackoffMs);
  }

  /** Ends the backoff under way. */
  skipBackoff(): void {
    this.#backoffUntil = 0;
  }

  /** Nothing is due from now on. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#ticker);
    clearTimeout(this.#due);
  }
}
