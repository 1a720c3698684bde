/** Whether a record is recording, and if not, why. Logs each change once. */
import type { Log } from "./store.ts";

const dropLogIntervalMs = 60_000;

export class Health {
  /** `paused`: the store fails; notes are kept within the memory bound, and writing is tried again by itself. */
  state: "opening" | "recording" | "paused" | "closed" = "opening";
  /** Why it is not recording, in an operator's words. */
  reason: string | undefined;
  readonly #log: Log;
  #dropsLogged = 0;
  #dropsLoggedAt = -dropLogIntervalMs;

  constructor(log: Log) {
    this.#log = log;
  }

  pause(reason: string): void {
    if (this.state === "closed") return;
    if (reason !== this.reason) this.#log("error", `recording is paused: ${reason}`);
    this.state = "paused";
    this.reason = reason;
  }

  resume(): void {
    if (this.state === "closed") return;
    if (this.state === "paused") this.#log("info", "recording goes on");
    this.state = "recording";
    this.reason = undefined;
  }

  /** Logs dropped notes once a minute; `dropped` counts since the start. */
  logDrops(dropped: number): void {
    const now = performance.now();
    if (dropped === this.#dropsLogged || now - this.#dropsLoggedAt < dropLogIntervalMs) return;
    this.#log("warn", `${dropped - this.#dropsLogged} evaluations were dropped because the buffer was full`);
    this.#dropsLogged = dropped;
    this.#dropsLoggedAt = now;
  }
}
