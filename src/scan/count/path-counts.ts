/**
 * Requests by crawler and path, exact until memory ends. Then counts of some crawlers become estimates with a known bound, by the
 * idea of Space-Saving (Metwally, Agrawal and El Abbadi, 2005): the least requested paths are dropped, many at a time.
 *
 * A log has few paths and few crawlers, but hundreds of thousands of pairs. So each path is stored once and has a number, and
 * each crawler has a hash table of numbers: maps by text take 1.4 times as long for a whole scan.
 */

/** A requested path. */
export interface Path {
  readonly text: string;
  /** Its place in `Paths.all`; -1 if it is not there, or no more. */
  number: number;
  /** What robots-counts.ts decided about it. */
  decisions: number;
}

/** The paths of all crawlers. */
export interface Paths {
  all: Path[];
  byText: Map<string, Path>;
  /** The memory of the paths and of all crawlers' tables, in bytes. */
  bytes: number;
}

/**
 * The requests of one crawler by path, in a hash table with linear probing: the slot `i` has the path's number plus one in
 * `slots[2 * i]`, 0 if it is free, and the requests in `slots[2 * i + 1]`.
 */
export interface PathCounts {
  slots: number[];
  size: number;
  /** The most requests that a missing path can have, by which the counts may be too high; 0 while all counts are exact. */
  floor: number;
}

/** A path and its requests. */
export interface RequestedPath {
  readonly path: string;
  readonly requests: number;
}

/** A crawler whose paths are counted. */
interface Counted {
  readonly requests: number;
  readonly paths: PathCounts;
}

/** The memory of the paths of all threads, in bytes. */
export const maxPathBytes = 64 * 1024 * 1024;

/** A longer path is counted by its first characters. */
export const maxPathLength = 200;

/** Is counted apart. */
export const robotsTxtPath = "/robots.txt";

/** The crawlers with most requests keep exact counts longest. */
const exactCrawlers = 100;
/** At most so many paths stay when the counts of a crawler beyond these become estimates. */
const mostKept = 50;
/** So many times the floor is the least count that is wrong by a tenth of the true one at most. */
const leastFloors = 11;
/** What a path takes besides its characters: the object, its places in the array and in the map. */
const pathBytes = 120;
const bytesPerNumber = 8;
/** A path of 200 characters, and its slots in a table. */
const mostPairBytes = 400;

export function createPaths(): Paths {
  return { all: [], byText: new Map(), bytes: 0 };
}

export function createPathCounts(): PathCounts {
  return { slots: emptySlots(16), size: 0, floor: 0 };
}

/** A plain array: creating a typed one takes ten times as long, and most tables are small. */
function emptySlots(length: number): number[] {
  return new Array<number>(length).fill(0);
}

/** The path of a text; the same text is the same object as long as a count needs it. */
export function pathOfText({ byText }: Paths, text: string): Path {
  return byText.get(text) ?? { text, number: -1, decisions: 0 };
}

/** Counts requests of a path. */
export function addPath(paths: Paths, counts: PathCounts, path: Path, requests: number): void {
  const { number } = path.number === -1 ? enter(paths, path) : path;
  const { slots } = counts;
  const at = findSlot(slots, number);
  if (slots[at] !== 0) {
    slots[at + 1]! += requests;
    return;
  }
  slots[at] = number + 1;
  slots[at + 1] = counts.floor + requests;
  counts.size++;
  if (counts.size * 8 <= slots.length * 3) return;
  paths.bytes += bytesPerNumber * slots.length;
  setPairs(counts, slots, 2 * slots.length);
}

/** The path as it is counted, which may be another object of the same text. */
function enter(paths: Paths, path: Path): Path {
  const known = paths.byText.get(path.text);
  if (known !== undefined) return known;
  path.number = paths.all.length;
  paths.all.push(path);
  paths.byText.set(path.text, path);
  paths.bytes += pathBytes + path.text.length;
  return path;
}

