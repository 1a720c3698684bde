/**
 * Compiled catalogues as files of this program: `whocrawls compile` and `npm run data` write them. Custom catalogues are laid over them.
 */
import { DataError } from "../compiler/sources/data-error.ts";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { membersOf, parseCatalogueFile } from "../detect/file/catalogue-file.ts";
import { CatalogueFileError, writeSections } from "../detect/file/sections.ts";
import { version } from "../generated/about.ts";
import type { CustomFile } from "./custom-files.ts";

/** What a file contains besides the catalogue. */
export interface FileMembers {
  /** When the public data in it were changed, in milliseconds since 1970; absent if that is not known. */
  readonly changedAt?: number | undefined;
}

/** A file that was read. */
export interface CompiledFile extends FileMembers {
  readonly catalogue: CompiledCatalogue;
}

/** The oldest program that can use the files of this one. Increase it when data need a newer program, such as for another kind of rule. */
const minimumProgram = "0.1.0";
const program = version.split("+")[0]!;
const memberNames = ["changedAt", "minimumProgram"] as const;

/** Writes a file; the same content gives the same bytes. */
export function encodeCompiledFile({ catalogue, changedAt }: CompiledFile): Uint8Array {
  const members = Object.entries({ changedAt, minimumProgram });
  const known = members.filter(([, value]) => value !== undefined);
  return writeSections({ ...Object.fromEntries(known), ...membersOf(catalogue) });
}

/** Reads a file; throws a CatalogueFileError if it is damaged, or for a newer program. */
export function parseCompiledFile(bytes: Uint8Array): CompiledFile {
  const catalogue: CompiledCatalogue & FileMembers & { minimumProgram?: string } = parseCatalogueFile(bytes);
  const { changedAt } = catalogue;
  const needed = String(catalogue.minimumProgram ?? minimumProgram);
  if (needed.localeCompare(program, "en", { numeric: true }) > 0)
    throw new CatalogueFileError(
      `The compiled catalogue needs whocrawls ${needed} or later; this is ${program}. Update whocrawls.`,
    );
  // A catalogue derived from this one must not inherit them.
  for (const name of memberNames) delete (catalogue as Partial<Record<(typeof memberNames)[number], unknown>>)[name];
  return { catalogue, changedAt };
}

/** Reads a file of a user; throws a DataError that names it. */
export function parseFile({ path, bytes }: CustomFile): CompiledFile {
  try {
    return parseCompiledFile(bytes);
  } catch (error) {
    throw error instanceof CatalogueFileError ? new DataError([`${path}: ${error.message}`]) : error;
  }
}
