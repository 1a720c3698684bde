/** Text that would leave its comment or its quotes in some program's configuration, and what ends a line somewhere. */

/** Names that may be asked for: printable. */
export const hostileNames: readonly string[] = [
  'x" "y',
  "x' 'y",
  "x{",
  "x;} server {",
  "# x",
  "x */ y",
  "/* x",
  "-- x",
  "x --",
  "%0a%{x}e",
  `$is_crawler \${HOME} $(id)`,
  "{$HOME}",
  '{{ printf "\\n" }} {{ end',
  "x`y",
  "\\n x \\! id",
  "C{ x }C",
  "x \\",
];

/** Controls, separators of lines and paragraphs, halves of surrogate pairs, overrides of direction, and what has no width. */
export const unprintable: readonly string[] = [
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
  ...Array.from({ length: 0x21 }, (_, index) => String.fromCharCode(0x7f + index)),
  "\u2028",
  "\u2029",
  "\u202e",
  "\u200b",
  "\ud800",
  "\udfff",
];

/** A command that tries all of it at once, for writers, which must not rely on what was refused before. */
export const hostileCommand = `whocrawls export ${hostileNames.join(" ")} ${unprintable.join(" directive 1; ")}\\`;
