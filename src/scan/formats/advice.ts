/** Advice for files that are often mistaken for line-based logs. */

import { rankOf, toAlias } from "../lines/field-aliases.ts";
import { parseObject } from "../lines/json-lines.ts";
import { fieldNames, type GivenFields } from "../lines/line.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { isBlankText } from "../lines/value-kind.ts";
import { findMisplaced } from "./combined.ts";
import { csv, namedOf } from "./csv.ts";
import { strength, strengthOf } from "./field-values.ts";
import { json, membersOf } from "./json.ts";
import { type Named, toOption } from "./named-fields.ts";

/** How to scan a file whose first lines match no format; undefined if there is no advice for such lines. */
export function adviceOn(lines: readonly string[], fields: GivenFields): string | undefined {
  const [first = ""] = lines;
  if (first.startsWith("PAR1"))
    return "This is a Parquet file. whocrawls export sql writes functions for databases that read it, such as DuckDB.";
  // What UTF-16 looks like when decoded as UTF-8.
  if (/^\ufffd\ufffd(?:[^\0]\0|\0[^\0])/.test(first))
    return "The text is UTF-16. Convert it: iconv -f UTF-16 -t UTF-8 FILE | whocrawls scan -";
  if (/^\s*\[\s*(?:[{"]|$)/.test(first))
    return "This is a JSON array. Write one object per line: jq -c '.[]' FILE | whocrawls scan -";
  const areObjects = lines.every((line) => parseObject(line) !== undefined);
  const headers = areObjects ? headersAdvice(lines) : undefined;
  if (headers !== undefined) return headers;
  const list = /"(\w+)"\s*:\s*\[\s*(?:\{|$)/.exec(lines.slice(0, 5).join("\n"))?.[1];
  if (/^\s*\{/.test(first) && list !== undefined)
    return `The objects are in a list. Write one object per line: jq -c '.${list}[]' FILE | whocrawls scan -`;
  if (first.trim() === "{") return "An object has several lines. Write it on one: jq -c . FILE | whocrawls scan -";
  if (areObjects)
    return linesAdvice("member", membersOf(lines), toOption) ?? messageOf(() => json.formatsOf(lines, fields));
  if (fields.useragent !== undefined) return messageOf(() => csv.formatsOf(lines, fields));
  return misplacedAdvice(lines) ?? linesAdvice("column", namedOf(lines, ","), csvAdvice) ?? tableAdvice(lines);
}

/** Lines that begin as the common log, but have something else at the place of the user agent. */
function misplacedAdvice(lines: readonly string[]): string | undefined {
  const line = findMisplaced(lines);
  return (
    line &&
    `The field after the referrer is not a user agent, as in ${JSON.stringify(line.slice(0, 300))}. Specify the server's format string, such as --log-format '%h %l %u %t "%r" %>s %b "%{Referer}i" %{Cookie}i "%{User-Agent}i"'.`
  );
}

/** Objects with headers or attributes as a list of names and values, or as a text. */
function headersAdvice(lines: readonly string[]): string | undefined {
  const object = parseObject(lines[0]!);
  const found = membersOf(lines).flatMap(({ name, path }) => {
    const text = /^[\w.]+$/.test(name) ? JSON.stringify(path.reduce(memberOf, object)) : "";
    const [, key, plain] = /"(name|key)"\s*:\s*"[^"]*user[-_]agent|(user-agent(?::|%3A))/i.exec(text) ?? [];
    return key === undefined && plain === undefined ? [] : [{ name, key, isText: text.startsWith('"') }];
  });
  const [list] = found;
  if (list === undefined) return undefined;
  const { name, key, isText } = list;
  if (key !== undefined)
    return `The user agent is in a list of names and values. Make members of them: jq -c '. + (.${name} | map({(.${key}): (.value | .. | scalars)}) | add)' FILE | whocrawls scan -`;
  return `The user agent is among the headers in ${name}. Make a member of it: jq -c '. + (.${name}${isText ? "" : ' | join("\\n")'} | capture("user-agent(:|%3A)( |%20)*(?<useragent>.*?)(\\r|\\n|%0D|%0A|$)"; "i"))' FILE | whocrawls scan -`;
}

function memberOf(value: unknown, name: string): unknown {
  return (value as Readonly<Record<string, unknown>> | undefined)?.[name];
}

/** A column or member with the lines of a log. */
function linesAdvice(
  what: "column" | "member",
  named: readonly Named[],
  adviceOf: (name: string) => string,
): string | undefined {
  const isLine = (text: string): boolean => / "[A-Z]+ \S+ HTTP\//.test(text.replaceAll('""', '"'));
  const found = named.find(({ name, values }) => /^[\w@. -]+$/.test(name) && matchesMostLines(values, isLine));
  return found && `The ${what} ${found.name} has the lines of a log: ${adviceOf(found.name)}`;
}

function csvAdvice(column: string): string {
  return `python3 -c 'import csv, sys; [print(row[${JSON.stringify(column)}]) for row in csv.DictReader(sys.stdin)]' <FILE | whocrawls scan -`;
}

/** Unnamed columns, one of which contains user agents. */
function tableAdvice([first = "", ...rest]: readonly string[]): string | undefined {
  for (const separator of ["\t", "|", ";", ","]) {
    const columns = namedOf([first, first, ...rest], separator);
    const options = (["useragent", "time", "status", "path", "address"] as const).flatMap((name) => {
      const column = columns.findIndex(({ values }) => strengthOf(name, values) >= strength.likely) + 1;
      return column === 0 ? [] : toOption(`${column}`, name === "useragent" ? undefined : name);
    });
    if (columns.length > 1 && /^--field \d/.test(options[0] ?? ""))
      return `The columns have no names. Use their numbers: --log-format ${separator === "\t" ? "tsv" : "csv"} ${options.join(" ")}`;
  }
  return undefined;
}

const countName =
  /^(?:cnt|count(?:of|star)?(?:1|requests?|hits?)?|(?:requests?|hits?|doc)(?:cnt|count|num|total)|(?:total|num|number|sum)(?:of)?(?:requests?|hits?)|sample(?:interval|rate))$/;
const idName = /^(?:http|x|edge|aws)*(?:(?:request|req|unique|correlation|insert|amzcf)(?:uu)?id|(?:cf)?ray(?:id)?)$/;

/** Sentences about rows that are not one request each; in a summary, any whole numbers can be their counts. */
export function remarksOnRows(named: readonly Named[], isSummary: boolean): readonly string[] {
  return named.flatMap(({ name, path, values }) => {
    const alias = toAlias(path.at(-1)!);
    const some = values.filter((text) => !isBlankText(text));
    const ids = new Set(some).size;
    const isOther =
      fieldNames.some((field) => rankOf(field, alias) !== undefined) ||
      (["time", "status"] as const).some((field) => strengthOf(field, values) >= strength.likely);
    const isCount = countName.test(alias) || (isSummary && !isOther);
    if (isCount && areCounts(some.map(Number)))
      return [
        `The numbers in ${name} look like counts of requests, but each line counts as one. To count them: ${toOption(name, "count")}`,
      ];
    if (idName.test(alias) && ids > 1 && ids < some.length)
      return [`Several lines have the same ${name}: each line counts, although they may be of one request.`];
    return [];
  });
}

/** Whether numbers are not all 1, and not running numbers, as Traefik's RequestCount. */
function areCounts(numbers: readonly number[]): boolean {
  const range = Math.max(...numbers) - Math.min(...numbers);
  const isRunning = range < 10 * numbers.length && numbers.every((number, at) => at === 0 || number > numbers[at - 1]!);
  return (
    numbers.every(Number.isInteger) && numbers.some((number) => number > 1) && (numbers.length === 1 || !isRunning)
  );
}

/** What makes every format unreadable, or incomplete. */
export function findUnreadable(lines: readonly string[]): string | undefined {
  const [first = ""] = lines;
  // A carriage return within a line, not just one from a Windows line end, and hardly any other lines.
  if (lines.length <= 2 && /\r[^\r\n]/.test(first))
    return "The lines end with bare carriage returns. Convert them: tr '\\r' '\\n' <FILE | whocrawls scan -";
  if (lines.some((line) => /\thttp\.log\.access[^\t]*\t/.test(line)))
    return "This is Caddy's console log format, whose objects lack complete times. Log JSON instead: `format json` in the `log` directive.";
  return undefined;
}

function messageOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
