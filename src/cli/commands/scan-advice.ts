/** What to do with files that are no logs of lines, but are often taken for some. */
import { formatOfName, type GivenFields } from "../../scan/formats/guess-format.ts";

/** How to scan a file whose first lines match no format; undefined if there is no advice for such lines. */
export function adviceOn(lines: readonly string[], fields: GivenFields): string | undefined {
  const [first = ""] = lines;
  if (first.startsWith("PAR1")) {
    return "This is a Parquet file. whocrawls export sql writes functions for databases that read it, such as DuckDB.";
  }
  // As it looks when it is read as UTF-8.
  if (/^\ufffd\ufffd(?:[^\0]\0|\0[^\0])/.test(first)) {
    return "The text is UTF-16. Convert it: iconv -f UTF-16 -t UTF-8 FILE | whocrawls scan -";
  }
  if (/^\s*\[\s*(?:[{"]|$)/.test(first)) {
    return "This is a JSON array. Write one object per line: jq -c '.[]' FILE | whocrawls scan -";
  }
  if (lines.every(isJsonObject)) return messageOf(() => formatOfName("json", lines, fields));
  if (fields.useragent !== undefined) return messageOf(() => formatOfName("csv", lines, fields));
  if (lines.every((line) => /^[^\t/ ]*[/ ][^\t]*\t/.test(line))) {
    return "The columns have no names. If the first one is the user agent: --log-format tsv --field 1";
  }
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
