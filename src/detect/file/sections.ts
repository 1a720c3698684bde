/**
 * A file of named values: JSON, and the bytes within it as they are. Values are read when they are first used. It needs no
 * interface of a runtime: its text is ASCII.
 *
 * The file is: `WCC` and the format's digit; the length of the header (4 bytes, little-endian); the header, JSON with the place
 * of each value; the values; the CRC-32 of everything before (4 bytes, little-endian).
 */
import { crc32 } from "../automaton/crc.ts";

/** Thrown for bytes that are not a compiled catalogue, or not in this version's format. */
export class CatalogueFileError extends Error {
  override readonly name = "CatalogueFileError";
}

const kind = "WCC";
/** A program reads its own format only. */
const format = "2";
const prefixBytes = 8;
const sumBytes = 4;

/** The range of a value after the header. */
type Place = readonly [from: number, to: number];

/** Replaces bytes in JSON; they are a value of their own. */
const bytesKey = "$bytes";

/** Writes values; bytes may stand anywhere in them. Getters are called. */
export function writeSections(values: Readonly<Record<string, unknown>>): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  const place = (bytes: Uint8Array): Place => {
    parts.push(bytes);
    length += bytes.length;
    return [length - bytes.length, length];
  };
  // Not the second argument: Node's Buffer has been an array of numbers by then.
  function toJson(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
    const given = this[key];
    return given instanceof Uint8Array ? { [bytesKey]: place(given) } : value;
  }
  const places = Object.entries(values).map(([name, value]) => [name, place(toAscii(JSON.stringify(value, toJson)))]);
  const header = toAscii(JSON.stringify(Object.fromEntries(places)));
  const bytes = new Uint8Array(prefixBytes + header.length + length + sumBytes);
  bytes.set(toAscii(kind + format));
  writeNumber(bytes, kind.length + format.length, header.length);
  let at = prefixBytes;
  for (const part of [header, ...parts]) {
    bytes.set(part, at);
    at += part.length;
  }
  writeNumber(bytes, at, crc32(bytes.subarray(0, at)));
  return bytes;
}

/**
 * The values of a file, each parsed when it is first read; throws CatalogueFileError for other bytes, and when a value is read that
 * `isSound` rejects.
 */
export function readSections(
  given: Uint8Array,
  isSound: (name: string, value: unknown) => boolean = () => true,
): Readonly<Record<string, unknown>> {
  // Not Node's Buffer, whose parts would be Buffers, too: JSON writes Buffers as lists.
  const bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  const [start, digit] = [toText(bytes.subarray(0, kind.length)), toText(bytes.subarray(kind.length, kind.length + 1))];
  if (start !== kind) throw new CatalogueFileError("This is not a compiled catalogue: it does not begin with WCC.");
  if (digit !== format)
    throw new CatalogueFileError(
      `This compiled catalogue has the format ${JSON.stringify(digit)}; this version of whocrawls reads ${format}. Compile it again.`,
    );
  const end = bytes.length - sumBytes;
  // The checksum proves that the bytes are unchanged, so no check is needed below.
  if (end < prefixBytes || crc32(bytes.subarray(0, end)) !== readNumber(bytes, end))
    throw new CatalogueFileError("The compiled catalogue is damaged or incomplete: its checksum is wrong.");
  const from = prefixBytes + readNumber(bytes, kind.length + format.length);
  const slice = ([begin, past]: Place): Uint8Array => bytes.subarray(from + begin, from + past);
  const size = end - from;
  const values: Record<string, unknown> = {};
  for (const [name, place] of Object.entries(readPlaces(bytes.subarray(prefixBytes, from), size))) {
    const malformed = () => new CatalogueFileError(`The compiled catalogue is malformed: ${name}.`);
    const revive = (_: string, value: unknown): unknown => {
      if (!isBytes(value)) return value;
      if (!isPlace(value[bytesKey], size)) throw malformed();
      return slice(value[bytesKey]);
    };
    let value: unknown;
    let isParsed = false;
    Object.defineProperty(values, name, {
      enumerable: true,
      configurable: true,
      get() {
        if (isParsed) return value;
        try {
          value = parse(toText(slice(place)), revive);
        } catch {
          throw malformed();
        }
        if (!isSound(name, value)) throw malformed();
        isParsed = true;
        return value;
      },
    });
  }
  return values;
}

/** The header; throws CatalogueFileError for one that another program wrote. */
function readPlaces(header: Uint8Array, length: number): Readonly<Record<string, Place>> {
  let places: Record<string, Place> | undefined;
  try {
    places = JSON.parse(toText(header)) as Record<string, Place>;
  } catch {
    // It has no places.
  }
  if (!places || !Object.values(places).every((place) => isPlace(place, length)))
    throw new CatalogueFileError("The compiled catalogue is damaged: its header is wrong.");
  return places;
}

function isPlace(value: unknown, length: number): value is Place {
  if (!Array.isArray(value)) return false;
  const [begin, past] = value as unknown[];
  return (
    Number.isInteger(begin) &&
    Number.isInteger(past) &&
    0 <= Number(begin) &&
    Number(begin) <= Number(past) &&
    Number(past) <= length
  );
}

/** Reviving takes several times as long as parsing, and few values have bytes. */
function parse(json: string, revive: (key: string, value: unknown) => unknown): unknown {
  return json.includes(bytesKey) ? JSON.parse(json, revive) : JSON.parse(json);
}

function isBytes(value: unknown): value is { readonly [bytesKey]: unknown } {
  return typeof value === "object" && value !== null && bytesKey in value;
}

function toAscii(text: string): Uint8Array {
  const ascii = text.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const bytes = new Uint8Array(ascii.length);
  for (let i = 0; i < ascii.length; i++) bytes[i] = ascii.charCodeAt(i);
  return bytes;
}

/** How many characters are made at a time: each is an argument of a call. */
const chunkBytes = 8192;

/** Runtimes have a decoder, which takes a tenth of the time; the language has none. */
const { TextDecoder: Decoder } = globalThis as { TextDecoder?: new () => { decode(bytes: Uint8Array): string } };

function toText(bytes: Uint8Array): string {
  if (Decoder !== undefined) return new Decoder().decode(bytes);
  let text = "";
  for (let at = 0; at < bytes.length; at += chunkBytes)
    text += String.fromCharCode(...bytes.subarray(at, at + chunkBytes));
  return text;
}

function writeNumber(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = (value >>> (8 * i)) & 0xff;
}

function readNumber(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = 3; i >= 0; i--) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}
