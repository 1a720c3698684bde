/** The figures of one process at one moment, in a form that processes send each other. */
import { readdirSync } from "node:fs";
import type { RecordStatus } from "../../record/record.ts";
import type { RefreshCounts } from "../../verify/lists/refresher.ts";
import type { ListFigures } from "../../verify/open-evidence.ts";
import { type Counts, noCounts, sumCounts } from "./counts.ts";

export interface ProcessFigures {
  readonly cpuUserSeconds: number;
  readonly cpuSystemSeconds: number;
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  readonly openFiles: number;
}

export interface Snapshot {
  /** The version of the catalogue in use. */
  readonly catalogue: string;
  readonly counts: Counts;
  readonly record: Omit<RecordStatus, "reason">;
  readonly ranges: ListFigures;
  readonly process: ProcessFigures;
  /** For /readyz, without dropped requests, which processes count together. */
  readonly warnings: readonly string[];
  /** How many of them are about policies of /auth. */
  readonly policyWarnings: number;
}

/** The warnings of several processes. */
export interface Warnings {
  readonly texts: readonly string[];
  /** Requests with new strings that were not recorded since the start. */
  readonly dropped: number;
}

/** The warnings of processes, running and ended, each once. */
export function gatherWarnings(
  snapshots: readonly Pick<Snapshot, "warnings" | "record">[],
  retired: Pick<Retired, "recordDropped">,
): Warnings {
  return {
    texts: [...new Set(snapshots.flatMap(({ warnings }) => warnings))],
    dropped: snapshots.reduce((sum, { record }) => sum + record.dropped, retired.recordDropped),
  };
}

/** The sums of ended processes, because counters must not decrease. */
export interface Retired {
  readonly counts: Counts;
  readonly recordDropped: number;
  readonly ranges: RefreshCounts;
  readonly cpuUserSeconds: number;
  readonly cpuSystemSeconds: number;
}

export const noneRetired: Retired = {
  counts: noCounts,
  recordDropped: 0,
  ranges: { refreshed: 0, failed: 0 },
  cpuUserSeconds: 0,
  cpuSystemSeconds: 0,
};

/** Adds the last that is known of a process that has ended. */
export function retire(retired: Retired, { counts, record, ranges, process }: Snapshot): Retired {
  return {
    counts: sumCounts([retired.counts, counts]),
    recordDropped: retired.recordDropped + record.dropped,
    ranges: {
      refreshed: retired.ranges.refreshed + ranges.refreshed,
      failed: retired.ranges.failed + ranges.failed,
    },
    cpuUserSeconds: retired.cpuUserSeconds + process.cpuUserSeconds,
    cpuSystemSeconds: retired.cpuSystemSeconds + process.cpuSystemSeconds,
  };
}

/** The figures of this process. */
export function readProcess(): ProcessFigures {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    cpuUserSeconds: user / 1e6,
    cpuSystemSeconds: system / 1e6,
    residentBytes: rss,
    heapUsedBytes: heapUsed,
    openFiles: countOpenFiles(),
  };
}

/** Linux only; 0 elsewhere. */
function countOpenFiles(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}
