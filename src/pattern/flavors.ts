/** The spellings of the expression: the portable one, and one for each engine that needs another. */
/** The notation of an expression that an engine needs. */
export interface Flavor {
  /** The engines that need it, in one line. */
  readonly what: string;
  /** The beginning of a group. A plain bracket captures, which takes time. */
  readonly group: "(?:" | "(";
  /** Whether letters are written in lower case only, for engines that ignore case in the whole expression. */
  readonly lowerCase: boolean;
  /** How a class contains special characters: escaped, or by their position, as in POSIX. */
  readonly classes: "escaped" | "plain";
  /** A slash: escaped for expressions between slashes, or plain. */
  readonly slash: "\\/" | "/";
}

export const portable: Flavor = {
  what: "works without flags in nearly every engine",
  group: "(?:",
  lowerCase: false,
  classes: "escaped",
  slash: "\\/",
};

/** Every flavor by its name. */
export const flavors: Readonly<Record<string, Flavor>> = {
  portable,
  compact: {
    ...portable,
    what: "shorter, in lowercase: needs the flag that ignores case (i), so it also matches some programs that people use, such as NetNewsWire",
    lowerCase: true,
  },
  posix: {
    what: "POSIX extended regular expressions: grep -E, awk, sed -E, bash; for the locale C",
    group: "(",
    lowerCase: false,
    classes: "plain",
    slash: "/",
  },
  rust: {
    ...portable,
    what: "without escaped slashes, which Rust's regex rejects before version 1.8 (ripgrep 13)",
    slash: "/",
  },
};
