/** The plain forms in which a crawler's name stands in user agents, and which entries need not decide in all of them. */

/**
 * `alone`: only the name, perhaps with a version; `compatible`: in `Mozilla/5.0 (compatible; …)`; `comment`: before a comment or a word;
 * `browser`: at the end of a browser's string; `phone`: in the comment of a phone's string.
 */
export const forms = ["alone", "compatible", "comment", "browser", "phone"] as const;

export type Form = (typeof forms)[number];

/** A person's string; the version is arbitrary. */
export const browserString =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

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

const words: Readonly<Record<Form, string>> = {
  alone: "alone (with a short version or none)",
  compatible: "in Mozilla/5.0 (compatible; …)",
  comment: "before a comment or a word",
  browser: "behind a browser's string",
  phone: "in a phone's comment",
};

const reasons: Readonly<Record<Exemption["why"], string>> = {
  people: "people's strings contain it in other forms",
  room: "the expression has no room for other forms",
};

/** The forms in which the catalogue finds a crawler, in words. */
export function toFormsText(exemption: Pick<Exemption, "only" | "why"> | undefined): string {
  if (exemption === undefined) return "in every plain form that its pattern matches";
  const only = exemption.only.map((form) => words[form]);
  const where = only.length === 0 ? "only in the strings that are known" : `only ${only.join(", ")}`;
  return `${where}, because ${reasons[exemption.why]}`;
}

/** By name: the exemption of a crawler. */
export function byCrawler(exemptions: readonly Exemption[]): Map<string, Exemption> {
  return new Map(exemptions.flatMap((exemption) => exemption.crawlers.map((name) => [name, exemption] as const)));
}
