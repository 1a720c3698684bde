/**
 * A file of named values, each parsed when it is first read. It needs no interface of a runtime: its text is ASCII.
 *
 * The file is lines that end with a line feed: `WCC` and the format's digit; for each value its name, a blank, and JSON. The last line,
 * which does not end, is the CRC-32 of everything before, eight hexadecimal digits.
 */
import { crc32 } from "../automaton/crc.ts";
import { toAsciiText } from "../text.ts";

/** Thrown for bytes that are not a compiled catalogue, or not in this version's format. */
export class CatalogueFileError extends Error {
  override readonly name = "CatalogueFileError";
}

const kind = "WCC";
/** A program reads only its own format. */
const format = "6";
const sumBytes = 8;
const [lineFeed, blank] = [0x0a, 0x20];

/** Writes values. Getters are called. */
export function writeSections(values: Readonly<Record<string, unknown>>): Uint8Array {
  const lines = Object.entries(values).map(([name, value]) => `${name} ${JSON.stringify(value)}\n`);
  const text = toAscii(`${kind}${format}\n${lines.join("")}`);
  const bytes = new Uint8Array(text.length + sumBytes);
  writeText(bytes, 0, text);
  writeText(bytes, text.length, toSum(bytes.subarray(0, text.length)));
  return bytes;
}

/**
 * The values of a file, each parsed when it is first read; throws CatalogueFileError for other bytes, and when a value is read that
 * `isSound` rejects.
 */
export function readSections(
  bytes: Uint8Array,
  isSound: (name: string, value: unknown) => boolean = () => true,
): Readonly<Record<string, unknown>> {
  const [start, digit] = [toText(bytes.subarray(0, kind.length)), toText(bytes.subarray(kind.length, kind.length + 1))];
  if (start !== kind) throw new CatalogueFileError("This is not a compiled catalogue: it does not begin with WCC.");
  if (digit !== format)
    throw new CatalogueFileError(
      `This compiled catalogue has the format ${JSON.stringify(digit)}; this version of whocrawls reads ${format}. Compile it again.`,
    );
  const end = bytes.length - sumBytes;
  if (toSum(bytes.subarray(0, end)) !== toText(bytes.subarray(end)))
    throw new CatalogueFileError("The compiled catalogue is damaged or incomplete: its checksum is wrong.");
  const values: Record<string, unknown> = {};
  for (let at = bytes.indexOf(lineFeed) + 1; at < end; ) {
    const [from, past] = [bytes.indexOf(blank, at) + 1, bytes.indexOf(lineFeed, at)];
    if (from === 0 || past < from)
      throw new CatalogueFileError("The compiled catalogue is malformed: a line has no value.");
    define(values, toText(bytes.subarray(at, from - 1)), bytes.subarray(from, past), isSound);
    at = past + 1;
  }
  return values;
}

function define(
  values: Record<string, unknown>,
  name: string,
  json: Uint8Array,
  isSound: (name: string, value: unknown) => boolean,
): void {
  const malformed = (): CatalogueFileError => new CatalogueFileError(`The compiled catalogue is malformed: ${name}.`);
  let value: unknown;
  let isParsed = false;
  Object.defineProperty(values, name, {
    enumerable: true,
    configurable: true,
    get() {
      if (isParsed) return value;
      try {
        value = JSON.parse(toText(json));
      } catch {
        throw malformed();
      }
      if (!isSound(name, value)) throw malformed();
      isParsed = true;
      return value;
    },
  });
}

function toSum(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(sumBytes, "0");
}

function toAscii(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function writeText(bytes: Uint8Array, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
}

/** Uses the runtime's decoder if there is one, which is ten times faster; the language itself has none. */
const { TextDecoder: Decoder } = globalThis as { TextDecoder?: new () => { decode(bytes: Uint8Array): string } };

function toText(bytes: Uint8Array): string {
  return Decoder === undefined ? toAsciiText(bytes) : new Decoder().decode(bytes);
}
