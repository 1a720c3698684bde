/**
 * Requests by crawler and path, exact until memory is used up. Then the least requested paths of some crawlers are dropped, and their
 * counts become estimates.
 */
import { dropRare, type FrequentCounts, raiseMissing } from "./frequent-counts.ts";

/** A requested path. Each is stored once, because a log has few paths and few crawlers, but hundreds of thousands of pairs. */
export interface Path {
  readonly text: string;
  /** How many counts refer to it; at 0, it is not in `Paths`. */
  uses: number;
  /** Its index in a list of all paths while they are summed. */
  place: number;
  /** What robots-rules.ts decided about it. */
  decisions: number;
  /** The requests of all crawlers since it was added, and their bytes. */
  requests: number;
  bytes: number;
}

/** The paths of all crawlers. */
export interface Paths {
  readonly byText: Map<string, Path>;
  /** The memory of the paths and of all counts, in bytes. */
  memory: number;
}

/** The requests of one crawler by path. */
export type PathCounts = FrequentCounts<Path, number>;

/** The requests of one crawler by path; `clientErrors` and `serverErrors` are those that were answered with 4xx and with 5xx. */
export interface CrawlerPaths {
  readonly paths: PathCounts;
  readonly clientErrors: PathCounts;
  readonly serverErrors: PathCounts;
}

/** A path and its requests. */
export interface RequestedPath {
  readonly path: string;
  readonly requests: number;
}

/** The maximum memory for the paths of all threads, in bytes. */
export const maxPathBytes = 64 * 1024 * 1024;

/** A longer path is counted by its first characters. */
export const maxPathLength = 200;

/** Counted separately. */
export const robotsTxtPath = "/robots.txt";

/** The number of crawlers, by most requests, that keep exact counts longest. */
const exactCrawlers = 100;
/** The maximum number of paths kept when the counts of any other crawler become estimates. */
const maxKept = 50;
/** A count of at least this many times the floor is off by at most a tenth of the true count. */
const minFloors = 11;
/** What a path takes besides its characters: the object, and its place in the map. */
const pathMemory = 120;
/** What a pair of crawler and path takes. */
const pairMemory = 36;

export function createPaths(): Paths {
  return { byText: new Map(), memory: 0 };
}

export function createPathCounts(): PathCounts {
  return { counts: new Map(), floor: 0 };
}

export function createCrawlerPaths(): CrawlerPaths {
  return { paths: createPathCounts(), clientErrors: createPathCounts(), serverErrors: createPathCounts() };
}

/** Counts the requests of a line by a crawler. */
export function countPath(
  paths: Paths,
  counts: CrawlerPaths,
  path: Path,
  { requests, bytes, status }: { readonly requests: number; readonly bytes: number; readonly status: number },
): void {
  const counted = addPath(paths, counts.paths, path, requests);
  counted.requests += requests;
  counted.bytes += bytes;
  if (status >= 400 && status < 600)
    addPath(paths, status < 500 ? counts.clientErrors : counts.serverErrors, counted, requests);
}

/** The path of a text; the same text is the same object as long as a count needs it. */
export function pathOfText({ byText }: Paths, text: string): Path {
  return byText.get(text) ?? { text, uses: 0, place: 0, decisions: 0, requests: 0, bytes: 0 };
}

/** Counts requests of a path; returns the path as it is counted, which may be another object of the same text. */
export function addPath(paths: Paths, { counts, floor }: PathCounts, path: Path, requests: number): Path {
  const counted = path.uses === 0 ? enter(paths, path) : path;
  const known = counts.get(counted);
  if (known === undefined) {
    counted.uses++;
    paths.memory += pairMemory;
    counts.set(counted, floor + requests);
  } else counts.set(counted, known + requests);
  return counted;
}

function enter(paths: Paths, path: Path): Path {
  const known = paths.byText.get(path.text);
  if (known !== undefined) return known;
  path.requests = 0;
  path.bytes = 0;
  paths.byText.set(path.text, path);
  paths.memory += pathMemory + path.text.length;
  return path;
}

/**
 * Drops paths until at most three quarters of `maxMemory` are taken: first from all counts except those of the crawlers with the most
 * requests, then from the counts with the most paths.
 */
export function shortenPaths(paths: Paths, all: readonly PathCounts[], maxMemory: number): void {
  // Few enough that all counts fit, however long their paths are.
  const maxPair = pathMemory + pairMemory + maxPathLength;
  const kept = Math.max(1, Math.min(maxKept, Math.trunc(maxMemory / (4 * all.length * maxPair))));
  for (const counts of all.slice(exactCrawlers)) drop(paths, counts, kept);
  while (paths.memory > 0.75 * maxMemory) {
    const largest = all.reduce((most, one) => (one.counts.size > most.counts.size ? one : most));
    if (largest.counts.size <= kept) break;
    drop(paths, largest, Math.max(kept, largest.counts.size >> 1));
  }
}

/** Drops the least requested paths of a crawler, so that `kept` are left. */
function drop(paths: Paths, counts: PathCounts, kept: number): void {
  for (const [path] of dropRare(counts, kept, (requests) => requests)) {
    paths.memory -= pairMemory;
    if (--path.uses > 0) continue;
    paths.byText.delete(path.text);
    paths.memory -= pathMemory + path.text.length;
  }
}