/** Where the slot of a path is, or a free slot for the path. Fibonacci hashing: the constant is 2^32 divided by the golden ratio. */
function findSlot(slots: readonly number[], number: number): number {
  const mask = slots.length - 1;
  let at = (Math.imul(number + 1, 0x9e3779b1) >>> 6) & mask & -2;
  while (slots[at] !== 0 && slots[at] !== number + 1) at = (at + 2) & mask;
  return at;
}

/** Puts pairs, which are written as slots, into a new table. */
function setPairs(counts: PathCounts, pairs: readonly number[], length: number): void {
  const slots = emptySlots(length);
  counts.size = 0;
  for (let from = 0; from < pairs.length; from += 2) {
    if (pairs[from] === 0) continue;
    const at = findSlot(slots, pairs[from]! - 1);
    slots[at] = pairs[from]!;
    slots[at + 1] = pairs[from + 1]!;
    counts.size++;
  }
  counts.slots = slots;
}

/** The paths' numbers and their requests. */
function pairsOf({ slots }: PathCounts): (readonly [number: number, requests: number])[] {
  const pairs: [number, number][] = [];
  for (let at = 0; at < slots.length; at += 2) if (slots[at] !== 0) pairs.push([slots[at]! - 1, slots[at + 1]!]);
  return pairs;
}

/**
 * Drops paths until at most three quarters of `mostBytes` are taken: first of all crawlers but the ones with most requests, then of
 * the crawlers with most paths.
 */
export function shortenPaths(paths: Paths, crawlers: Iterable<Counted>, mostBytes: number): void {
  const ranked = [...crawlers].sort((one, other) => other.requests - one.requests);
  // So few that all crawlers fit, however long their paths are.
  const kept = Math.max(1, Math.min(mostKept, Math.trunc(mostBytes / (4 * ranked.length * mostPairBytes))));
  for (const { paths: counts } of ranked.slice(exactCrawlers)) drop(counts, kept);
  removeUncounted(paths, ranked);
  // Removing paths takes as long as reading all tables, so it is done once for all crawlers.
  const uses = usesOf(paths, ranked);
  while (paths.bytes > 0.75 * mostBytes) {
    const largest = ranked.reduce((most, one) => (one.paths.size > most.paths.size ? one : most)).paths;
    if (largest.size <= kept) break;
    paths.bytes -= bytesPerNumber * largest.slots.length;
    for (const number of drop(largest, Math.max(kept, largest.size >> 1)))
      if (--uses[number]! === 0) paths.bytes -= pathBytes + paths.all[number]!.text.length;
    paths.bytes += bytesPerNumber * largest.slots.length;
  }
  removeUncounted(paths, ranked);
}

/** How many crawlers count each path. */
function usesOf({ all }: Paths, crawlers: readonly Counted[]): Uint32Array {
  const uses = new Uint32Array(all.length);
  for (const { paths: counts } of crawlers) for (const [number] of pairsOf(counts)) uses[number]!++;
  return uses;
}

/** Drops the least requested paths of a crawler, so that `kept` are left; returns the numbers of the dropped ones. */
function drop(counts: PathCounts, kept: number): readonly number[] {
  if (counts.size <= kept) return [];
  const sorted = pairsOf(counts).sort(([, one], [, other]) => other - one);
  counts.floor = sorted[kept]![1];
  const pairs = sorted.slice(0, kept).flatMap(([number, requests]) => [number + 1, requests]);
  let length = createPathCounts().slots.length;
  while (kept * 8 > length * 3) length *= 2;
  setPairs(counts, pairs, length);
  return sorted.slice(kept).map(([number]) => number);
}

/** Removes the paths that no crawler counts, and numbers the others anew. */
function removeUncounted(paths: Paths, crawlers: readonly Counted[]): void {
  const old = paths.all;
  const uses = usesOf(paths, crawlers);
  const fresh = createPaths();
  for (const path of old) {
    const stays = uses[path.number]! > 0;
    path.number = -1;
    if (stays) enter(fresh, path);
  }
  for (const { paths: counts } of crawlers) {
    const pairs = pairsOf(counts).flatMap(([number, requests]) => [old[number]!.number + 1, requests]);
    setPairs(counts, pairs, counts.slots.length);
    fresh.bytes += bytesPerNumber * counts.slots.length;
  }
  Object.assign(paths, fresh);
}

