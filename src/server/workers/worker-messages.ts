/** The messages between the supervisor and its workers. */

import type { Lease, Rate } from "../../cache/token-buckets.ts";
import type { SignatureUse, UseResult } from "../../verify/signature/signature-uses.ts";
import type { Snapshot, Warnings } from "../observe/snapshot.ts";
import { workerVariable } from "../settings/setting.ts";
import type { Configuration } from "../settings/settings.ts";
import type { ServedChange, ServedState } from "../start-catalogue.ts";

export type ToWorker =
  | ({ readonly type: "start"; readonly configuration: Configuration } & ServedState)
  /** Decide with another catalogue from now on, or serve another robots.txt. */
  | ({ readonly type: "catalogue" } & ServedChange)
  /** Finish: at once, or after sending clients elsewhere for `drainMs`. */
  | { readonly type: "stop"; readonly drainMs: number }
  /** Finish without waiting for requests in flight. */
  | { readonly type: "cut" }
  | { readonly type: "read" }
  /** The metrics of all workers, which this one had asked for. */
  | { readonly type: "metrics"; readonly id: number; readonly contentType: string; readonly text: string }
  /** The warnings of the other workers, which this one had asked for. */
  | ({ readonly type: "warnings"; readonly id: number } & Warnings)
  /** The allowance of a key, requested by this worker. */
  | ({ readonly type: "allowance"; readonly id: number } & Lease)
  /** Whether a use of a signature counts, which this one had asked. */
  | { readonly type: "used"; readonly id: number; readonly result: UseResult };

export type FromWorker =
  /** It can be told to start. */
  | { readonly type: "waiting" }
  | { readonly type: "listening"; readonly banner: string }
  /** It cannot do what it was told to, and why. */
  | { readonly type: "failed"; readonly reason: string }
  | { readonly type: "snapshot"; readonly snapshot: Snapshot }
  | { readonly type: "metrics"; readonly id: number }
  | { readonly type: "warnings"; readonly id: number }
  /** It asks for an allowance of requests for a key. */
  | ({ readonly type: "limit"; readonly id: number } & LimitQuestion)
  /** A client uses a signature. */
  | { readonly type: "use"; readonly id: number; readonly use: SignatureUse };

/** Clients are limited by `rate-limit`, crawlers by the policies of /auth. They have separate buckets, so that many clients remove no crawler's. */
export type LimitedKind = "client" | "crawler";

export interface LimitQuestion {
  readonly of: LimitedKind;
  readonly key: string;
  readonly rate: Rate;
  /** Requests that are wanted. */
  readonly most: number;
}

/** The requests of a worker to its supervisor. */
export type Requests = {
  readonly [Type in "metrics" | "warnings" | "limit" | "use"]: (message: Extract<FromWorker, { type: Type }>) => void;
};

/** Whether this process was started as a worker: also one whose parent has ended since, which must not serve on its own. */
export function isWorker(): boolean {
  return process.env[workerVariable] !== undefined && process.send !== undefined;
}

/** Whether the process that started this worker has ended. */
export function isOrphan(): boolean {
  return process.env[workerVariable] !== String(process.ppid);
}
