/** The description of a log format. Detection, `--log-format`, the help and docs/scan-input.md derive from it. */
import type { LogFormat } from "../lines/format.ts";
import type { GivenFields } from "../lines/line.ts";

export interface FormatKind {
  /** The names that `--log-format` takes; the first one is the usual. */
  readonly names: readonly [string, ...string[]];
  /** What its lines are, for docs/scan-input.md. */
  readonly lines: string;
  /** The ways in which lines can be read, at least one, the usual first; throws an Error that says what is missing. */
  readonly formatsOf: (lines: readonly string[], given: GivenFields) => readonly LogFormat[];
  /** Whether the lines can be such a log, where the values of their fields do not show it. */
  readonly isLikely?: (lines: readonly string[], given: GivenFields) => boolean;
  /** Whether its fields have names or numbers, so that `--field` can say where one is. */
  readonly hasNames?: true;
  /** How to have the server log user agents, for a format that often comes without them. */
  readonly toLogUserAgents?: string;
  /** Whether the server writes a hyphen for every user agent unless it is configured to log them. */
  readonly omitsUserAgents?: true;
}

/** Makes a function of the lines of a sample that remembers its results: the same lines are looked at several times. */
export function ofSample<Found>(find: (lines: readonly string[]) => Found): (lines: readonly string[]) => Found {
  const known = new WeakMap<readonly string[], { readonly found: Found }>();
  return (lines) => {
    const result = known.get(lines) ?? { found: find(lines) };
    known.set(lines, result);
    return result.found;
  };
}

/** How many non-empty lines are examined at the beginning. */
export const sampledLines = 100;
