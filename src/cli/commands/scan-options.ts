/** The options of `whocrawls scan`, and the choice of a log's format. */
import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { categories } from "../../detect/categories.ts";
import { findFormatKind, formatNames } from "../../scan/formats/all-formats.ts";
import { type FieldName, fieldNames, type GivenFields } from "../../scan/lines/line.ts";
import { hasUserAgent } from "../../scan/lines/template.ts";
import { toReadProblem, UserError } from "../../text/errors.ts";
import { didYouMean, nearestWord } from "../../text/nearest-word.ts";
import { toPlain } from "../../text/plain-text.ts";
import { catalogueOption } from "../catalogue-option.ts";
import { type Options, parseArguments, parseChoice, refuse, toOptionsHelp } from "../command.ts";
import { datesOf, parseDate, parseFilter, parseTimezone } from "../scan/parse-filter.ts";

const options = {
  "log-format": {
    takes: "FORMAT",
    help: `a format name: ${formatNames.join(", ")}; or the server's own format string: nginx's ('$remote_addr … "$http_user_agent"') Apache's ('%h … "%{User-Agent}i"'), GoAccess's, gunicorn's or morgan's`,
  },
  field: {
    takes: "NAME",
    list: true,
    help: `the column or member with the user agent, such as request.agent, or the number of a column; FIELD=NAME sets the name of another field: ${fieldNames.slice(1).join(", ")}; count=- counts lines and ignores a column with counts`,
  },
  format: {
    takes: "FORMAT",
    help: "table (the default), json, csv (one crawler per row), or html (a page with charts)",
  },
  full: { help: "with table: all sections, instead of the first screen" },
  top: {
    takes: "NUMBER",
    help: "maximum rows per list in table and html, and of crawlers on the first screen [10]; json and csv have all rows",
  },
  output: {
    takes: "FILE",
    help: "write the report to this file once it is complete, instead of to standard output",
  },
  compare: {
    takes: "OLD.json",
    help: "also compare with an earlier --format json report: crawlers that are new or gone, and changes in requests and bytes",
  },
  "exit-code": {
    help: "exit code for cron: 1 if a finding needs action (with --compare: if a crawler is new), 0 if none does, 2 for any error",
  },
  since: {
    takes: "TIME",
    help: "only requests at or after this time: a date, a time such as 2026-03-01T12:00:00Z, or an age such as 7d or 24h",
  },
  until: { takes: "TIME", help: "only requests before this time" },
  path: { takes: "PREFIX", list: true, help: "only requests for paths with this prefix, such as /blog/" },
  crawler: { takes: "NAME", list: true, help: "only requests by the crawler with this name, such as GPTBot" },
  category: {
    takes: "CATEGORY",
    list: true,
    help: `only requests by crawlers of this category: ${categories.join(", ")}; --path, --crawler and --category may be repeated`,
  },
  only: {
    takes: "WHO",
    help: "no report: print the lines of crawlers, people or spoofed crawlers unchanged; spoofed verifies crawlers as --verify does, and reads files twice",
  },
  annotate: {
    help: 'no report: print each line followed by a tab and its verdict; JSON lines get the member "verdict", CSV and TSV get columns',
  },
  verify: { help: "verify crawlers by the clients' addresses; uses DNS and the operators' address lists" },
  "trust-proxy": {
    takes: "NUMBER",
    help: "number of trusted proxies in front, counted from the right of X-Forwarded-For; default: the last public address is the client's",
  },
  "verify-limit": {
    takes: "SECONDS",
    help: "maximum total time for --verify [60]; the remaining requests are reported as unchecked",
  },
  robots: {
    takes: "FILE|URL",
    help: "the site's robots.txt; reports which crawlers requested paths that it disallows for them",
  },
  "robots-since": {
    takes: "DATE",
    help: "when this robots.txt took effect, such as 2026-03-01 or 2026-03-01T12:00:00Z; default: when the file was last changed; requests before that time, and within 24 hours after it, are not violations",
  },
  fleets: {
    help: "report the browser strings with the most requests, and mark those that behave like programs",
  },
  timezone: {
    takes: "ZONE",
    help: "time zone for days and hours, such as Europe/Berlin [UTC]; also applies to --since, --until and --robots-since",
  },
  threads: { takes: "NUMBER", help: "number of threads [one for every 64 MB of the logs, up to one per processor]" },
  catalogue: catalogueOption,
} satisfies Options;

