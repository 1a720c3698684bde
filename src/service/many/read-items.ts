/** Reads the items of a body of CheckMany: the verdict on each user agent, and the evidence that is given with it. */

import { createByteCache, type MakeOfBytes } from "../../cache/byte-cache.ts";
import { once } from "../../cache/once.ts";
import type { Verdict } from "../../detect/verdict.ts";
import { Problem } from "../../http/problems.ts";
import { readsEvidence } from "../../verify/verify-verdict.ts";
import { type CheckEvidence, checkEvidenceOf, missing, useragentOf } from "../check/check-request.ts";
import type { Deps } from "../deps.ts";
import { ArrayCutter, beginOfArray, type Cutter, excessOf, LineCutter } from "./cut-items.ts";

/** Limits of a body. */
export const maxBytes = 2 * 1024 * 1024;
export const maxItems = 10_000;

/** One item of a body. */
export interface Item {
  /** The verdict on the user agent alone. */
  readonly verdict: Verdict;
  readonly evidence?: CheckEvidence | undefined;
  /** The verdict as a line of JSON, once it has been written. */
  line?: string;
}

/** Reads all items, in order and in steps; a Problem stands in the place of an invalid line. Throws a Problem if the whole body is invalid. */
export type ReadItems = (body: Uint8Array) => Generator<undefined, (Item | Problem)[]>;

export interface ItemReaders {
  /** A user agent per line. */
  readonly text: ReadItems;
  /** A JSON string or object per line; empty lines are skipped. */
  readonly objects: ReadItems;
  /** An array of strings and objects; one invalid item makes the body invalid. */
  readonly array: ReadItems;
}

/** Undefined for a line that is skipped. */
type ReadItem = MakeOfBytes<Item | Problem | undefined>;

/** Caches items of up to 512 bytes, because the same strings occur over and over: at most 4 MB for each kind, allocated at first use. */
const remember = (make: ReadItem): ReadItem => createByteCache(make, 8192, 512);

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

/** Makes the readers of a service's items. */
export function createItemReaders({ detector, readers, limits }: Deps): ItemReaders {
  const isReading = readsEvidence(readers);
  const { maxBodyBytes } = limits;
  const tooLong = new Problem("too-large", `${anItem} may have at most ${maxBodyBytes.toLocaleString("en")} bytes.`);

  const readText = once(() =>
    remember((bytes, from, to) => {
      if (to - from > maxBodyBytes) return tooLong;
      return { verdict: detector.check(lenient.decode(bytes.subarray(from, to))) };
    }),
  );
  const readObject = once(() =>
    remember((bytes, from, to) => {
      if (to - from > maxBodyBytes) return tooLong;
      const item = bytes.subarray(from, to);
      const excess = excessOf(item);
      if (excess !== undefined) return new Problem("too-large", `${anItem} ${excess}.`);
      const value = parseJson(item);
      const useragent = useragentOf(value);
      if (useragent === undefined) return value === undefined ? notJson : noUseragent;
      try {
        const evidence = isReading ? checkEvidenceOf(value) : undefined;
        return { verdict: detector.check(useragent), evidence };
      } catch (error) {
        if (error instanceof Problem) return error;
        throw error;
      }
    }),
  );

  return {
    text: (body) => readAll(body, new LineCutter(body), readText()),
    objects: (body) => {
      const read = readObject();
      return readAll(body, new LineCutter(body), (_, from, to) => (from === to ? undefined : read(body, from, to)));
    },
    *array(body) {
      const read = readObject();
      const begin = beginOfArray(body);
      if (begin === undefined) throw read(body, 0, body.length) === notJson ? bodyNotJson : notArray;
      const items = yield* readAll(body, new ArrayCutter(body, begin), read);
      if (items.includes(notJson)) throw bodyNotJson;
      const at = items.findIndex((item) => item instanceof Problem);
      if (at === -1) return items;
      throw items[at] === noUseragent
        ? new Problem("no-useragent", `Item ${at} of the array has no user agent. ${missing}`)
        : items[at];
    },
  };
}

const anItem = "A line, or an item of an array,";
const notJson = new Problem("not-json", "The line cannot be parsed as JSON in UTF-8.");
const noUseragent = new Problem("no-useragent", missing);
const bodyNotJson = new Problem("not-json", "The body cannot be parsed as JSON in UTF-8.");
const notArray = new Problem("no-useragent", `Send an array. ${missing}`);

/** Items of this size in total are read in a step. */
const stepBytes = 1024;

/** Reads items one by one. Throws a Problem for too many. */
function* readAll(body: Uint8Array, cutter: Cutter, read: ReadItem): ReturnType<ReadItems> {
  const items: (Item | Problem)[] = [];
  let stepEnd = stepBytes;
  try {
    while (cutter.next()) {
      if (cutter.to > stepEnd) {
        stepEnd = cutter.to + stepBytes;
        yield;
      }
      const item = read(body, cutter.from, cutter.to);
      if (item === undefined) continue;
      if (items.length === maxItems) throw tooLarge(tooManyItems);
      items.push(item);
    }
  } catch (error) {
    throw error instanceof SyntaxError ? bodyNotJson : error;
  }
  return items;
}

const tooManyItems = `A body may have at most ${maxItems.toLocaleString("en")} user agents`;

/** The value of JSON in UTF-8; undefined if the bytes are not that. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(strict.decode(bytes));
  } catch {
    return undefined;
  }
}

/** The problem of a body that exceeds a limit. */
export function tooLarge(what: string, headers: Readonly<Record<string, string>> = {}): Problem {
  const detail = `${what}. Send it in parts, such as those that \`split -l 5000\` makes of a file of lines.`;
  return new Problem("too-large", detail, headers);
}
