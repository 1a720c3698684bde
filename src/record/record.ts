/**
 * The record of evaluated user agents, as the service sees it: what is noted, listed and said about its state.
 * Counting is gather.ts's work, writing recorder.ts's, keeping a store's.
 */
import type { Verdict } from "../detect/verdict.ts";
import type { GatherBounds } from "./gather.ts";
import { Recorder } from "./recorder.ts";
import type { ListQuery, Log, RecordedString, Store } from "./store.ts";

export interface RecordOptions {
  readonly store: Store;
  /** The time, in ms since 1970. */
  readonly clock: () => number;
  /** Most distinct strings to keep. 100,000 when absent. */
  readonly limit?: number;
  /** Strings unseen for longer than this leave. Never, when absent. */
  readonly ttlMs?: number;
  /** Time between two writes while there is something to write. 500 ms when absent, so that a killed process loses less than a second. */
  readonly flushIntervalMs?: number;
  /** Most memory for what waits and for what is known: 16,384 strings and 8 MiB when absent. */
  readonly bounds?: GatherBounds;
  readonly log?: Log;
}

export interface RecordStatus {
  /** `paused`: the store fails; notes are kept within the memory bound, and writing is tried again by itself. */
  readonly state: "off" | "opening" | "recording" | "paused" | "closed";
  /** Why it is not recording, in an operator's words; never a credential or a user agent string. */
  readonly reason?: string;
  /** Distinct strings that wait to be written. */
  readonly queued: number;
  /** Notes that found no room, since the start. */
  readonly dropped: number;
  /** Notes the store has, since the start. */
  readonly written: number;
  /** For how long the longest waiting note has waited; 0 when none waits. */
  readonly lagMs: number;
}

export interface UserAgentRecord {
  /** Records one evaluation. Constant time, no input or output, never throws. */
  note(verdict: Verdict): void;
  /** Writes what was noted before the call; resolves to whether the store has it now. Never rejects. */
  flush(): Promise<boolean>;
  /** Pages of recorded strings, the last seen first, with what this process has noted until now. Rejects with StoreError. */
  list(query?: ListQuery): AsyncIterable<readonly RecordedString[]>;
  /** Number of strings a list would have. Rejects with StoreError. */
  count(query?: ListQuery): Promise<number>;
  status(): RecordStatus;
  /** Writes what is left, trying for up to `timeoutMs` (5 s when absent), and closes the store. `lost`: notes it could not write. */
  close(timeoutMs?: number): Promise<{ lost: number }>;
}

/** Creates a record over a store that need not be reachable yet; it opens the store itself. */
export function createRecord(options: RecordOptions): UserAgentRecord {
  return new Recorder(options);
}

/** The record that keeps nothing. */
export const noRecord: UserAgentRecord = {
  note() {},
  flush: async () => true,
  async *list() {},
  count: async () => 0,
  status: () => ({ state: "off", queued: 0, dropped: 0, written: 0, lagMs: 0 }),
  close: async () => ({ lost: 0 }),
};
