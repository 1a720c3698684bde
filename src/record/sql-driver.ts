/** What a database must offer to keep the record in SQL. Types only; sql-store.ts has the statements. */

export type Value = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs a statement with the parameters `$1`, `$2` and so on, each of them once and in this order. Resolves to its rows, and to the
 * number of rows that it changed.
 */
export type Ask = (
  sql: string,
  values?: readonly Value[],
) => Promise<{ readonly rows: readonly Row[]; readonly changes: number }>;

/** A database. Every method but `close` may reject with StoreError. */
export interface Driver {
  /** The place, and what to do if it cannot be used, in an operator's words. */
  readonly place: string;
  readonly remedy: string;
  /** The type of texts, which are compared byte by byte. */
  readonly text: string;
  /** Most rows of one INSERT. */
  readonly insertRows: number;
  /** The clause at the end of the SELECT of rows to be removed that skips rows locked by others. */
  readonly skipLocked: string;
  /** Connects where that is needed. May be called at any time. */
  connect(): Promise<void>;
  /** The version of the record's tables; undefined if there are none. Others that ask wait until the transaction ends. */
  versionOf(ask: Ask): Promise<number | undefined>;
  /** Statements that mark the tables with this version. */
  setVersion(version: number): readonly string[];
  /** Runs `body` in a transaction, which its rejection rolls back. */
  transaction<T>(body: (ask: Ask) => Promise<T>): Promise<T>;
  /** Runs one statement outside a transaction that writes. */
  readonly read: Ask;
  /** Whether strings must be removed although there are fewer than the limit. Absent if only the number of strings counts. */
  isFull?(ask: Ask): Promise<boolean>;
  close(): Promise<void>;
}
