/** Reads logs as blocks of whole lines, from files or standard input, compressed or not. */
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { compressionOf, magicBytes, needsMoreBytes, removeByteOrderMark } from "../lines/first-bytes.ts";
import { decompress } from "./decompress.ts";

/** Whole lines, in `bytes[0 … length)`; only the last line of a log may lack its end. */
export interface Block {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly length: number;
  /** How far the file has been read, in bytes of the file. */
  readonly position: number;
  /** Lines that were left out because they are longer than a block. */
  readonly tooLong: number;
  /** Why the log cannot be read beyond this block. */
  readonly failure?: unknown;
}

/** Memory for blocks, used again when they have been scanned. */
export interface BlockMemory {
  take(): Uint8Array<ArrayBuffer>;
  give(bytes: Uint8Array<ArrayBuffer>): void;
}

/** A line may be as long as a block. */
export const blockBytes = 512 * 1024;

const lineEnd = 0x0a;

export function createBlockMemory(): BlockMemory {
  const free: Uint8Array<ArrayBuffer>[] = [];
  return {
    take: () => free.pop() ?? new Uint8Array(blockBytes),
    give: (bytes) => free.push(bytes),
  };
}

/** Fills memory from `offset` on; resolves with how many bytes it has read, 0 at the end. */
interface Source {
  read(target: Uint8Array, offset: number): Promise<number>;
  position(): number;
  close(): Promise<void>;
  /** Whether the available data should be scanned at once, because more may take long to arrive. */
  readonly isLive: boolean;
}

/** The blocks of the log at `path`, `-` for standard input. Each is the reader's, who gives it back to `memory`. */
export async function* readBlocks(path: string, memory: BlockMemory): AsyncGenerator<Block> {
  const source = path === "-" ? await openStream(process.stdin) : await openFile(path);
  let bytes = memory.take();
  let filled = 0;
  let tooLong = 0;
  let skipping = false;
  let isFirst = true;
  let failure: unknown;
  try {
    for (;;) {
      // A failure ends the log here: the data before it is scanned first.
      const read = await source.read(bytes, filled).catch((error: unknown) => {
        failure = error;
        return 0;
      });
      const isEnd = read === 0;
      filled += read;
      if (skipping) {
        // If a line is too long, only its end matters.
        const end = bytes.subarray(0, filled).indexOf(lineEnd);
        const kept = end === -1 ? filled : end + 1;
        bytes.copyWithin(0, kept, filled);
        filled -= kept;
        skipping = end === -1 && !isEnd;
      }
      const whole = isEnd ? filled : bytes.subarray(0, filled).lastIndexOf(lineEnd) + 1;
      if (whole === 0 && filled === bytes.length) {
        tooLong++;
        skipping = true;
        filled = 0;
      }
      if (whole > 0 && (isEnd || source.isLive || filled === bytes.length)) {
        const next = memory.take();
        next.set(bytes.subarray(whole, filled));
        const length = isFirst ? removeByteOrderMark(bytes, whole) : whole;
        isFirst = false;
        yield { bytes, length, position: source.position(), tooLong, failure };
        tooLong = 0;
        bytes = next;
        filled -= whole;
      }
      if (isEnd) break;
    }
    if (tooLong > 0) yield { bytes: memory.take(), length: 0, position: source.position(), tooLong };
    if (failure !== undefined) throw failure;
  } finally {
    await source.close();
  }
}

async function openFile(path: string): Promise<Source> {
  const file = await open(path);
  const magic = new Uint8Array(magicBytes);
  // Pipes, such as <(command), can be read neither from a position nor twice.
  const isRegular = (await file.stat()).isFile();
  if (!isRegular) return openStream(file.createReadStream({ highWaterMark: blockBytes }));
  const { bytesRead } = await file.read(magic, 0, magicBytes, 0);
  const compression = compressionOf(magic.subarray(0, bytesRead));
  if (compression === undefined) return fromFile(file);
  await file.close();
  const stream = createReadStream(path, { highWaterMark: 256 * 1024 });
  const chunks = decompress(stream, compression, () => createReadStream(path));
  return fromChunks(chunks, () => stream.bytesRead, false);
}

function fromFile(file: FileHandle): Source {
  let position = 0;
  return {
    isLive: false,
    position: () => position,
    async read(target, offset) {
      const { bytesRead } = await file.read(target, offset, target.length - offset, position);
      position += bytesRead;
      return bytesRead;
    },
    close: () => file.close(),
  };
}

/** Standard input may be compressed, too: its first bytes tell, which may be in several chunks. */
async function openStream(stream: NodeJS.ReadableStream): Promise<Source> {
  const { Readable } = await import("node:stream");
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let first = Buffer.alloc(0);
  while (needsMoreBytes(first)) {
    const next = await chunks.next();
    if (next.done === true) break;
    first = Buffer.concat([first, next.value]);
  }
  const all = (async function* () {
    if (first.length > 0) yield first;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  })();
  const compression = compressionOf(first);
  if (compression === undefined) return fromChunks(all, undefined, true);
  return fromChunks(decompress(Readable.from(all), compression), undefined, false);
}

/** `position` is absent if the bytes are counted as they come. */
function fromChunks(chunks: AsyncGenerator<Uint8Array>, position: (() => number) | undefined, isLive: boolean): Source {
  let chunk = new Uint8Array(0);
  let read = 0;
  return {
    isLive,
    position: position ?? (() => read),
    async read(target, offset) {
      while (chunk.length === 0) {
        const next = await chunks.next();
        if (next.done === true) return 0;
        chunk = next.value as Uint8Array<ArrayBuffer>;
      }
      const taken = Math.min(chunk.length, target.length - offset);
      target.set(chunk.subarray(0, taken), offset);
      chunk = chunk.subarray(taken);
      read += taken;
      return taken;
    },
    async close() {
      await chunks.return(undefined);
    },
  };
}
