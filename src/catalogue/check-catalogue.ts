/**
 * Checks every member of a compiled catalogue that another program may have written. Members are decoded when they are first used,
 * and a malformed one would end the process that uses it then.
 */
import { toPrefix } from "../address/prefix.ts";
import { isTooWide } from "../address/public-address.ts";
import type { LoadedSources } from "../compiler/own/modify.ts";
import { categories, purposes } from "../detect/categories.ts";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { createDetector } from "../detect/create-detector.ts";
import { CatalogueFileError } from "../detect/file/sections.ts";
import type { Detector } from "../detect/verdict.ts";
import { parseRanges } from "../verify/lists/parse-ranges.ts";
import { CatalogueError } from "./errors.ts";

/** The members that only data files have (src/catalogue/data-file.ts). */
export interface DataMembers {
  manifest?: { readonly date: string };
  vectors?: unknown;
  /** Compressed JSON of LoadedSources. */
  sources?: Uint8Array;
}

type Check = (value: unknown) => boolean;
type Members<Type> = { readonly [Name in keyof Required<Type>]: Check };

export const text: Check = (value) => typeof value === "string";
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const bytes: Check = (value) => value instanceof Uint8Array;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const list =
  (item: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(item);
const record =
  (item: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(item);
const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
export const object =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(members).every(([name, check]) => check(value[name]));
const expression: Check = (value) => {
  try {
    // linear: is made to see whether it can be, and not used
    return text(value) && new RegExp(value as string) !== undefined;
  } catch {
    return false;
  }
};
/** The empty expression matches every string. */
const wholeExpression: Check = (value) => value !== "" && expression(value);
const prefix: Check = (value) => {
  const found = text(value) ? toPrefix(value as string) : undefined;
  return found !== undefined && !isTooWide(found);
};
/** The prefixes of a list, which is read when it is first used. */
const prefixes: Check = (value) => {
  try {
    return text(value) && parseRanges(value as string, "lines").length > 0;
  } catch {
    return false;
  }
};
export const date: Check = (value) => text(value) && Number.isFinite(Date.parse(value as string));

const item = object({
  name: optional(text),
  operator: optional(text),
  operatorDerived: optional(oneOf(true)),
  category: oneOf(...categories),
  purposes: optional(list(oneOf(...purposes))),
  url: optional(text),
  robots: optional(text),
  robotsRules: optional(
    object({
      obeys: optional(oneOf(true, false)),
      star: optional(oneOf(false)),
      fallback: optional(list(text)),
      tokens: optional(oneOf("letters")),
      url: text,
    }),
  ),
  pattern: text,
  match: optional((value) => count(value) || expression(value)),
  anchored: optional(oneOf(true)),
  part: optional(expression),
});
const deciding = object({ unanchored: bytes, anchored: list(bytes), familiar: optional(expression) });
const proof = object({
  id: text,
  crawlers: list(text),
  page: text,
  ranges: optional(list(object({ url: text, format: oneOf("json", "lines", "geofeed", "html") }))),
  prefixes: optional(list(prefix)),
  dns: optional(list(text)),
  agents: optional(list(text)),
  conclusive: list(oneOf("ip-range", "dns")),
  note: optional(text),
});
const copy = object({ asOf: date, prefixes });
const overlay = object({
  entries: count,
  replaced: list(count),
  tables: optional(object({ deciding, identification: bytes })),
});

const members: Members<CompiledCatalogue & Pick<DataMembers, "manifest" | "sources">> = {
  version: (value) => text(value) && value !== "",
  entries: count,
  expression: wholeExpression,
  // Dialects of other engines.
  spellings: record(text),
  alternatives: list(wholeExpression),
  attribution: list(expression),
  deciding,
  identification: bytes,
  items: list(item),
  rules: list(object({ name: text, except: list(object({ pattern: text, why: text })) })),
  namesOnly: list(count),
  strings: list(text),
  wellKnown: list(text),
  verification: object({ proofs: list(proof), ranges: record(copy) }),
  overlays: optional(list(overlay)),
  manifest: optional(object({ date })),
  sources: optional(bytes),
};

const sourceFacts = { name: text, pattern: text, category: oneOf(...categories), source: text, examples: list(text) };
const loadedSources = object({
  catalogue: object({
    version: text,
    entries: list(object({ ...sourceFacts, instances: list(text) })),
    rules: list(
      object({
        ...sourceFacts,
        except: list(object({ pattern: text, why: text })),
        people: list(text),
        part: optional(text),
      }),
    ),
  }),
  browsers: list(text),
});

/** Reads the sources of a compiled catalogue; throws a CatalogueError for any other JSON. */
export function parseSources(json: string): LoadedSources {
  let sources: unknown;
  try {
    sources = JSON.parse(json);
  } catch {
    // Reported below, as other values are.
  }
  if (!loadedSources(sources)) throw new CatalogueError(["The sources in the compiled catalogue are malformed."]);
  return sources as LoadedSources;
}

/** The detector of a catalogue; throws a CatalogueFileError that names the first malformed member. */
export function checkCatalogue(catalogue: CompiledCatalogue & DataMembers): Detector {
  const malformed = (member: string) => new CatalogueFileError(`The compiled catalogue is malformed: ${member}.`);
  const isSound = (name: keyof typeof members): boolean => {
    try {
      return members[name](catalogue[name]);
    } catch {
      // The member is no JSON.
      return false;
    }
  };
  const wrong = (Object.keys(members) as (keyof typeof members)[]).find((name) => !isSound(name));
  if (wrong !== undefined) throw malformed(wrong);
  const { items, attribution, rules, namesOnly, overlays = [] } = catalogue;
  if (items.length !== attribution.length) throw malformed("attribution has another length than items");
  if (items.filter(({ name }) => name === undefined).length !== rules.length)
    throw malformed("rules has another length than the items without a name");
  if (namesOnly.some((index) => index >= items.length)) throw malformed("namesOnly names an item that is not there");
  if (overlays.reduce((sum, { entries }) => sum + entries, 0) > items.length)
    throw malformed("overlays has more entries than items");
  try {
    const detector = createDetector(catalogue);
    for (const useragent of ["Mozilla/5.0", "Googlebot/2.1", ...catalogue.strings.slice(0, 10)])
      detector.explain(useragent);
    return detector;
  } catch (error) {
    throw malformed(`its tables cannot be used: ${(error as Error).message}`);
  }
}
