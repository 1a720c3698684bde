/**
 * What the catalogue is compiled from: entries (named crawlers) and rules (generic marks of a crawler). sources/ reads and
 * checks them.
 */
import type { Category } from "../detect/categories.ts";
import type { CrawlerFacts } from "../detect/facts.ts";

/** A named crawler. `pattern` is in the portable subset and matches anywhere in the string. */
export interface Entry extends CrawlerFacts {
  readonly name: string;
  readonly pattern: string;
  /** The token that the operator documents for robots.txt, where it is not the name. */
  readonly robots?: string;
  /** Reviewed strings of this crawler; each must get this entry's name. */
  readonly examples: readonly string[];
  /** Strings that the npm package files here; each must be a crawler, but a more specific entry may claim it. */
  readonly instances: readonly string[];
  /** Where the entry comes from, as `file:line`, for error messages and List. */
  readonly source: string;
}

/** A case in which an occurrence of a rule says nothing, because it stands inside an occurrence of `pattern`. */
export interface Exception {
  readonly pattern: string;
  readonly why: string;
}

/** A generic mark of a crawler, for crawlers that have no entry. */
export interface Rule {
  readonly name: string;
  /** All that it stands for: what it looks for, at its place, in strings of its shapes. */
  readonly pattern: string;
  /** Of the pattern what it looks for at its place; present for a rule that looks into some shapes only. */
  readonly part?: string;
  readonly category: Category;
  readonly except: readonly Exception[];
  readonly examples: readonly string[];
  /** Strings of people that look like this rule and are not. */
  readonly people: readonly string[];
  readonly source: string;
}

/** What a match is attributed to: an entry or a rule. */
export type Item = (Entry & { readonly kind: "entry" }) | (Rule & { readonly kind: "rule" });

/** A catalogue, complete and checked. */
export interface Catalogue {
  /** `<package version>+crawler-user-agents.<its version>`. */
  readonly version: string;
  readonly entries: readonly Entry[];
  readonly rules: readonly Rule[];
}
