/**
 * Headers that every answer carries, and those of pages: what a browser must not do with what it gets.
 */

/** Types are not guessed; where a reader comes from is not told. */
export const secureHeaders = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" } as const;

/** The reference page needs its own style and nothing else; it loads nothing, runs nothing, and is in no frame. */
export const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
