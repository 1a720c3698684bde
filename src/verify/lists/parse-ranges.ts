/** Reads the lists of addresses that operators of crawlers and providers of networks publish, in each of the formats they use. */

import { isIpv4 } from "../../address/address.ts";
import { mergePrefixes, type Prefix, toPrefix, toPrefixText } from "../../address/prefix.ts";
import { isPublic, isTooWide, type Widest } from "../../address/public-address.ts";
import type { RangeFormat, RangeSource } from "../../detect/verification.ts";

/** Thrown if a list is not what it should be; the message says what is wrong with it. */
export class RangeListError extends Error {}

/** What lists of a kind may have. */
export interface ListRules {
  readonly of: "crawler" | "provider";
  readonly widest?: Widest;
  /** The largest part of its prefixes that are not public. They are left out. */
  readonly maxSpecial: number;
  readonly maxIpv4: number;
  /** Whether the fewest prefixes are kept that cover the same addresses. */
  readonly isMerged: boolean;
}

const crawlerRules: ListRules = { of: "crawler", maxSpecial: 0, maxIpv4: 2 ** 32, isMerged: false };

/** Lists of networks are longer and wider. Some contain reserved addresses; if there are many, it must be some other file. */
export const networkRules: ListRules = {
  of: "provider",
  widest: { ipv4: 96 + 8, ipv6: 20 },
  maxSpecial: 0.1,
  // A sixteenth of all.
  maxIpv4: 2 ** 28,
  isMerged: true,
};

/** How a list is read. */
export type RangeReading = Pick<RangeSource, "format" | "at">;

/** How many entries are read in a step. */
const blockEntries = 2048;
/** Of a list; merged ones may have any number of lines. */
export const maxPrefixes = 200_000;

/**
 * Reads a list in steps; throws RangeListError if anything in it is not a prefix, where it is empty, or where it takes in too much. Each block
 * is merged when it is read: a list may have twenty times as many lines as it needs.
 */
export function* readRanges(
  text: string,
  { format, at }: RangeReading,
  rules = crawlerRules,
): Generator<undefined, readonly Prefix[]> {
  const kept: Prefix[] = [];
  let block: Prefix[] = [];
  let entries = 0;
  let special = 0;
  function* keep(): Generator<undefined, void> {
    kept.push(...(rules.isMerged ? yield* mergePrefixes(block) : block));
    if (kept.length > maxPrefixes) throw new RangeListError(`it has more than ${maxPrefixes} prefixes`);
    block = [];
  }
  for (const entry of readers[format](text, at)) {
    const prefix = toPrefix(entry);
    if (prefix === undefined) throw new RangeListError(`"${entry.slice(0, 60)}" is not a prefix`);
    if (isTooWide(prefix, rules.widest))
      throw new RangeListError(`${toPrefixText(prefix)} is wider than any ${rules.of}'s addresses`);
    if (isPublic(prefix.address)) block.push(prefix);
    else special++;
    if (++entries % blockEntries !== 0) continue;
    yield* keep();
    yield;
  }
  yield* keep();
  if (entries === 0) throw new RangeListError("it contains no prefixes");
  if (special > entries * rules.maxSpecial)
    throw new RangeListError(`${special} of its ${entries} prefixes are not public`);
  const prefixes = rules.isMerged ? yield* mergePrefixes(kept) : kept;
  let ipv4 = 0;
  for (const [index, { address, length }] of prefixes.entries()) {
    if (isIpv4(address)) ipv4 += 2 ** (128 - length);
    if (index % blockEntries === 0) yield;
  }
  if (ipv4 > rules.maxIpv4)
    throw new RangeListError(`it contains ${ipv4} IPv4 addresses, more than any ${rules.of} has`);
  return prefixes;
}

