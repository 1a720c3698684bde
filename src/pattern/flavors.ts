/** The spellings of the expression: the portable one, and those for engines that need another. */
/** How an engine wants an expression to be spelled. */
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
  what: "works as it is, without flags, in nearly every engine",
  group: "(?:",
  lowerCase: false,
  classes: "escaped",
  slash: "\\/",
};

/** Every flavour by its name. */
export const flavors: Readonly<Record<string, Flavor>> = {
  portable,
  compact: {
    ...portable,
    what: "lower case only, shorter: needs the flag that ignores case (i), so that names count in any case",
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
    what: "the slash is not escaped, which Rust's regex refuses before version 1.8 (ripgrep 13)",
    slash: "/",
  },
};
