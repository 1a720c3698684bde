/** The log that a process of the service keeps, on standard error. */

import type { Configuration } from "../settings/settings.ts";
import { createLog, type Log } from "./log.ts";

/** Makes the log that the configuration asks for. */
export function createHostLog({ logLevel, logFormat, logUserAgents }: Configuration): Log {
  const isPretty = logFormat === "pretty" || (logFormat === "auto" && process.stderr.isTTY === true);
  const log = createLog(
    { level: logLevel, isPretty, showsUserAgents: logUserAgents },
    (lines) => void process.stderr.write(lines),
  );
  process.once("exit", log.flush);
  return log;
}
