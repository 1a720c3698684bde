/** What the client processes of a soak share: how they are told what happens, and how they say what they have seen. */

/** What happened to the service, and for how many milliseconds it may break connections. */
const aftermathMs = {
  kill: 1000,
  stop: 1000,
  // Linux resets connections that a worker has not accepted when it stops to listen, and workers take turns.
  restart: 25_000,
};
export type Event = keyof typeof aftermathMs;

/** How a client process ends: lines of a table, and what went wrong, in words. */
export interface Summary {
  readonly rows: readonly (readonly [name: string, value: string])[];
  readonly failures: readonly string[];
}

export interface Soak {
  readonly port: number;
  isOver(): boolean;
  /** Whether one of them has happened so lately that it may have broken a connection. */
  isRecent(...events: readonly Event[]): boolean;
  pause(ms: number): Promise<void>;
  /** Notes a failure, with its time. */
  fail(what: string): void;
  readonly failures: readonly string[];
}

/** Reads the port and the minutes from the command line, and hears events from the process that started this one. */
export function joinSoak(): Soak {
  const [port, minutes] = process.argv.slice(2).map(Number) as [number, number];
  const lastAt = new Map<Event, number>();
  process.on("message", (event: Event) => lastAt.set(event, performance.now()));
  const failures: string[] = [];
  return {
    port,
    isOver: () => performance.now() >= minutes * 60_000,
    isRecent: (...events) =>
      events.some((event) => performance.now() - (lastAt.get(event) ?? Number.NEGATIVE_INFINITY) < aftermathMs[event]),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    fail: (what) => failures.push(`${(performance.now() / 1000).toFixed(1)} s: ${what}`),
    failures,
  };
}

/** Sends the summary to the process that started this one, and ends. */
export function leaveSoak(summary: Summary): void {
  process.send?.(summary, () => process.exit(0));
}
