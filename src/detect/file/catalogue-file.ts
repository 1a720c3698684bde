/** A compiled catalogue as a file: `whocrawls compile` writes it, and it loads in every runtime without being compiled. */
import type { CompiledCatalogue } from "../compiled-catalogue.ts";
import { CatalogueFileError, readSections, writeSections } from "./sections.ts";

type Kind = "string" | "number" | "list" | "object";

/** The required members of a compiled catalogue, and their kinds. What members contain is not checked. */
const kinds: Readonly<Record<keyof Omit<CompiledCatalogue, "own" | "ownEntries" | "overlay">, Kind>> = {
  version: "string",
  entries: "number",
  expression: "string",
  alternatives: "list",
  deciding: "object",
  nameIndex: "list",
  items: "list",
  rules: "list",
  strings: "list",
  owners: "list",
  wellKnown: "list",
  verification: "object",
};
const members = /* @__PURE__ */ Object.keys(kinds);

function isSound(name: string, value: unknown): boolean {
  const kind = { ...kinds, own: "string", ownEntries: "number" }[name];
  return kind === undefined || (value !== null && kindOf(value) === kind);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "list" : typeof value;
}

/** The bytes that catalogues were read from: writing them again takes as long as parsing all of them. */
const read = /* @__PURE__ */ new WeakMap<CompiledCatalogue, Uint8Array>();

/** Writes a compiled catalogue. */
export function encodeCatalogue(catalogue: CompiledCatalogue): Uint8Array {
  return read.get(catalogue) ?? writeSections(membersOf(catalogue));
}

/** What a file has of a catalogue. Getters are called. */
export function membersOf({ overlay: _, ...members }: CompiledCatalogue): Omit<CompiledCatalogue, "overlay"> {
  return members;
}

/**
 * Reads what encodeCatalogue wrote; throws CatalogueFileError for anything else. Members are decoded when they are used; a member of
 * another kind throws it then.
 */
export function parseCatalogueFile(bytes: Uint8Array): CompiledCatalogue {
  const values = readSections(bytes, isSound);
  const missing = members.find((name) => !Object.hasOwn(values, name));
  if (missing !== undefined) throw new CatalogueFileError(`The compiled catalogue has no ${missing}.`);
  const catalogue = values as unknown as CompiledCatalogue;
  read.set(catalogue, bytes);
  return catalogue;
}
