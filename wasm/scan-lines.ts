/**
 * Reads the lines of a log in WebAssembly, sixteen bytes at a time: AssemblyScript, which test/scan/compile-scan-lines.ts
 * compiles. Does what src/scan/lines/template.ts and src/cache/byte-cache.ts do; src/scan/count/fast-lines.ts calls it and lays
 * out the memory.
 */

/** The last line read: where each field begins, where each ends. */
const FROM: usize = 1024;
const TO: usize = 1088;
/** The format: the text a line begins with, then one step for each variable. */
const PREFIX: usize = 1152;
const STEPS: usize = 1280;
const STEP_BYTES: usize = 32;
/** The first sixteen bytes of a time, and the last sixteen, of which the ninth and the tenth are the seconds. */
const TIME: usize = 3584;
const SECONDS: i32 = 0x300;
/** Two caches of strings; in each slot a hash, a length and the bytes. */
const SLOTS: usize = 8192;
const WAYS: usize = 4;
const SLOT_HEAD: usize = 16;
const AGENTS: usize = 4096;
const AGENT_BYTES: usize = SLOT_HEAD + 256;
const PATHS: usize = AGENTS + SLOTS * AGENT_BYTES;
const PATH_BYTES: usize = SLOT_HEAD + 128;
const BLOCK: usize = PATHS + SLOTS * PATH_BYTES;

/** Odd numbers without a pattern. */
const K1: u64 = ((<u64>0x9e3779b9) << 32) | 0x7f4a7c15;
const K2: u64 = ((<u64>0xc2b2ae3d) << 32) | 0x27d4eb4f;
const BACKSLASH: u8 = 0x5c;
const LINE_END: u8 = 0x0a;

let prefixLength: usize = 0;
let stepCount: i32 = 0;
let agentTurn: usize = 0;
let pathTurn: usize = 0;

export function lineAddress(): usize {
  return FROM;
}

export function formatAddress(): usize {
  return PREFIX;
}

export function blockAddress(): usize {
  return BLOCK;
}

/** Begins with a format, which has been written to formatAddress(), and with empty caches. */
export function useFormat(prefix: usize, steps: i32): void {
  prefixLength = prefix;
  stepCount = steps;
  agentTurn = 0;
  pathTurn = 0;
  memory.fill(TIME, 0, BLOCK - TIME);
}

/** Where the line at `from` of the block ends; `limit` if it has no end before. */
export function findLineEnd(from: usize, limit: usize): usize {
  return findByte(BLOCK + from, BLOCK + limit, LINE_END) - BLOCK;
}

/** Reads the fields of a line of the block. Returns false for unusual lines, which template.ts reads. */
export function readLine(from: usize, to: usize): bool {
  const limit = BLOCK + to;
  let at = BLOCK + from;
  if (at + prefixLength > limit || !isSame(at, PREFIX, prefixLength)) return false;
  at += prefixLength;
  let step = STEPS;
  for (let i = stepCount - 1; i >= 0; i--, step += STEP_BYTES) {
    const length = load<u32>(step, 8);
    const end = i === 0 ? limit - length : findDelimiter(at, limit, step, length);
    if (end < at || end > limit || (i === 0 && !isSame(end, step + 12, length))) return false;
    const field = load<i32>(step);
    if (field >= 0) {
      store<i32>(FROM + ((<usize>field) << 2), at - BLOCK);
      store<i32>(TO + ((<usize>field) << 2), end - BLOCK);
    }
    at = end + length;
  }
  return true;
}

/**
 * The second of a time such as `02/Mar/2026:10:00:59 +0000`, if everything else in it equals the last time that was read in full.
 * Otherwise -1.
 */
export function secondOfLastMinute(from: usize): i32 {
  const at = BLOCK + from;
  const tens = <u32>load<u8>(at, 18) - 0x30;
  const ones = <u32>load<u8>(at, 19) - 0x30;
  if (tens > 5 || ones > 9) {
    memory.fill(TIME, 0, 32);
    return -1;
  }
  const head = v128.load(at);
  const tail = v128.load(at, 10);
  const isSame =
    i8x16.all_true(i8x16.eq(head, v128.load(TIME))) &&
    (i8x16.bitmask(i8x16.eq(tail, v128.load(TIME, 16))) | SECONDS) === 0xffff;
  if (isSame) return tens * 10 + ones;
  v128.store(TIME, head);
  v128.store(TIME, tail, 16);
  return -1;
}

/** The slot of a user agent of the block, or -1 less that slot if it is new there. */
export function findAgent(from: usize, to: usize): i32 {
  const at = BLOCK + from;
  const length = to - from;
  const slot = findSlot(AGENTS, AGENT_BYTES, agentTurn, fastHashOf(at, length), at, length);
  if (slot < 0) agentTurn = (agentTurn + 1) % WAYS;
  return slot;
}

