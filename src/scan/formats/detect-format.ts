/** Finds the format of a log: tries the candidates on its first lines, behind the headers and other texts that can be around each line. */

import { findDatePattern } from "../lines/date-patterns.ts";
import { headers, unwrapLine } from "../lines/envelope.ts";
import type { Envelope, Front, LogFormat } from "../lines/format.ts";
import type { GivenFields } from "../lines/line.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { isBlankText } from "../lines/value-kind.ts";
import { formatKinds } from "./all-formats.ts";
import { csv, tsv } from "./csv.ts";
import { isAddressList } from "./field-values.ts";
import { type FormatKind, sampledLines } from "./format-kind.ts";
import { json, lineMembers } from "./json.ts";
import { type Judgement, judge, valuesOf } from "./judge.ts";
import { plain } from "./templates.ts";
import { w3c } from "./w3c.ts";

/** What is looked for. */
export interface Search {
  readonly kinds: readonly FormatKind[];
  readonly given: GivenFields;
  /** Whether the user has named the kind. */
  readonly isStated?: true;
  /** Whether a text in front was taken away: it reaches up to the line, and looking for more in each of several takes exponential time. */
  readonly isBehindFront?: true;
}

/** A format, and how it reads the lines without their envelopes. */
export interface Found extends Judgement {
  readonly format: LogFormat;
}

/**
 * The format that the first lines of a log fit as a whole; undefined if none does. Throws an Error for given fields that the
 * lines do not have.
 */
export function detectFormat(lines: readonly string[], given: GivenFields = {}): LogFormat | undefined {
  return findFormat(sampleOf(lines), searchOf(given))?.format;
}

/** The search for any format that can have the given fields. */
export function searchOf(given: GivenFields): Search {
  return {
    given,
    kinds: Object.keys(given).length === 0 ? formatKinds : formatKinds.filter(({ hasNames }) => hasNames),
  };
}

/** The first non-empty lines, without carriage returns. */
export function sampleOf(lines: readonly string[]): readonly string[] {
  return lines
    .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
    .filter((line) => line.trim() !== "")
    .slice(0, sampledLines);
}

/** The format of lines after the headers that most of them have, or of the lines as they are. */
export function findFormat(lines: readonly string[], search: Search): Found | undefined {
  if (lines.length === 0) return undefined;
  for (const header of headers) {
    const inner = unwrap(lines, header);
    if (inner !== undefined) return within(header, findFormat(inner, search));
  }
  const numbered = !search.isBehindFront && areNumbered(lines) ? behind(lines, numbers, search) : undefined;
  return numbered ?? betterBehindFront(lines, search, inMembersOrBare(lines, search));
}

/** The format of lines as they are, or in a member of objects; a stated format without names is looked for in members first. */
function inMembersOrBare(lines: readonly string[], search: Search): Found | undefined {
  const { given, isStated, kinds } = search;
  if (isStated && kinds.some(({ hasNames }) => hasNames)) return guess(lines, search);
  const { useragent, ...others } = given;
  const own = useragent === undefined ? [] : [useragent];
  // The member can hold other members as text.
  const inText =
    useragent === undefined
      ? undefined
      : guess(lines, { ...search, kinds: kinds.filter((kind) => kind === json), given: others });
  if (inText !== undefined && inText.misfit === undefined && inText.format.json?.useragent?.[0] === useragent)
    return inText;
  return (
    inMember(lines, isStated ? [...own, ...lineMembers] : own, search) ??
    guess(lines, search) ??
    (isStated ? undefined : inMember(lines, lineMembers, search))
  );
}

/** The format that shows most in the lines; if none fits, the first that was stated or has names, for a message that says why. */
function guess(lines: readonly string[], { kinds, given, isStated }: Search): Found | undefined {
  const likely = kinds.filter(({ isLikely }) => isStated || (isLikely?.(lines, given) ?? true));
  const formats = likely.flatMap((kind) => kind.formatsOf(lines, given));
  const few = spread(lines);
  const ranked = formats
    .map((format) => ({ format, evidence: formats.length === 1 ? 0 : judge(format, few).evidence }))
    .sort((one, other) => other.evidence - one.evidence);
  let first: Found | undefined;
  for (const { format } of ranked) {
    const judged = judge(format, lines);
    const timePattern = findDatePattern(valuesOf(judged.read, "time").filter((text) => !isBlankText(text)));
    const found = { format: timePattern === undefined ? format : { ...format, timePattern }, ...judged };
    const isLucky = !isStated && format.template !== undefined && judged.isLucky;
    if (found.misfit === undefined && !isLucky) return found;
    if (isStated || format.columns?.header !== undefined || format.json !== undefined) first ??= found;
  }
  return first;
}

/** The kind of a log shows in so many lines. */
const fewLines = 10;

/** Some of the lines, from all over them, with the directives. */
function spread(lines: readonly string[]): readonly string[] {
  const step = Math.ceil(lines.length / fewLines);
  return lines.filter((line, index) => index % step === 0 || line.startsWith("#"));
}

/** What may be behind any text: a table would have other columns, and a user agent alone another meaning, such as a count before it. */
const needsBeginning: readonly FormatKind[] = [plain, csv, tsv, w3c];

