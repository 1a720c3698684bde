/** The plain forms in which a crawler's name stands in user agents, and which of them entries are found in. */
import type { Category } from "./categories.ts";

/**
 * `alone`: only the name, perhaps with a version; `compatible`: in `Mozilla/5.0 (compatible; …)`; `comment`: before a comment or a word;
 * `browser`: at the end of a browser's string; `phone`: in the comment of a phone's string.
 */
export const forms = ["alone", "compatible", "comment", "browser", "phone"] as const;

export type Form = (typeof forms)[number];

/** A person's string; the version is arbitrary. */
export const browserString =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

/** Libraries, scanners and AI crawlers put their names into other programs' strings; the expression has no room for all others there. */
const inEveryForm: ReadonlySet<Category> = new Set(["ai", "library", "security"]);

/** The forms in which each entry of a category is found, if its pattern matches there. */
export function formsOfCategory(category: Category): readonly Form[] {
  return inEveryForm.has(category) ? forms : ["alone", "compatible"];
}

/** The same in words, for an entry that rules find. */
export function toFormsText(category: Category): string {
  return inEveryForm.has(category)
    ? "in every plain form that its pattern matches"
    : "alone with a short version or none, in Mozilla/5.0 (compatible; …), and in its known strings";
}
