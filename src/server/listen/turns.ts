/** Shares the event loop between connections: after some time of work, further requests wait until the loop has looked at all sockets. */

/**
 * How long requests may be answered in one iteration of the event loop. Longer than a pause for garbage or another process, because Bun
 * closes a connection on which another request arrives while one waits.
 */
const turnMs = 25;

/**
 * Runs requests at once or in a later iteration, in the order in which they came. Without it, Bun accepts and answers new connections as long
 * as there are any, and connections that are kept alive wait for seconds while clients connect again and again.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #endMs = 0;
  #isTurn = false;

  /** `work` must not throw. */
  run<Result>(work: () => Result | Promise<Result>): Result | Promise<Result> {
    if (!this.#isTurn) this.#begin();
    if (this.#waiting.length === 0 && performance.now() < this.#endMs) return work();
    return new Promise((resolve) => this.#waiting.push(() => resolve(work())));
  }

  #begin(): void {
    this.#isTurn = true;
    this.#endMs = performance.now() + turnMs;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#isTurn = false;
    if (this.#waiting.length === 0) return;
    this.#begin();
    while (this.#waiting.length > 0 && performance.now() < this.#endMs) this.#waiting.shift()?.();
  }
}
