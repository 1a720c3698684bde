/**
 * Decompresses bzip2 in bounded memory: one block at a time, and its text in pieces while the reader takes them. A block of a few
 * bytes can stand for 46 MB.
 */
import { type Bits, createInput, take, take32 } from "./bzip2-bits.ts";

/** Decompresses one or several streams of bzip2, one after the other. Throws an Error if the data are damaged or end too early. */
export async function* decompressBzip2(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = createInput(source);
  while (await input.has(1)) {
    const level = await input.retry(readHeader);
    const text = new Uint32Array(level * blockUnit);
    let sum = 0;
    for (;;) {
      // Larger blocks are rare: most are read in one go.
      await input.has(text.length);
      const block = await input.retry((bits) => readBlock(bits, text));
      if (block.isEnd) {
        if (block.sum !== sum) throw new Error("the checksum is wrong");
        break;
      }
      yield* expand(text, block);
      sum = ((sum << 1) | (sum >>> 31)) ^ block.sum;
    }
  }
}

const blockUnit = 100_000;
const pieceBytes = 65_536;
const groupSymbols = 50;
const maxCodeBits = 20;

/** Reads `BZh` and the size of blocks, from 1 to 9. */
function readHeader(bits: Bits): number {
  const isHeader = take(bits, 24) === 0x425a68;
  const level = take(bits, 8) - 0x30;
  if (!isHeader || level < 1 || level > 9) throw new Error("part of it is not bzip2");
  return level;
}

interface Block {
  /** Whether it is the end of a stream; `sum` is then of all its blocks. */
  readonly isEnd: boolean;
  readonly sum: number;
  readonly length: number;
  /** Where the text begins. */
  readonly start: number;
}

/** Reads a block: afterwards `text` has in its low bytes the block's, in the higher ones which comes after which. */
function readBlock(bits: Bits, text: Uint32Array): Block {
  const mark = [take(bits, 24), take(bits, 24)];
  const sum = take32(bits);
  if (mark[0] === 0x177245 && mark[1] === 0x385090) {
    bits.at = (bits.at + 7) & ~7;
    return { isEnd: true, sum, length: 0, start: 0 };
  }
  if (mark[0] !== 0x314159 || mark[1] !== 0x265359 || take(bits, 1) === 1) throw new Error("a block is damaged");
  const start = take(bits, 24);
  const symbols = readSymbols(bits);
  const tables = take(bits, 3);
  const selectors = readSelectors(bits, tables);
  const codes = Array.from({ length: tables }, () => readCode(bits, symbols.length + 2));
  const length = readText(bits, text, symbols, selectors, codes);
  if (start >= length) throw new Error("a block is damaged");
  linkText(text, length);
  return { isEnd: false, sum, length, start };
}

/** The bytes that occur in the block. */
function readSymbols(bits: Bits): number[] {
  const used = take(bits, 16);
  const symbols: number[] = [];
  for (let high = 0; high < 16; high++) {
    if (((used >>> (15 - high)) & 1) === 0) continue;
    const low = take(bits, 16);
    for (let i = 0; i < 16; i++) if (((low >>> (15 - i)) & 1) === 1) symbols.push(high * 16 + i);
  }
  if (symbols.length === 0) throw new Error("a block is damaged");
  return symbols;
}

/** Which code each group of symbols is written in. */
function readSelectors(bits: Bits, tables: number): Uint8Array {
  const selectors = new Uint8Array(take(bits, 15));
  if (tables < 2 || tables > 6 || selectors.length === 0) throw new Error("a block is damaged");
  const recent = Array.from({ length: tables }, (_, index) => index);
  for (let i = 0; i < selectors.length; i++) {
    let rank = 0;
    while (take(bits, 1) === 1) if (++rank >= tables) throw new Error("a block is damaged");
    selectors[i] = toFront(recent, rank);
  }
  return selectors;
}

function toFront(recent: number[], rank: number): number {
  const value = recent[rank]!;
  for (let i = rank; i > 0; i--) recent[i] = recent[i - 1]!;
  recent[0] = value;
  return value;
}

/** A Huffman code, canonical: the codes of a length are consecutive, and `limits` says which is the last. */
interface Code {
  readonly shortest: number;
  readonly limits: Int32Array;
  readonly offsets: Int32Array;
  readonly symbols: Uint16Array;
}