/** Adds what another thread has counted of a crawler, by its own paths. */
export function mergePaths(paths: Paths, counts: PathCounts, otherPaths: Paths, other: PathCounts): void {
  const theirs = pairsOf(other).map(([number, requests]) => [otherPaths.all[number]!.text, requests] as const);
  if (other.floor > 0) {
    // A path that is missing there may have been dropped with the floor's count.
    const isThere = new Set(theirs.map(([text]) => text));
    for (let at = 0; at < counts.slots.length; at += 2)
      if (counts.slots[at] !== 0 && !isThere.has(paths.all[counts.slots[at]! - 1]!.text))
        counts.slots[at + 1]! += other.floor;
  }
  for (const [text, requests] of theirs) addPath(paths, counts, pathOfText(paths, text), requests);
  counts.floor += other.floor;
}

/**
 * The most requested paths of a crawler, then in the order of their characters. Paths with fewer requests than eleven times the floor
 * are left out: their counts may be wrong by more than a tenth of the true ones. `counts` leaves out /robots.txt.
 */
export function topPaths({ all }: Paths, counts: PathCounts, robotsTxt: number, limit: number): RequestedPath[] {
  const top = createTop(limit);
  if (robotsTxt > 0) top.add(robotsTxtPath, robotsTxt);
  const { slots, floor } = counts;
  for (let at = 0; at < slots.length; at += 2)
    if (slots[at] !== 0 && slots[at + 1]! >= leastFloors * floor) top.add(all[slots[at]! - 1]!.text, slots[at + 1]!);
  return top.paths;
}

/** A path, and the crawler that requested it most. */
export interface SummedPath extends RequestedPath {
  readonly most: number;
}

/** The most requested paths of all crawlers, as `topPaths`; `most` is the index of a crawler. */
export function topPathsOfAll(
  { all }: Paths,
  crawlers: readonly { readonly paths: PathCounts; readonly robotsTxt: number }[],
  limit: number,
): SummedPath[] {
  // The last one is /robots.txt.
  const requests = new Array<number>(all.length + 1).fill(0);
  const highest = new Array<number>(all.length + 1).fill(0);
  const most = new Array<number>(all.length + 1).fill(0);
  const add = (crawler: number, path: number, count: number): void => {
    requests[path]! += count;
    if (count <= highest[path]!) return;
    highest[path] = count;
    most[path] = crawler;
  };
  let floor = 0;
  for (const [crawler, { paths, robotsTxt }] of crawlers.entries()) {
    const { slots } = paths;
    floor += paths.floor;
    for (let at = 0; at < slots.length; at += 2) if (slots[at] !== 0) add(crawler, slots[at]! - 1, slots[at + 1]!);
    add(crawler, all.length, robotsTxt);
  }
  const top = createTop(limit);
  const numbers = new Map<string, number>();
  for (const [number, count] of requests.entries()) {
    const text = all[number]?.text ?? robotsTxtPath;
    if (count === 0 || (count < leastFloors * floor && number < all.length)) continue;
    if (top.add(text, count)) numbers.set(text, number);
  }
  return top.paths.map(({ path, requests }) => ({ path, requests, most: most[numbers.get(path)!]! }));
}

/** The paths with most requests. */
function createTop(limit: number): { readonly paths: RequestedPath[]; add(path: string, requests: number): boolean } {
  const paths: RequestedPath[] = [];
  const isBefore = (path: string, requests: number, other: RequestedPath): boolean =>
    requests > other.requests || (requests === other.requests && path < other.path);
  return {
    paths,
    add(path, requests) {
      const last = paths.length === limit ? paths.at(-1) : undefined;
      if (last !== undefined && !isBefore(path, requests, last)) return false;
      const at = paths.findIndex((other) => isBefore(path, requests, other));
      paths.splice(at === -1 ? paths.length : at, 0, { path, requests });
      if (paths.length > limit) paths.pop();
      return true;
    },
  };
}
