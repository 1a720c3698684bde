/** What the values of fields can be, and what hardly anything else looks like: the one place where detection looks at values. */
import { toAddress, withoutPort } from "../../address/address.ts";
import { findDatePattern } from "../lines/date-patterns.ts";
import type { FieldName } from "../lines/line.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { readTime } from "../lines/time.ts";
import { isBlankText, isHostName, isOtherField, isUserAgent } from "../lines/value-kind.ts";

interface FieldValues {
  /** Whether a text can be a value of the field. Default: any text. */
  readonly isPossible?: (text: string) => boolean;
  /** Whether hardly anything else looks like the text. Default: no text shows that it is of the field. */
  readonly isEvident?: (text: string) => boolean;
}

const valuesOfFields: Readonly<Record<FieldName, FieldValues>> = {
  useragent: { isPossible: (text) => !isCutInBracket(text) && !isOtherField(text), isEvident: isUserAgent },
  time: { isPossible: isTime, isEvident: isTime },
  status: { isPossible: (text) => /^(?:\d{3}|-1|0)$/.test(text), isEvident: (text) => /^[1-5]\d\d$/.test(text) },
  bytes: { isPossible: isSize, isEvident: isSize },
  path: { isEvident: (text) => /^(?:\/|[a-z]+:\/\/|\*$)/.test(text) },
  request: { isEvident: (text) => /^[A-Z]+ \S+ HTTP\/\d/.test(text) },
  // Servers can write a hash in place of the address, so any text is possible.
  address: { isEvident: isAddressList },
  count: {},
  referrer: { isEvident: (text) => /^[a-z]+:\/\/\S/.test(text) },
  query: {},
  forwarded: { isEvident: isAddressList },
  realip: { isEvident: isAddressList },
  cdnip: { isEvident: isAddressList },
};

/** What values show: that they are not of the field, nothing, that they can be, and how probably they are. */
export const strength = { impossible: -1, blank: 0, possible: 1, likely: 2, evident: 3 } as const;
export type Strength = (typeof strength)[keyof typeof strength];

/** How strongly values show that they are of a field. */
export function strengthOf(name: FieldName, values: readonly string[]): Strength {
  const { isPossible = () => true, isEvident = () => false } = valuesOfFields[name];
  const some = values.filter((text) => !isBlankText(text));
  if (some.length === 0) return strength.blank;
  if (!matchesMostLines(some, isPossible)) return strength.impossible;
  if (!isHalf(some, isEvident))
    return name === "address" && isHalf(some, isHostName) ? strength.likely : strength.possible;
  // What is the same in all lines can be of something else: a log's file, a server's address, the time of a shipper.
  return some.length > 1 && new Set(some).size === 1 ? strength.likely : strength.evident;
}

function isHalf(texts: readonly string[], is: (text: string) => boolean): boolean {
  return 2 * texts.filter(is).length >= texts.length;
}

export function isPossible(name: FieldName, text: string): boolean {
  return valuesOfFields[name].isPossible?.(text) ?? true;
}

export function isEvident(name: FieldName, text: string): boolean {
  return valuesOfFields[name].isEvident?.(text) ?? false;
}

export function isTime(text: string): boolean {
  const bytes = new TextEncoder().encode(text);
  return !Number.isNaN(readTime(bytes, 0, bytes.length)) || findDatePattern([text]) !== undefined;
}

function isSize(text: string): boolean {
  return /^\+?\d+$/.test(text);
}

/** An address, with or without a port; a list of them, as proxies write it, in W3C logs with spaces that are encoded. */
export function isAddressList(text: string): boolean {
  // HAProxy writes a port behind IPv6, too, without brackets.
  return text
    .split(/,(?: |%20|\+)*/)
    .every((part) => (toAddress(withoutPort(part)) ?? toAddress(part.replace(/:\d+$/, ""))) !== undefined);
}

/** Whether a browser string ends within its first bracket, so the rest of it was probably read as another field. */
function isCutInBracket(text: string): boolean {
  return /^Mozilla\/\d\.\d \([^)]*$/.test(text) && text.length < 60;
}