export const help = `Reports from log files which crawlers requested what: their share of requests and bytes, by category, purpose,
operator and crawler, with times, status codes and paths. The format of each log is detected from its first lines.

Usage: whocrawls scan [options] FILE…        - is standard input; gzip, zstd, bzip2, xz are decompressed

Options:
${toOptionsHelp(options, 26)}

Examples:
  whocrawls scan /var/log/nginx/access.log*
  whocrawls scan --format html access.log > crawlers.html
  whocrawls scan --log-format '$remote_addr [$time_local] "$http_user_agent" $status' access.log
  whocrawls scan --robots robots.txt --verify access.log
  whocrawls scan --since 7d --category ai --format json --output ai.json /var/log/nginx/access.log*
  whocrawls scan --compare last-week.json --exit-code --since 7d access.log
  whocrawls scan --fleets access.log
  whocrawls scan --field http.agent app.jsonl.zst
  tail -f access.log | whocrawls scan --only crawlers -
`;

const formats = ["table", "json", "csv", "html"] as const;
const audiences = ["crawlers", "people", "spoofed"] as const;

/** A thread that has so many bytes to scan gains more time than its start costs: measured on two processors, with Node and Bun. */
const bytesOfThread = 64 * 1024 * 1024;

/** The parsed command line of scan. */
export type ScanOptions = Awaited<ReturnType<typeof parseScanOptions>>;

/** Reads the command line, times as seconds since 1970. Throws a UserError for what makes no sense, before anything is read. */
export async function parseScanOptions(args: readonly string[]) {
  const usage = { least: 1, otherwise: "Specify log files, or - for standard input." };
  const { values, positionals } = parseArguments(args, options, usage);
  const { annotate = false, only } = values;
  const isPassing = annotate || only !== undefined;
  const format = parseChoice("--format", formats, values.format ?? "table");
  const verify = (values.verify ?? false) || only === "spoofed";
  const totalBytes = await sizeOf(positionals);
  const selectsCrawlers = values.crawler !== undefined || values.category !== undefined;
  refuse([
    ...(["format", "full", "top", "output", "compare", "exit-code", "robots", "fleets", "timezone"] as const).map(
      (option): [boolean, string] => [
        isPassing && values[option] !== undefined,
        `--only and --annotate print lines instead of a report: omit --${option}.`,
      ],
    ),
    [
      values.top !== undefined && (format === "json" || format === "csv"),
      `--top applies only to table and html; ${format} has all rows: omit it.`,
    ],
    [values.full === true && format !== "table", `--full applies only to table, not to ${format}: omit it.`],
    [
      verify && !annotate && only !== undefined && only !== "spoofed",
      "--only crawlers and --only people do not verify: omit --verify, or add --annotate.",
    ],
    [
      verify && isPassing && totalBytes === undefined,
      "Lines can be printed with their verification only after all of them have been read: use files instead of - or pipes.",
    ],
    [!verify && values["verify-limit"] !== undefined, "--verify-limit needs --verify."],
    [
      values.fleets && selectsCrawlers,
      "--crawler and --category select crawlers, but --fleets reports browser strings: use only one of them.",
    ],
    [values.robots === undefined && values["robots-since"] !== undefined, "--robots-since needs --robots."],
    [
      only === "people" && selectsCrawlers,
      "--crawler and --category select crawlers, but --only people prints none: use only one of them.",
    ],
    [values.output === "-", "--output must be a file. To write to standard output, omit it."],
  ]);
  const { timezone = "UTC" } = values;
  const toLocal = parseTimezone(timezone);
  const logFormat = values["log-format"];
  if (logFormat !== undefined) checkLogFormat(logFormat);
  return {
    paths: positionals,
    logFormat,
    fields: parseFields(values.field ?? []),
    format,
    top: values.top === undefined ? undefined : parseNumber("--top", values.top, 999_999),
    isFull: values.full ?? false,
    output: values.output,
    compare: values.compare,
    setsExitCode: values["exit-code"] ?? false,
    dates: datesOf(values),
    task: {
      filter: parseFilter(values, Date.now(), toLocal),
      only: only === undefined ? undefined : parseChoice("--only", audiences, only),
      annotate,
      verify,
      trustProxy:
        values["trust-proxy"] === undefined ? undefined : parseNumber("--trust-proxy", values["trust-proxy"], 32),
      fleets: values.fleets ?? false,
      timezone,
    },
    verifyLimitMs: 1000 * parseNumber("--verify-limit", values["verify-limit"] ?? "60", 99_999),
    robots: values.robots,
    robotsSince:
      values["robots-since"] === undefined ? undefined : parseDate("--robots-since", values["robots-since"], toLocal),
    threads: parseNumber("--threads", values.threads ?? String(availableParallelism()), 999),
    threadBytes: values.threads === undefined ? bytesOfThread : undefined,
    catalogueFiles: values.catalogue ?? [],
    totalBytes,
  };
}