/** Finds the entries of a list as it has them: prefixes, unless the list is wrong. */
const readers: Readonly<Record<RangeFormat, (text: string, at: RangeSource["at"]) => Iterable<string>>> = {
  *json(text, at) {
    const steps = at === undefined ? [] : String(at).split(".");
    try {
      // RFC 8259 §8.1: a byte order mark may be ignored.
      const parts = select(parseJson(text.replace(/^\uFEFF/, "")), steps);
      if (parts.length === 0) throw new RangeListError(`there is nothing at ${at}`);
      yield* collect(parts, steps.at(-1) ?? "");
    } catch (error) {
      throw error instanceof RangeError ? new RangeListError("it is nested too deeply") : error;
    }
  },
  *lines(text, at) {
    for (const line of contentLines(text)) yield at === undefined ? line : (line.split(/\s+/)[Number(at) - 1] ?? line);
  },
  // RFC 8805: the prefix is the first column.
  *geofeed(text) {
    for (const line of contentLines(text)) yield line.split(",", 1)[0]!.trim();
  },
  // An HTML page: reads all text that looks like a prefix with a length, and addresses in JSON on the page; ignores the rest.
  *html(text, at) {
    const plain = afterText(text.replaceAll("&quot;", '"'), at);
    // linear: reads at most 43 characters from each place; recheck cannot prove expressions with a lookahead
    const prefixes = plain.matchAll(/(?<![\w.:])(?:[\d.]{7,15}|(?=[\da-f]{0,4}:)[\da-f:]{2,39})\/\d{1,3}(?![\w./])/gi);
    const addresses = plain.matchAll(/"ip_?(?:v[46])?_?prefix"\s{0,9}:\s{0,9}"([\da-f.:]{2,39})"/gi);
    // linear: reads at most 17 characters from each place. No address in another word or a path, such as Chrome/1.2.3.4.
    const bare = at === undefined ? [] : plain.matchAll(/(?<![\w./-])\d{1,3}(?:\.\d{1,3}){3}(?![\w/-]|\.\w)/g);
    for (const [prefix] of prefixes) yield prefix;
    for (const [, address = ""] of addresses) yield address;
    for (const [address] of bare) yield address;
  },
};

/** The parts of a JSON document that steps lead to: names of members, `*` or `name=value`. Arrays stand for their items. */
function select(value: unknown, steps: readonly string[]): unknown[] {
  const [step, ...rest] = steps;
  if (step === undefined) return [value];
  if (Array.isArray(value)) return value.flatMap((item) => select(item, steps));
  if (typeof value !== "object" || value === null) return [];
  const members = Object.entries(value);
  if (step.includes("="))
    return members.some(([key, member]) => `${key}=${member}` === step) ? select(value, rest) : [];
  return members.flatMap(([key, member]) => (step === "*" || step === key ? select(member, rest) : []));
}

/**
 * The prefixes of a JSON document: the values under names that contain address or prefix (`ipv4Prefix`, `ip_address`, `cidr`)
 * must be one, or empty; elsewhere, strings that are addresses count, and others, such as dates, do not.
 */
function* collect(root: unknown, rootName: string): Generator<string, void> {
  // Nested generators would take time for each level.
  const open: Iterator<readonly [string, unknown]>[] = [[[rootName, root] as const].values()];
  for (let around = open.at(-1); around !== undefined; around = open.at(-1)) {
    const next = around.next();
    if (next.done) {
      open.pop();
      continue;
    }
    const [name, value] = next.value;
    if (typeof value === "object" && value !== null) open.push(valuesIn(value, name));
    if (typeof value !== "string") continue;
    const text = value.trim();
    const isAddress = /prefix$|^ip(?:v[46])?(?:_|$)|^cidr/i.test(name) ? text !== "" : toPrefix(text) !== undefined;
    if (isAddress) yield text;
  }
}

/** The values inside an object or array, each with the name that it is under. */
function* valuesIn(value: object, name: string): Generator<readonly [string, unknown]> {
  if (Array.isArray(value)) for (const item of value) yield [name, item];
  else yield* Object.entries(value);
}

function afterText(page: string, text: RangeSource["at"]): string {
  if (text === undefined) return page;
  const found = page.indexOf(String(text));
  if (found < 0) throw new RangeListError(`it has no text "${text}"`);
  return page.slice(found);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeListError("it is not JSON");
  }
}

/** The lines without comments, one at a time: a list may have a quarter of a million. */
function* contentLines(text: string): Generator<string, void> {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    const content = line.replace(/#.*/, "").trim();
    if (content !== "") yield content;
  }
}
