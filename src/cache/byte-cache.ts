/** Caches results for byte strings in a fixed amount of memory: logs repeat the same few thousand values. */

/** Makes a value from `bytes[from … to)`. */
export type MakeOfBytes<T> = (bytes: Uint8Array, from: number, to: number) => T;

/** Associativity: in how many slots the same bytes may be. With only one, two frequent strings could keep evicting each other. */
const ways = 4;

/**
 * Like `make`, but caches the results; new results replace old ones. Results for more than `width` bytes are
 * not cached. `slots` is a power of two.
 */
export function createByteCache<T>(make: MakeOfBytes<T>, slots: number, width: number): MakeOfBytes<T> {
  const stored = new Uint8Array(slots * width);
  const storedView = new DataView(stored.buffer);
  const hashes = new Int32Array(slots);
  const lengths = new Int32Array(slots).fill(-1);
  const values: T[] = new Array<T>(slots);
  let source: Uint8Array = stored;
  let view: DataView = storedView;
  let turn = 0;
  return (bytes, from, to) => {
    const length = to - from;
    if (length > width) return make(bytes, from, to);
    if (bytes !== source) {
      source = bytes;
      view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    const hash = hashOf(view, from, to);
    const set = hash & (slots - ways);
    for (let slot = set; slot < set + ways; slot++) {
      if (hashes[slot] !== hash || lengths[slot] !== length) continue;
      if (isSame(view, from, storedView, slot * width, length)) return values[slot]!;
    }
    const value = make(bytes, from, to);
    turn = (turn + 1) % ways;
    const slot = set + turn;
    for (let i = 0; i < length; i++) stored[slot * width + i] = bytes[from + i]!;
    hashes[slot] = hash;
    lengths[slot] = length;
    values[slot] = value;
    return value;
  };
}

/** Hashes, and compares, four bytes at a time: single bytes would take most of the time spent on a line. */
function hashOf(view: DataView, from: number, to: number): number {
  let hash = to - from;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    hash = Math.imul(hash ^ view.getInt32(at, true), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < to; at++) hash = Math.imul(hash ^ view.getUint8(at), 0x01000193);
  return hash ^ (hash >>> 16);
}

function isSame(left: DataView, from: number, right: DataView, start: number, length: number): boolean {
  let i = 0;
  for (; i + 4 <= length; i += 4) if (left.getInt32(from + i, true) !== right.getInt32(start + i, true)) return false;
  for (; i < length; i++) if (left.getUint8(from + i) !== right.getUint8(start + i)) return false;
  return true;
}