function parseNumber(option: string, given: string, most: number): number {
  if (/^[1-9]\d*$/.test(given) && Number(given) <= most) return Number(given);
  throw new UserError(`${option} must be a number from 1 to ${most}.`);
}

/** `NAME` names the user agent field; `FIELD=NAME` names another field. */
function parseFields(given: readonly string[]): GivenFields {
  const fields: Partial<Record<FieldName, string>> = {};
  for (const text of given) {
    const [left = "", ...rest] = text.split("=");
    const known = fieldNames.find((name) => name === left);
    if (known !== undefined && rest.length > 0) fields[known] = rest.join("=");
    else fields.useragent = text;
  }
  return fields;
}

const isFormatString = (text: string): boolean => /[$%]|:[a-z-]+/.test(text);

function checkLogFormat(logFormat: string): void {
  if (findFormatKind(logFormat) !== undefined) return;
  if (!isFormatString(logFormat)) {
    throw new UserError(
      `There is no log format ${JSON.stringify(logFormat)}.${didYouMean(nearestWord(logFormat, formatNames))} Formats are ${formatNames.join(", ")}, and format strings of nginx, Apache, GoAccess, gunicorn and morgan.`,
    );
  }
  try {
    if (hasUserAgent(logFormat)) return;
  } catch (error) {
    throw new UserError((error as Error).message);
  }
  throw new UserError(
    "The log format has no user agent: that is $http_user_agent in nginx, %{User-Agent}i in Apache, %u in GoAccess, %(a)s in gunicorn, :user-agent in morgan.",
  );
}

/**
 * The total size of all files; undefined if one has no size and can be read only once. Throws a UserError for a file that cannot be
 * scanned, before hours are spent on the others.
 */
async function sizeOf(paths: readonly string[]): Promise<number | undefined> {
  let total: number | undefined = 0;
  for (const path of paths) {
    if (path === "-") {
      total = undefined;
      continue;
    }
    const found = await stat(path).catch((error: unknown) => {
      throw new UserError(`${toPlain(path)} cannot be read: ${toReadProblem(error)}.`);
    });
    if (found.isDirectory()) throw new UserError(`${path} is a folder; specify the files in it: ${path}/*`);
    total = total === undefined || !found.isFile() ? undefined : total + found.size;
  }
  return total;
}
