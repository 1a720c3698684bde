/** Reads the options of `whocrawls scan` that select requests, and says which of them selected none. */
import { categories } from "../../detect/categories.ts";
import { maxPathLength } from "../../scan/count/path-counts.ts";
import type { RequestFilter } from "../../scan/count/request-filter.ts";
import { createToLocal, type ToLocal, toUtc } from "../../scan/count/timezone.ts";
import { UserError } from "../../text/errors.ts";
import { didYouMean, nearestWord } from "../../text/nearest-word.ts";
import { parseChoice } from "../command.ts";

export interface GivenFilter {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly path?: readonly string[] | undefined;
  readonly crawler?: readonly string[] | undefined;
  readonly category?: readonly string[] | undefined;
}

const unitSeconds = { d: 86_400, h: 3600 } as const;
const age = /^([1-9]\d{0,4})([dh])$/;

/** The limits that are dates: an age, such as `7d`, is what cron uses, on quiet days, too. */
export function datesOf(given: GivenFilter): readonly ("since" | "until")[] {
  return (["since", "until"] as const).filter((limit) => given[limit] !== undefined && !age.test(given[limit]));
}

/** The filter of these options; undefined without any. Times such as `7d` count back from `nowMs`. Throws a UserError. */
export function parseFilter(
  { since, until, path, crawler, category }: GivenFilter,
  nowMs: number,
  toLocal: ToLocal,
): RequestFilter | undefined {
  const filter: RequestFilter = {
    ...(since !== undefined && { since: parseTime("--since", since, nowMs, toLocal) }),
    ...(until !== undefined && { until: parseTime("--until", until, nowMs, toLocal) }),
    ...(path !== undefined && { paths: path.map(checkPrefix) }),
    ...(crawler !== undefined && { crawlers: crawler.map(checkName) }),
    ...(category !== undefined && {
      categories: category.map((given) => parseChoice("--category", categories, given)),
    }),
  };
  if (filter.since !== undefined && filter.until !== undefined && filter.since >= filter.until)
    throw new UserError("--since must be before --until.");
  return Object.keys(filter).length === 0 ? undefined : filter;
}

function parseTime(option: string, given: string, nowMs: number, toLocal: ToLocal): number {
  const [, count, unit] = age.exec(given) ?? [];
  if (count !== undefined) return Math.floor(nowMs / 1000) - Number(count) * unitSeconds[unit as "d" | "h"];
  return parseDate(option, given, toLocal, ", or an age such as 7d or 24h");
}

/**
 * Reads a date, or a date and time, of the zone of `toLocal` unless it names another one; returns seconds since 1970. Throws a UserError,
 * which says what else the option takes.
 */
export function parseDate(option: string, given: string, toLocal: ToLocal, orElse = ""): number {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$/.exec(given) ?? [];
  const hasZone = time !== undefined && /Z|[+-]\d\d:\d\d$/.test(time);
  // A date without a time is parsed as UTC, too.
  const at = day === undefined ? Number.NaN : Date.parse(given + (hasZone || time === undefined ? "" : "Z"));
  // Date.parse reads 2026-02-30 as a day of March.
  if (Number.isNaN(at) || new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day)
    throw new UserError(
      `${option} must be a date such as 2026-03-01 or 2026-03-01T12:00:00Z${orElse}, not ${JSON.stringify(given)}.`,
    );
  return hasZone ? at / 1000 : toUtc(at / 1000, toLocal);
}

/** Throws a UserError for a name that is no zone. */
export function parseTimezone(name: string): ToLocal {
  try {
    return createToLocal(name);
  } catch {
    const known = Intl.supportedValuesOf("timeZone");
    throw new UserError(
      `--timezone must be the name of a time zone, such as Europe/Berlin, not ${JSON.stringify(name)}.${didYouMean(nearestWord(name, known))}`,
    );
  }
}

function checkPrefix(prefix: string): string {
  if (!prefix.startsWith("/"))
    throw new UserError(`--path must be a path, such as /blog/, not ${JSON.stringify(prefix)}.`);
  if (prefix.includes("?"))
    throw new UserError("--path is compared with paths without the query: omit the ? and everything after it.");
  // Longer paths are counted under their first characters and an ellipsis.
  if (prefix.length >= maxPathLength) throw new UserError(`--path can have at most ${maxPathLength - 1} characters.`);
  return prefix;
}

function checkName(name: string): string {
  if (name === "") throw new UserError("--crawler takes a name, such as GPTBot.");
  return name;
}