/** The format found, or one behind a text in front that shows more: in lines without names, any word can be taken for a host. */
function betterBehindFront(lines: readonly string[], search: Search, found: Found | undefined): Found | undefined {
  const isCertain = found?.hasAddress || found?.format.template === undefined || found.format.name === plain.names[0];
  if (found !== undefined && found.misfit === undefined && isCertain) return found;
  if (search.isBehindFront) return found;
  let best = found?.misfit === undefined ? found : undefined;
  for (const front of frontsOf(lines)) {
    const other = behind(lines, front, search);
    if (other !== undefined && other.evidence > (best?.evidence ?? 0)) best = other;
  }
  return best ?? found;
}

/** The format of lines behind a text in front; undefined if they do not fit it. */
function behind(lines: readonly string[], front: Front, search: Search): Found | undefined {
  const kinds = search.kinds.filter((kind) => !needsBeginning.includes(kind));
  const inner = kinds.length === 0 ? undefined : unwrap(lines, front);
  const found = inner && findFormat(inner, { ...search, kinds, isBehindFront: true });
  return found?.misfit === undefined ? within(front, found) : undefined;
}

/** What `grep -n` writes. */
const numbers: Front = { after: ":", count: 1 };
/** No IPv6 address of the Internet begins with a number below. */
const firstAddress = 2000;

/** Whether rising numbers and colons are in front of the lines. */
function areNumbered(lines: readonly string[]): boolean {
  const numbers = lines.map((line) => Number(/^(\d+):/.exec(line)?.[1]));
  return lines.length > 1 && numbers[0]! < firstAddress && areRising(numbers);
}

function areRising(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > numbers[index - 1]!);
}

/** Whether numbers are in front of lines, and they do not count the lines: `uniq -c` writes how many are the same. */
export function haveCounts(lines: readonly string[], { envelopes: [front] = [] }: LogFormat): boolean {
  if (!isFront(front) || front.after !== " " || front.count !== 1) return false;
  const numbers = lines.map((line) => Number(/^\s*(\d+)\s/.exec(line)?.[1]));
  return matchesMostLines(numbers, (number) => !Number.isNaN(number)) && (numbers.length === 1 || !areRising(numbers));
}

/** The line begins within so many characters. */
const maxFront = 256;
const maxFronts = 3;

/** The texts that may be in front of lines: up to an address, an object, a time in brackets, or what comes before `- … [`. */
function frontsOf(lines: readonly string[]): readonly Front[] {
  // Containers begin with other messages, which can have braces and times, too.
  const withRequest = lines.filter((line) => /"[A-Z]+ /.test(line));
  const some = withRequest.length > 0 ? withRequest : lines.filter((line) => /\{|\[\d/.test(line));
  const fronts = some.slice(0, maxFronts).flatMap(frontsOfLine);
  return [...new Map(fronts.map((front) => [JSON.stringify(front), front])).values()].slice(0, maxFronts);
}

function frontsOfLine(line: string): readonly Front[] {
  const begin = line.slice(0, maxFront).trimStart();
  const dash = begin.indexOf(" - ");
  return [...begin.matchAll(/[\s:]/g)].flatMap(({ index, 0: separator }): readonly Front[] => {
    const word = begin.slice(index + 1).split(/[\s,]/, 1)[0]!;
    const isClient = isAddressList(word) || index + 1 + word.length === dash;
    const isTime = (dash === -1 || index < dash) && /^\[\d/.test(word);
    if (!isClient && !isTime && !word.startsWith("{") && !isFile(begin.slice(0, index + 1))) return [];
    const before = begin.slice(0, index + 1);
    return [
      separator === ":"
        ? { after: ":", count: before.split(":").length - 1 }
        : { after: " ", count: before.match(/\s+/g)!.length },
    ];
  });
}

/** Whether a text is what `grep` writes in front of lines: the name of a file, with or without the number of the line. */
function isFile(text: string): boolean {
  return text.includes(".") && /^[^\s:"]+:(?:\d+:)?$/.test(text);
}

/** The format of the lines in a member with one of these names: a user agent alone may as well be another member. */
function inMember(lines: readonly string[], names: readonly string[], search: Search): Found | undefined {
  const inside = {
    ...search,
    given: {},
    kinds: search.isStated ? search.kinds : formatKinds.filter((kind) => kind !== plain),
  };
  // A name with dots is a member, or a path.
  for (const name of names)
    for (const member of name.includes(".") ? [[name], name.split(".")] : [[name]]) {
      const inner = unwrap(lines, { member });
      if (inner === undefined || inner.length === 0) continue;
      const found = findFormat(inner, inside);
      if (found !== undefined && found.misfit === undefined) return within({ member }, found);
    }
  return undefined;
}

function within(envelope: Envelope, found: Found | undefined): Found | undefined {
  if (found === undefined) return undefined;
  const { format } = found;
  const [first, ...others] = format.envelopes ?? [];
  const isOne = isFront(envelope) && isFront(first) && envelope.after === first.after;
  const envelopes = isOne
    ? [{ ...first, count: envelope.count + first.count }, ...others]
    : [envelope, ...(format.envelopes ?? [])];
  return { ...found, format: { ...format, envelopes } };
}

function isFront(envelope: Envelope | undefined): envelope is Front {
  return typeof envelope === "object" && "after" in envelope;
}

/** The lines in an envelope that most lines have; undefined if they do not. */
function unwrap(lines: readonly string[], envelope: Envelope): readonly string[] | undefined {
  const inner = lines.map((line) => unwrapLine(envelope, line));
  if (!matchesMostLines(inner, (line) => line !== undefined)) return undefined;
  return inner.filter((line) => line !== undefined && line.trim() !== "") as string[];
}
