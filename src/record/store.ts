/**
 * The shape of a recorded string and of a place that keeps them. Memory, SQLite and PostgreSQL each implement `Store`;
 * gathering counts, retrying and bounding memory is record.ts's work.
 */
import type { Category } from "../catalogue/entry.ts";

/** A user agent string that was evaluated, with the verdict's facts and how often it was seen. Times are ms since 1970. */
export interface RecordedString {
  /** The string as it came, or its first 2 KiB where `cut` is there. */
  readonly useragent: string;
  readonly cut?: true;
  readonly crawler: boolean;
  readonly name?: string;
  readonly operator?: string;
  readonly category?: Category;
  readonly count: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
}

/** Which strings to list; what is absent does not restrict. */
export interface ListQuery {
  /** A part of the string; the case of ASCII letters does not matter. */
  readonly q?: string;
  readonly category?: Category;
  readonly crawler?: boolean;
}

/** What a store is to keep. */
export interface Retention {
  /** Most distinct strings; the longest unseen leave first. */
  readonly limit: number;
  /** Strings last seen before this time leave. Ms since 1970. */
  readonly before?: number;
}

/** A place that keeps recorded strings. Every method but `close` may reject; after a rejection call `open` again. */
export interface Store {
  readonly kind: "memory" | "sqlite" | "postgres";
  /** Most strings to hand to one `write`. */
  readonly batchSize: number;
  /** Connects and brings the schema up to date. May be called again at any time, also by many processes at once. */
  open(): Promise<void>;
  /**
   * Adds the counts of `rows` (no string twice) in one transaction that leaves at most `limit` strings, and resolves to
   * how many strings left for that.
   */
  write(rows: readonly RecordedString[], limit: number): Promise<number>;
  /** Removes what is not to be kept, and counts afresh. */
  tidy(retention: Retention): Promise<void>;
  /**
   * Pages of recorded strings, the last seen first. No page is held for longer than its own reading, so a string that is
   * seen again while a list runs moves to the front and may be missing from that list; none comes twice.
   */
  list(query: ListQuery): AsyncIterable<readonly RecordedString[]>;
  count(query: ListQuery): Promise<number>;
  close(): Promise<void>;
}

/** Says what happened, for the operator's log; never carries a user agent string. */
export type Log = (level: "info" | "warn" | "error", message: string) => void;

/**
 * A store's failure. Its message is for operators and carries no credentials. `settle` is there when a transaction may
 * have been committed although the answer was lost: it resolves to whether it was, and rejects while that is unknown.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly settle?: () => Promise<boolean>;

  constructor(message: string, options: { cause?: unknown; settle?: () => Promise<boolean> } = {}) {
    super(message, { cause: options.cause });
    if (options.settle) this.settle = options.settle;
  }
}
