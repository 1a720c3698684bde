/**
 * What the catalogue is compiled from: entries (named crawlers) and rules (generic signs of a crawler). sources/ reads and
 * checks them.
 */
import type { Category } from "../detect/categories.ts";
import type { RobotsRules } from "../detect/compiled-catalogue.ts";
import type { CrawlerFacts } from "../detect/facts.ts";

/** A named crawler. `pattern` is in the portable subset and matches anywhere in the string. */
export interface Entry extends CrawlerFacts {
  readonly name: string;
  readonly pattern: string;
  /** The token that the operator documents for robots.txt, where it is not the name. */
  readonly robots?: string;
  readonly robotsRules?: RobotsRules;
  /** Reviewed strings of this crawler; each must get this entry's name. */
  readonly examples: readonly string[];
  /** Strings that the npm package lists for this crawler. Each must be a crawler; a more specific entry may name it. */
  readonly instances: readonly string[];
  /** Where the entry comes from, as `file:line`, for error messages and List. */
  readonly source: string;
}

/** An exception: occurrences of the rule inside an occurrence of `pattern` do not count. */
interface Exception {
  readonly pattern: string;
  readonly why: string;
}

/** A generic sign of a crawler, for crawlers that have no entry. */
export interface Rule {
  readonly name: string;
  /** The complete pattern, including its place and shapes. */
  readonly pattern: string;
  /** The pattern without its shapes; only for a rule with shapes. */
  readonly part?: string;
  readonly category: Category;
  readonly except: readonly Exception[];
  readonly examples: readonly string[];
  /** People's strings that must not match. */
  readonly people: readonly string[];
  readonly source: string;
}

/** What a match is attributed to: an entry or a rule. */
export type Item = (Entry & { readonly kind: "entry" }) | (Rule & { readonly kind: "rule" });

/** Everything that a catalogue is compiled from, already checked: plain values, as the package ships them. */
export interface Catalogue {
  /** `<package version>+crawler-user-agents.<its version>`. */
  readonly version: string;
  readonly entries: readonly Entry[];
  readonly rules: readonly Rule[];
  /** Strings of common browsers. Strings that begin like them are decided fastest. */
  readonly browsers: readonly string[];
}
