/** What counters read of the requests of a line. */
import type { LogLine } from "../lines/line.ts";

/** A single object is reused for each line. */
export interface CountedRequest {
  line: LogLine;
  /** How many requests the line stands for. */
  requests: number;
  /** Seconds since 1970; NaN without a time. */
  at: number;
  /** The same as the clocks of the report's zone show it. */
  local: number;
  /** Their sum; 0 if the line has none. */
  bytes: number;
  hasSize: boolean;
  /** 0 if the line has none. */
  status: number;
}