/** Adds the sums of all crawlers that another thread has counted, for the paths that are known here. */
export function mergePathSums(paths: Paths, other: Paths): void {
  for (const [text, { requests, bytes }] of other.byText) {
    const ours = paths.byText.get(text);
    if (ours === undefined) continue;
    ours.requests += requests;
    ours.bytes += bytes;
  }
}

/** Adds what another thread has counted of a crawler. */
export function mergeCrawlerPaths(paths: Paths, counts: CrawlerPaths, other: CrawlerPaths): void {
  for (const name of ["paths", "clientErrors", "serverErrors"] as const) mergePaths(paths, counts[name], other[name]);
}

/** Adds what another thread has counted. */
export function mergePaths(paths: Paths, counts: PathCounts, other: PathCounts): void {
  const theirs = new Set([...other.counts.keys()].map(({ text }) => text));
  const { floor } = counts;
  raiseMissing(
    counts,
    other,
    ({ text }) => theirs.has(text),
    (path, requests) => counts.counts.set(path, requests + other.floor),
  );
  for (const [{ text }, requests] of other.counts)
    addPath(paths, { counts: counts.counts, floor }, pathOfText(paths, text), requests);
}

/**
 * The most requested paths of a crawler, then in the order of their characters. Paths with fewer requests than eleven times the floor
 * are left out: their counts may be wrong by more than a tenth of the true ones. The counts leave out /robots.txt.
 */
export function topPaths({ counts, floor }: PathCounts, robotsTxt: number, limit: number): RequestedPath[] {
  const top = createTop(limit);
  if (robotsTxt > 0) top.add(robotsTxtPath, robotsTxt);
  for (const [{ text }, count] of counts) if (count >= minFloors * floor) top.add(text, count);
  return top.items.map(({ text, figure }) => ({ path: text, requests: figure }));
}

/** A path, and the index of the crawler that requested it most. */
export interface SummedPath extends RequestedPath {
  readonly most: number;
}

/** The most requested paths of all crawlers, like `topPaths`; `robotsTxt` has the crawlers' requests of /robots.txt. */
export function topPathsOfAll(
  { byText }: Paths,
  all: readonly PathCounts[],
  robotsTxt: readonly number[],
  limit: number,
): SummedPath[] {
  const paths = [...byText.values()];
  for (const [place, path] of paths.entries()) path.place = place;
  const sums = new Float64Array(paths.length);
  const highest = new Float64Array(paths.length);
  const most = new Uint32Array(paths.length);
  let floor = 0;
  for (const [crawler, { counts, floor: own }] of all.entries()) {
    floor += own;
    for (const [{ place }, count] of counts) {
      sums[place]! += count;
      if (count <= highest[place]!) continue;
      highest[place] = count;
      most[place] = crawler;
    }
  }
  const top = createTop(limit);
  for (const { text, place } of paths) if (sums[place]! >= minFloors * floor) top.add(text, sums[place]!);
  top.add(
    robotsTxtPath,
    robotsTxt.reduce((sum, requests) => sum + requests, 0),
  );
  const maxRobotsTxt = robotsTxt.reduce((most, requests, crawler) => (requests > robotsTxt[most]! ? crawler : most), 0);
  return top.items.map(({ text, figure }) => ({
    path: text,
    requests: figure,
    most: text === robotsTxtPath ? maxRobotsTxt : most[byText.get(text)!.place]!,
  }));
}

/** The requests of all crawlers for a path or directory, counted since the path was added: a lower bound once paths have been dropped. */
export interface PathSums extends RequestedPath {
  readonly bytes: number;
}

/** The paths with the most bytes, /robots.txt left out. */
export function topPathsByBytes({ byText }: Paths, limit: number): PathSums[] {
  const top = createTop(limit);
  for (const { text, bytes } of byText.values()) top.add(text, bytes);
  return top.items.map(({ text, figure }) => ({ path: text, requests: byText.get(text)!.requests, bytes: figure }));
}

/** The directories at the top of the site with the most requests: `/blog/`, and `/` for the files beside them. */
export function topDirectories({ byText }: Paths, limit: number): PathSums[] {
  const sums = new Map<string, { requests: number; bytes: number }>();
  for (const { text, requests, bytes } of byText.values()) {
    const directory = text.slice(0, text.indexOf("/", 1) + 1) || "/";
    const sum = sums.get(directory);
    if (sum === undefined) sums.set(directory, { requests, bytes });
    else {
      sum.requests += requests;
      sum.bytes += bytes;
    }
  }
  const top = createTop(limit);
  for (const [directory, { requests }] of sums) top.add(directory, requests);
  return top.items.map(({ text }) => ({ path: text, ...sums.get(text)! }));
}

/** Keeps the texts with the highest figures above 0, with ties in alphabetical order. */
function createTop(limit: number) {
  const items: { readonly text: string; readonly figure: number }[] = [];
  return {
    items,
    add(text: string, figure: number): void {
      const isAfter = (other: { readonly text: string; readonly figure: number }): boolean =>
        figure > other.figure || (figure === other.figure && text < other.text);
      if (figure === 0 || (items.length === limit && !isAfter(items[limit - 1]!))) return;
      const at = items.findIndex(isAfter);
      items.splice(at === -1 ? items.length : at, 0, { text, figure });
      if (items.length > limit) items.pop();
    },
  };
}
