/** The robots.txt that `whocrawls scan` compares requests with, and the time from which crawlers should know it. */
import { stat } from "node:fs/promises";
import { findMisreadLines } from "../../robots/lint-robots.ts";
import { parseRobots } from "../../robots/robots-file.ts";
import { findInvalidContent } from "../../robots/robots-text.ts";
import type { RobotsTask } from "../../scan/count/robots-rules.ts";
import type { Tally } from "../../scan/count/tally.ts";
import { toIso } from "../../scan/report/report-text.ts";
import { UserError } from "../../text/errors.ts";
import { readRobots, toObeyedText } from "./read-robots.ts";

/** Crawlers may keep a copy for 24 hours: RFC 9309, section 2.4. */
const daySeconds = 24 * 60 * 60;

export interface RobotsOfScan {
  readonly task: RobotsTask;
  /** Seconds since 1970; undefined if it is unknown. */
  readonly since: number | undefined;
  readonly warnings: readonly string[];
}

/** Reads the file, or fetches the URL. `given` is when it took effect; by default, when the file was last changed. Throws a UserError. */
export async function openRobotsOfScan(place: string, given: number | undefined): Promise<RobotsOfScan> {
  const read = await readRobots(place);
  const text = toObeyedText(read, place);
  const file = parseRobots(text);
  const damage = findInvalidContent(text);
  if (damage !== undefined) throw new UserError(`${place}:${damage.line}: ${damage.reason}`);
  const since = given ?? (read.served === undefined ? Math.floor((await stat(place)).mtimeMs / 1000) : undefined);
  const warnings = [
    ...(since === undefined
      ? [
          `${place}: it is unknown when the file was changed, so all requests are compared with it; set the time with --robots-since DATE.`,
        ]
      : []),
    ...findMisreadLines(file).map((warning) => `${place}:${warning.line}: ${warning.text}`),
    ...(file.groups.length === 0 ? [`${place}: The file has no groups, so it disallows nothing.`] : []),
  ];
  return { task: { text, judgedFrom: since === undefined ? 0 : since + daySeconds }, since, warnings };
}

/**
 * Returns a sentence about requests that do not count as violations because the log is older than the file; undefined if no request is
 * excused.
 */
export function findOlderLog(tally: Tally, { since }: RobotsOfScan): string | undefined {
  const crawlers = [...tally.crawlers.values()];
  const first = Math.min(...crawlers.map(({ first }) => first));
  if (since === undefined || !(first < since)) return undefined;
  const early = crawlers.reduce((sum, { robots }) => sum + (robots?.early ?? 0), 0);
  if (early === 0) return undefined;
  return (
    `The log begins at ${toIso(first)}, before robots.txt was changed at ${toIso(since)}: ${early} requests for disallowed paths before ` +
    "that time, and within 24 hours after it, are not counted as violations. If the file is older, set the time it took effect with --robots-since DATE."
  );
}