function readCode(bits: Bits, count: number): Code {
  const lengths = new Uint8Array(count);
  let length = take(bits, 5);
  for (let i = 0; i < count; i++) {
    while (take(bits, 1) === 1) length += take(bits, 1) === 0 ? 1 : -1;
    if (length < 1 || length > maxCodeBits) throw new Error("a code is damaged");
    lengths[i] = length;
  }
  const limits = new Int32Array(maxCodeBits + 1).fill(-1);
  const offsets = new Int32Array(maxCodeBits + 1);
  const symbols = new Uint16Array(count);
  let placed = 0;
  let next = 0;
  for (let bitsLong = 1; bitsLong <= maxCodeBits; bitsLong++) {
    offsets[bitsLong] = placed - next;
    for (let i = 0; i < count; i++) {
      if (lengths[i] !== bitsLong) continue;
      symbols[placed++] = i;
      next++;
    }
    limits[bitsLong] = next - 1;
    next *= 2;
  }
  return { shortest: Math.min(...lengths), limits, offsets, symbols };
}

function readSymbol(bits: Bits, { shortest, limits, offsets, symbols }: Code): number {
  let length = shortest;
  let code = take(bits, length);
  while (code > limits[length]!) {
    if (++length > maxCodeBits) throw new Error("a code is damaged");
    code = (code << 1) | take(bits, 1);
  }
  return symbols[code + offsets[length]!] ?? -1;
}

/** Undoes the Huffman codes, the runs, and the move to front; returns how long the block is. */
function readText(
  bits: Bits,
  text: Uint32Array,
  recent: number[],
  selectors: Uint8Array,
  codes: readonly Code[],
): number {
  const end = recent.length + 1;
  let length = 0;
  let run = 0;
  let unit = 1;
  for (const selector of selectors) {
    const code = codes[selector]!;
    for (let i = 0; i < groupSymbols; i++) {
      const symbol = readSymbol(bits, code);
      if (symbol === 0 || symbol === 1) {
        // The length of a run in a binary system of the digits 1 and 2.
        run += unit << symbol;
        unit *= 2;
        if (run > text.length) throw new Error("a block is damaged");
        continue;
      }
      if (length + run >= text.length + (symbol === end ? 1 : 0)) throw new Error("a block is damaged");
      text.fill(recent[0]!, length, length + run);
      length += run;
      run = 0;
      unit = 1;
      if (symbol === end) return length;
      text[length++] = toFront(recent, symbol - 1);
    }
  }
  throw new Error("a block is damaged");
}

/** The inverse of the Burrows-Wheeler transform: puts above each byte where the one after it stands. */
function linkText(text: Uint32Array, length: number): void {
  const places = new Uint32Array(257);
  for (let i = 0; i < length; i++) places[(text[i]! & 0xff) + 1]!++;
  for (let byte = 1; byte < 257; byte++) places[byte]! += places[byte - 1]!;
  for (let i = 0; i < length; i++) text[places[text[i]! & 0xff]!++]! |= i << 8;
}

const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let i = 0; i < 8; i++) sum = (sum << 1) ^ (sum < 0 ? 0x04c11db7 : 0);
  return sum;
});

/** The text of a block in pieces. Four equal bytes are followed by how many more there are. */
function* expand(text: Uint32Array, { length, start, sum }: Block): Generator<Uint8Array> {
  let piece = new Uint8Array(pieceBytes);
  let filled = 0;
  let actual = -1;
  let next = text[start]! >>> 8;
  let previous = -1;
  let equal = 0;
  for (let i = 0; i < length; i++) {
    const entry = text[next]!;
    const byte = entry & 0xff;
    next = entry >>> 8;
    const isCount = equal === 4;
    const value = isCount ? previous : byte;
    equal = isCount ? 0 : byte === previous ? equal + 1 : 1;
    previous = isCount ? -1 : byte;
    for (let copies = isCount ? byte : 1; copies > 0; copies--) {
      if (filled === pieceBytes) {
        yield piece;
        piece = new Uint8Array(pieceBytes);
        filled = 0;
      }
      piece[filled++] = value;
      actual = (actual << 8) ^ crcTable[(actual >>> 24) ^ value]!;
    }
  }
  if (~actual !== sum) throw new Error("the checksum is wrong");
  yield piece.subarray(0, filled);
}
