/** Reads the lists of addresses that providers of networks publish: they are longer and wider than the lists of crawlers' operators. */

import { isIpv4 } from "../../address/address.ts";
import { type Prefix, toPrefix, toPrefixText } from "../../address/prefix.ts";
import { toPrefixes, toPrefixSet } from "../../address/prefix-set.ts";
import { isWithoutPublic } from "../../address/public-address.ts";
import type { RangeFormat } from "../../detect/verification.ts";
import { RangeListError, readEntries } from "../lists/parse-ranges.ts";

/** Shorter prefixes hold more of the Internet than any provider has. */
const shortestIpv4 = 96 + 8;
const shortestIpv6 = 20;
/** So many IPv4 addresses, a sixteenth of all, no provider has. */
const mostIpv4 = 2 ** 28;
/** Some lists have addresses for documentation; a list with many others that are not public is another file. */
const mostSpecial = 0.1;
/** Text of so many characters is read at a time. */
const blockLength = 65_536;
/** So many entries are read at a time. */
const blockEntries = 2048;

/** Reads a list in one go; throws RangeListError. */
export function parseNetworkRanges(text: string, format: RangeFormat): Prefix[] {
  const steps = readInSteps(text, format);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same in steps of milliseconds, between which `turn` is waited for. */
export async function readNetworkRanges(
  text: string,
  format: RangeFormat,
  turn: () => Promise<void>,
): Promise<Prefix[]> {
  const steps = readInSteps(text, format);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await turn();
  }
}

/** The fewest prefixes of a list. Each block is reduced when it is read: a list may have twenty times as many lines. */
function* readInSteps(text: string, format: RangeFormat): Generator<undefined, Prefix[]> {
  const kept: Prefix[] = [];
  let entries = 0;
  let special = 0;
  for (const block of toBlocks(text, format)) {
    const prefixes = block.map(toNetworkPrefix).filter((prefix) => !isWithoutPublic(prefix));
    entries += block.length;
    special += block.length - prefixes.length;
    kept.push(...toPrefixes(toPrefixSet(prefixes)));
    yield;
  }
  if (entries === 0) throw new RangeListError("it holds no prefix");
  if (special > entries * mostSpecial) throw new RangeListError(`${special} of its ${entries} prefixes are not public`);
  const fewest = toPrefixes(toPrefixSet(kept));
  const ipv4 = fewest.reduce((sum, { address, length }) => sum + (isIpv4(address) ? 2 ** (128 - length) : 0), 0);
  if (ipv4 > mostIpv4) throw new RangeListError(`it holds ${ipv4} IPv4 addresses, more than any provider has`);
  return fewest;
}

function toNetworkPrefix(entry: string): Prefix {
  const prefix = toPrefix(entry);
  if (prefix === undefined) throw new RangeListError(`"${entry.slice(0, 60)}" is not a prefix`);
  if (isWithoutPublic(prefix)) return prefix;
  if (prefix.length < (entry.includes(":") ? shortestIpv6 : shortestIpv4))
    throw new RangeListError(`${toPrefixText(prefix)} is wider than any provider's addresses`);
  return prefix;
}

function* toBlocks(text: string, format: RangeFormat): Generator<readonly string[]> {
  if (format === "lines" || format === "geofeed") {
    for (let from = 0; from < text.length; ) {
      const lineEnd = text.indexOf("\n", from + blockLength);
      const to = lineEnd === -1 ? text.length : lineEnd + 1;
      yield readEntries(text.slice(from, to), format);
      from = to;
    }
  } else {
    const entries = readEntries(text, format);
    for (let from = 0; from < entries.length; from += blockEntries) yield entries.slice(from, from + blockEntries);
  }
}
