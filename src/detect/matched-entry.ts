/**
 * The name of the entry that matched, where the verdict has another name: `Foo/1.0 (Nutch)` is named Foo, by the entry of Apache Nutch.
 * It is kept under a symbol, so that answers do not show it, and copies of a verdict have it.
 */

/** The same in all bundles of the package. */
const matchedEntry = Symbol.for("whocrawls.entry");

/** Notes the name of the entry in a verdict with another name. */
export function noteEntry(verdict: object, name: string): void {
  Object.assign(verdict, { [matchedEntry]: name });
}

/** The name by which a crawler is selected, counted and verified: its entry's, or the verdict's if it has no entry. */
export function entryOf(crawler: { readonly name?: string; readonly [matchedEntry]?: string }): string | undefined {
  return crawler[matchedEntry] ?? crawler.name;
}
