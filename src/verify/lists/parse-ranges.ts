/** Reads the lists of addresses that operators publish, in each of the formats they use. */

import { type Prefix, toPrefix, toPrefixText } from "../../address/prefix.ts";
import { isPublic, isTooWide } from "../../address/public-address.ts";
import type { RangeFormat } from "../../detect/verification.ts";

/** Thrown if a list is not what it should be; the message says what is wrong with it. */
export class RangeListError extends Error {}

/** Reads a list; throws RangeListError if anything in it is not a prefix, where it is empty, or where it takes in too much. */
export function parseRanges(text: string, format: RangeFormat): Prefix[] {
  const prefixes = readEntries(text, format).map((entry) => {
    const prefix = toPrefix(entry);
    if (prefix === undefined) throw new RangeListError(`"${entry.slice(0, 60)}" is not a prefix`);
    if (isTooWide(prefix)) throw new RangeListError(`${toPrefixText(prefix)} is wider than any crawler's addresses`);
    if (!isPublic(prefix.address)) throw new RangeListError(`${toPrefixText(prefix)} is not public`);
    return prefix;
  });
  if (prefixes.length === 0) throw new RangeListError("it holds no prefix");
  return prefixes;
}

/** The entries of a list as it has them: prefixes, unless the list is wrong. Throws RangeListError for text in another format. */
export function readEntries(text: string, format: RangeFormat): string[] {
  return readers[format](text);
}

const readers: Readonly<Record<RangeFormat, (text: string) => string[]>> = {
  json(text) {
    const found: string[] = [];
    collect(parseJson(text), "", found);
    return found;
  },
  lines(text) {
    return contentLines(text);
  },
  // RFC 8805: the prefix is the first column.
  geofeed(text) {
    return contentLines(text).map((line) => line.split(",", 1)[0]!.trim());
  },
  // An HTML page: reads all text that looks like a prefix with a length, and addresses in JSON on the page; ignores the rest.
  html(text) {
    const plain = text.replaceAll("&quot;", '"');
    // linear: reads at most 43 characters from each place; recheck cannot prove expressions with a lookahead
    const prefixes = plain.matchAll(/(?<![\w.:])(?:[\d.]{7,15}|(?=[\da-f]{0,4}:)[\da-f:]{2,39})\/\d{1,3}(?![\w./])/gi);
    const addresses = plain.matchAll(/"ip_?(?:v[46])?_?prefix"\s{0,9}:\s{0,9}"([\da-f.:]{2,39})"/gi);
    return [...Array.from(prefixes, ([prefix]) => prefix), ...Array.from(addresses, ([, address = ""]) => address)];
  },
};

/**
 * The prefixes of a JSON document: the values under names that contain address or prefix (`ipv4Prefix`, `ip_address`, `cidr`)
 * must be one; elsewhere, strings that are addresses count, and others, such as dates, do not.
 */
function collect(value: unknown, name: string, found: string[]): void {
  if (typeof value === "string") {
    if (/prefix$|^ip(?:v[46])?(?:_|$)|^cidr/i.test(name) || toPrefix(value) !== undefined) found.push(value);
  } else if (Array.isArray(value)) for (const item of value) collect(item, name, found);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) collect(item, key, found);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeListError("it is not JSON");
  }
}

function contentLines(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "");
}
