/** Times that spreadsheets, Windows and mail write, such as `1/31/2026, 1:00:05.123 PM`: the values in the first lines tell their pattern. */
import type { MakeOfBytes } from "../../cache/byte-cache.ts";
import { parseTimePattern } from "./strftime.ts";

const clocks = ["%H:%M:%S", "%H:%M", "%I:%M:%S %p", "%I:%M %p"];
const ofMail = ["%a %d %b %Y %H:%M:%S", "%d %b %Y %H:%M:%S"].flatMap((text) => [`${text} %z`, `${text} %Z`]);
const patternsBy = (date: string): readonly string[] => clocks.map((clock) => `${date} ${clock}`);
const patterns = [...ofMail, ...patternsBy("%m/%d/%Y"), ...patternsBy("%d/%m/%Y")];
const readers = new Map(patterns.map((text) => [text, parseTimePattern(text)]));

/** With two digits in each number, and without commas and a fraction of a second. */
function simplify(text: string): string {
  return text
    .replace(/,| (?= )/g, "")
    .replace(/(:\d\d)\.\d{1,9}/, "$1")
    .replace(/\b\d\b/g, "0$&");
}

/** The pattern of nearly all texts; `undecided` if day and month can be either. Undefined if there is none, as for times that readTime reads. */
export function findDatePattern(texts: readonly string[]): string | "undecided" | undefined {
  if (texts.length === 0 || !/^[A-Z][a-z]{2},? |^\d{1,2}(?:\/| [A-Z])/.test(texts[0]!)) return undefined;
  const simple = texts.map(simplify);
  const read = [...readers].map(([pattern, { read }]) => ({
    pattern,
    times: simple.map(read).filter((time) => time >= 0),
  }));
  const [first, second] = read.toSorted((one, other) => other.times.length - one.times.length);
  if (first!.times.length < 0.9 * texts.length) return undefined;
  const isEither =
    first!.times.length === second!.times.length && first!.times.some((time, at) => time !== second!.times[at]);
  return isEither ? "undecided" : first!.pattern;
}

/** Makes the function that reads times of a pattern; all are NaN if it is undecided. */
export function createDateReader(pattern: string): MakeOfBytes<number> {
  const decoder = new TextDecoder("latin1");
  const reader = readers.get(pattern);
  return (bytes, from, to) => reader?.read(simplify(decoder.decode(bytes.subarray(from, to)))) ?? Number.NaN;
}
