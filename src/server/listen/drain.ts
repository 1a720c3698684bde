/** How connections end when the service stops: each response closes its own, before the idle ones are closed. */
import { setTimeout as pause } from "node:timers/promises";
import type { FinishedAnswer } from "../../http/pipeline.ts";

/** After this long without a request, no client is left that sends one after another. */
const quietMs = 500;
/** New connections are accepted until then, and some clients connect again and again. */
const maxDrainMs = 1000;
/** The shortest wait: a connection that was accepted a moment ago looks idle, although its request is on the way. */
const stepMs = 50;

/** Marks the responses of a socket, and tells it when it can close idle connections without losing a request. */
export class Drain {
  #isBegun = false;
  #lastMs = 0;

  /** The answer as it is sent: after `begin`, a client sends its next request over another connection, to another instance. */
  mark(answer: FinishedAnswer): FinishedAnswer {
    this.#lastMs = performance.now();
    return this.#isBegun ? { ...answer, added: { ...answer.added, connection: "close" } } : answer;
  }

  /** Resolves when idle connections can be closed. */
  async begin(): Promise<void> {
    this.#isBegun = true;
    const endMs = performance.now() + maxDrainMs;
    do await pause(stepMs);
    while (performance.now() < Math.min(endMs, this.#lastMs + quietMs));
  }
}
