/** The plain forms in which a crawler's name stands in user agents, and which entries need not decide in all of them. */

/**
 * `alone`: only the name, perhaps with a version; `compatible`: in `Mozilla/5.0 (compatible; …)`; `comment`: before a comment or a word;
 * `browser`: at the end of a browser's string; `phone`: in the comment of a phone's string.
 */
export const forms = ["alone", "compatible", "comment", "browser", "phone"] as const;

export type Form = (typeof forms)[number];

/** `people`: people's strings contain the name in the other forms; `room`: the expression must not become longer. */
export const exemptionReasons = ["people", "room"] as const;

/** Entries that need not decide in every form that their patterns match. */
export interface Exemption {
  /** The forms in which they decide. */
  readonly only: readonly Form[];
  readonly why: (typeof exemptionReasons)[number];
  /** Their names. */
  readonly crawlers: readonly string[];
}
