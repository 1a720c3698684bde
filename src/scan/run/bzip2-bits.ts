/** The bits of a stream of bytes, for bzip2.ts: reads more bytes when those there are do not suffice. */

/** Bits of what has been read so far, from `at`, which counts bits. */
export interface Bits {
  bytes: Uint8Array;
  length: number;
  at: number;
}

/** Thrown if a block goes on beyond what has been read. */
class MoreNeeded extends Error {}

export interface Input {
  /** Reads until there are this many bytes; false if there are fewer. */
  has(bytes: number): Promise<boolean>;
  /** Calls `read`, again with more bytes as long as there are too few for it. */
  retry<Value>(read: (bits: Bits) => Value): Promise<Value>;
}

export function createInput(source: AsyncIterable<Uint8Array>): Input {
  const chunks = source[Symbol.asyncIterator]();
  const bits: Bits = { bytes: new Uint8Array(131_072), length: 0, at: 0 };

  async function readMore(): Promise<boolean> {
    const next = await chunks.next();
    if (next.done === true) return false;
    const done = bits.at >>> 3;
    const needed = bits.length - done + next.value.length;
    const bytes = needed > bits.bytes.length ? new Uint8Array(2 * needed) : bits.bytes;
    bytes.set(bits.bytes.subarray(done, bits.length));
    bytes.set(next.value, bits.length - done);
    Object.assign(bits, { bytes, length: needed, at: bits.at & 7 });
    return true;
  }

  async function has(bytes: number): Promise<boolean> {
    while (bits.length - (bits.at >>> 3) < bytes) if (!(await readMore())) return false;
    return true;
  }

  return {
    has,
    async retry(read) {
      for (;;) {
        const start = bits.at;
        try {
          return read(bits);
        } catch (error) {
          if (!(error instanceof MoreNeeded)) throw error;
        }
        bits.at = start;
        if (!(await readMore())) throw new Error("unexpected end of the data");
      }
    },
  };
}

/** The next `count` bits as a number; at most 24. */
export function take(bits: Bits, count: number): number {
  const { bytes, at } = bits;
  if (at + count > bits.length * 8) throw new MoreNeeded();
  const from = at >>> 3;
  const window = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!;
  bits.at = at + count;
  return count === 0 ? 0 : (window << (at & 7)) >>> (32 - count);
}

export function take32(bits: Bits): number {
  return (take(bits, 16) << 16) | take(bits, 16);
}
