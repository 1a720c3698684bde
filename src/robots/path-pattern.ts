/** Paths of URLs and path patterns of robots.txt in one spelling, and patterns with `*` and `$` (RFC 9309, section 2.2). */

/** Text that is already normalized. */
const isNormal = /^[\w.~!'()+,;=:@/?&-]*$/;

/** An encoded octet, or what a URL cannot hold; with `u` whole code points are found. */
const changeable = /%[0-9A-Fa-f]{2}|[^\w.~!'()+,;=:@/?&%*$-]/gu;

/** Encodes what a URL cannot hold, and decodes what needs no encoding (RFC 3986, section 2.3), so that equal octets are equal text. */
function normalize(path: string): string {
  return path.toWellFormed().replace(changeable, (found) => {
    if (found[0] !== "%") return encodeURIComponent(found);
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : found.toUpperCase();
  });
}

/** A path and query of a URL: its `*` and `$` are encoded as in rules where they are literal. */
export function normalizePath(path: string): string {
  return isNormal.test(path) ? path : normalize(path).replaceAll("*", "%2A").replaceAll("$", "%24");
}

/** A rule's path pattern: `*`, and `$` at the end, are marks. */
export function normalizeRule(path: string): string {
  if (isNormal.test(path)) return path;
  const encoded = normalize(path);
  return encoded.slice(0, -1).replaceAll("$", "%24") + encoded.slice(-1);
}

/** A pattern ready to be matched. */
export interface PathPattern {
  /** The literal texts between its `*`. */
  readonly parts: readonly string[];
  /** Whether `$` ends it. */
  readonly isWhole: boolean;
}

/** Reads a normalized pattern. */
export function toPathPattern(pattern: string): PathPattern {
  const isWhole = pattern.endsWith("$");
  // Neighboring `*` are one.
  return { parts: (isWhole ? pattern.slice(0, -1) : pattern).replace(/\*{2,}/g, "*").split("*"), isWhole };
}

/**
 * Whether a pattern matches a normalized path from its start. Each part is searched only once, after the previous part: the first occurrence
 * leaves the most text for the rest.
 */
export function matchesPath({ parts, isWhole }: PathPattern, path: string): boolean {
  const first = parts[0]!;
  if (!path.startsWith(first)) return false;
  const last = parts.length - 1;
  if (last === 0) return !isWhole || path.length === first.length;
  let at = first.length;
  for (let index = 1; index < last; index++) {
    const found = path.indexOf(parts[index]!, at);
    if (found < 0) return false;
    at = found + parts[index]!.length;
  }
  const end = parts[last]!;
  return isWhole ? path.length - end.length >= at && path.endsWith(end) : path.includes(end, at);
}
