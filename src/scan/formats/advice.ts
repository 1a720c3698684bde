/** Advice for files that are often mistaken for line-based logs. */

import type { GivenFields } from "../lines/line.ts";
import { isUserAgent } from "../lines/value-kind.ts";
import { findMisplaced } from "./combined.ts";
import { csv } from "./csv.ts";
import { json } from "./json.ts";

/** How to scan a file whose first lines match no format; undefined if there is no advice for such lines. */
export function adviceOn(lines: readonly string[], fields: GivenFields): string | undefined {
  const [first = ""] = lines;
  if (first.startsWith("PAR1")) {
    return "This is a Parquet file. whocrawls export sql writes functions for databases that read it, such as DuckDB.";
  }
  // What UTF-16 looks like when decoded as UTF-8.
  if (/^\ufffd\ufffd(?:[^\0]\0|\0[^\0])/.test(first)) {
    return "The text is UTF-16. Convert it: iconv -f UTF-16 -t UTF-8 FILE | whocrawls scan -";
  }
  if (/^\s*\[\s*(?:[{"]|$)/.test(first)) {
    return "This is a JSON array. Write one object per line: jq -c '.[]' FILE | whocrawls scan -";
  }
  if (lines.every(isJsonObject)) return messageOf(() => json.formatsOf(lines, fields));
  if (fields.useragent !== undefined) return messageOf(() => csv.formatsOf(lines, fields));
  return misplacedAdvice(lines) ?? tableAdvice(lines);
}

/** Lines that begin as the common log, but have something else at the place of the user agent. */
function misplacedAdvice(lines: readonly string[]): string | undefined {
  const line = findMisplaced(lines);
  return (
    line &&
    `The field after the referrer is not a user agent, as in ${JSON.stringify(line.slice(0, 300))}. Specify the server's format string, such as --log-format '%h %l %u %t "%r" %>s %b "%{Referer}i" %{Cookie}i "%{User-Agent}i"'.`
  );
}

/** Unnamed columns, one of which contains user agents. */
function tableAdvice(lines: readonly string[]): string | undefined {
  if (!lines.every((line) => line.includes("\t"))) return undefined;
  const rows = lines.map((line) => line.split("\t"));
  const counts = rows[0]!.map((_, index) => rows.filter((row) => isUserAgent(row[index] ?? "")).length);
  const most = Math.max(...counts);
  if (most * 2 <= rows.length) return undefined;
  return `The columns have no names. If column ${counts.indexOf(most) + 1} has the user agents, use: --log-format tsv --field ${counts.indexOf(most) + 1}`;
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

function isJsonObject(line: string): boolean {
  return /^\s*\{.*\}\s*$/.test(line);
}

function messageOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