/** As findAgent, of a path. */
export function findPath(from: usize, to: usize): i32 {
  const at = BLOCK + from;
  const length = to - from;
  const slot = findSlot(PATHS, PATH_BYTES, pathTurn, hashOf(at, length), at, length);
  if (slot < 0) pathTurn = (pathTurn + 1) % WAYS;
  return slot;
}

function findSlot(cache: usize, slotBytes: usize, turn: usize, hash: i32, at: usize, length: usize): i32 {
  const set = <usize>hash & (SLOTS - WAYS);
  let place = cache + set * slotBytes;
  // One more than the length: 0 is for a free slot.
  for (let slot = set; slot < set + WAYS; slot++, place += slotBytes) {
    if (load<i32>(place) !== hash || load<i32>(place, 4) !== <i32>length + 1) continue;
    if (isSame(at, place + SLOT_HEAD, length)) return <i32>slot;
  }
  const slot = set + ((turn + 1) % WAYS);
  place = cache + slot * slotBytes;
  store<i32>(place, hash);
  store<i32>(place, <i32>length + 1, 4);
  memory.copy(place + SLOT_HEAD, at, length);
  return -1 - <i32>slot;
}

/** The hash of byte-cache.ts: what a report estimates depends on which paths are forgotten. */
function hashOf(at: usize, length: usize): i32 {
  const to = at + length;
  let hash = <i32>length;
  for (; at + 4 <= to; at += 4) {
    hash = (hash ^ bswap(load<i32>(at))) * <i32>0x9e3779b1;
    hash ^= hash >>> 15;
  }
  for (; at < to; at++) hash = (hash ^ load<u8>(at)) * 0x01000193;
  return hash ^ (hash >>> 16);
}

/** Sixteen bytes at a time, in two sums, neither of which waits for the other. Reads bytes behind the text, and ignores them. */
function fastHashOf(at: usize, length: usize): i32 {
  const to = at + length;
  let first = <u64>length * K1;
  let second = K2;
  for (; at + 16 <= to; at += 16) {
    first = (first ^ load<u64>(at)) * K1;
    second = (second ^ load<u64>(at, 8)) * K2;
    first ^= first >> 32;
    second ^= second >> 32;
  }
  if (at + 8 <= to) {
    first = (first ^ load<u64>(at)) * K1;
    first ^= first >> 32;
    at += 8;
  }
  if (at < to) second = (second ^ (load<u64>(at) << ((8 - <u64>(to - at)) * 8))) * K2;
  return <i32>(((first ^ (second >> 29) ^ (second << 31)) * K1) >> 32);
}

/** Reads up to 15 bytes behind both texts, which belong to the memory and change nothing. */
function isSame(left: usize, right: usize, length: usize): bool {
  let i: usize = 0;
  for (; i + 16 <= length; i += 16) {
    if (!i8x16.all_true(i8x16.eq(v128.load(left + i), v128.load(right + i)))) return false;
  }
  const rest = (1 << (<i32>(length - i))) - 1;
  return (i8x16.bitmask(i8x16.eq(v128.load(left + i), v128.load(right + i))) & rest) === rest;
}

function findByte(at: usize, limit: usize, byte: u8): usize {
  const wanted = i8x16.splat(byte);
  for (; at < limit; at += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (found !== 0) return min(at + ctz(found), limit);
  }
  return limit;
}

/** As findByte, but a backslash hides the byte behind it. */
function findUnescaped(at: usize, limit: usize, byte: u8): usize {
  const wanted = i8x16.splat(byte);
  const backslash = i8x16.splat(BACKSLASH);
  while (at < limit) {
    const bytes = v128.load(at);
    const found = i8x16.bitmask(v128.or(i8x16.eq(bytes, wanted), i8x16.eq(bytes, backslash)));
    if (found === 0) at += 16;
    else {
      at += ctz(found);
      if (load<u8>(at) === byte) return min(at, limit);
      at += 2;
    }
  }
  return limit;
}

/** Where the delimiter of a step begins; beyond `limit` if it does not come before. */
function findDelimiter(at: usize, limit: usize, step: usize, length: usize): usize {
  const byte = load<u8>(step, 12);
  const isQuoted = load<i32>(step, 4) !== 0;
  while (at + length <= limit) {
    at = isQuoted ? findUnescaped(at, limit, byte) : findByte(at, limit, byte);
    if (at + length <= limit && (length === 1 || isSame(at, step + 12, length))) return at;
    at++;
  }
  return limit + 1;
}
