/** What the readers of YAML and JSON have in common: what they return, and limits that keep each part of their work short. */

/** What is wrong in a text, and where. */
export interface Fault {
  readonly offset: number;
  readonly message: string;
}

/** The value of a text, or what is wrong with it. */
export interface ReadText {
  readonly value: unknown;
  readonly faults: readonly Fault[];
  readonly lineOf: (offset: number) => number;
  /** Where the member or item at a path begins, or its innermost existing parent. */
  readonly offsetOf: (path: readonly PropertyKey[]) => number;
}

/** What is open at once while a file is parsed: lists, objects, and what is inside them. The deepest valid file has seven. */
export const maxOpen = 40;
/** Characters of a text, and in YAML of a list or an object in brackets: neither is read in parts. */
export const maxLength = 65_536;
export const maxRows = 50_000;
export const maxMembers = 1_000;
/** After so many, the rest of a file is not read. */
export const maxFaults = 1_000;

export const tooDeep = "the file is nested too deeply";
export const tooLong = `a text may have at most ${maxLength.toLocaleString("en")} characters`;
export const tooManyRows = `a file may have at most ${maxRows.toLocaleString("en")} rows`;
