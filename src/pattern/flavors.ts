/** The spellings of the expression: the portable one, and those for engines that need another. */
/** The notation of an expression that an engine needs. */
export interface Flavor {
  /** Whom it is for, in one line. */
  readonly what: string;
  /** What opens a group; the plain bracket captures, which costs time. */
  readonly group: "(?:" | "(";
  /** Whether letters are written in lower case only, for engines that are told to ignore case: it is ignored everywhere then. */
  readonly lowerCase: boolean;
  /** How a class has its special characters: escaped, or by their place, as in POSIX. */
  readonly classes: "escaped" | "plain";
  /** A slash: escaped, so that the expression can also stand between two of them, or not. */
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
    what: "shorter, in lower case: needs the flag that ignores case (i)",
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
