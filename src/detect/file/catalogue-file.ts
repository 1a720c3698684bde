/** A compiled catalogue as a file: `whocrawls compile` writes it, and it loads in every runtime without being compiled. */
import type { CompiledCatalogue } from "../compiled-catalogue.ts";
import { CatalogueFileError, readSections, writeSections } from "./sections.ts";

/** The required members of a compiled catalogue. */
const members: readonly (keyof CompiledCatalogue)[] = [
  ...(["version", "entries", "expression", "spellings", "alternatives", "attribution", "deciding"] as const),
  ...(["identification", "items", "rules", "namesOnly", "strings", "wellKnown", "verification"] as const),
];

/** The bytes that catalogues were read from: writing them again takes as long as parsing all of them. */
const read = /* @__PURE__ */ new WeakMap<CompiledCatalogue, Uint8Array>();

/** Writes a compiled catalogue. */
export function encodeCatalogue(catalogue: CompiledCatalogue): Uint8Array {
  return read.get(catalogue) ?? writeSections({ ...catalogue });
}

/** Reads what encodeCatalogue wrote; throws CatalogueFileError for anything else. Members are decoded when they are used. */
export function parseCatalogueFile(bytes: Uint8Array): CompiledCatalogue {
  const values = readSections(bytes);
  const missing = members.find((name) => !Object.hasOwn(values, name));
  if (missing !== undefined) throw new CatalogueFileError(`The compiled catalogue has no ${missing}.`);
  const catalogue = values as unknown as CompiledCatalogue;
  read.set(catalogue, bytes);
  return catalogue;
}
