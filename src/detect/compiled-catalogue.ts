/** The compiled catalogue: the output of the compiler, and the input of the runtime. Types only. */

import type { Rows } from "./automaton/tables.ts";
import type { CrawlerFacts } from "./facts.ts";
import type { VerificationFacts } from "./verification.ts";

/** Which groups of robots.txt a crawler obeys, according to its operator. By default: those of its token, else those of `*`. */
export interface RobotsRules {
  /** Whether robots.txt applies to it; absent if the operator does not say so. */
  readonly obeys?: boolean;
  /** Present if it ignores groups of `*`. */
  readonly star?: false;
  /** Tokens whose groups it obeys if no group has its own token, in this order. */
  readonly fallback?: readonly string[];
  /** Present if it reads only the letters, `_` and `-` that a token in the file begins with. */
  readonly tokens?: "letters";
  /** Present if it obeys `Crawl-delay`: `true`, or the maximum number of seconds that it obeys. */
  readonly crawlDelay?: true | number;
  /** The operator's page that documents it. */
  readonly url: string;
}

/** What is known about an item of the catalogue (an entry or a rule), as stored by the build. */
export interface ItemFacts extends CrawlerFacts {
  /** Absent for rules: the name is a part of the string. */
  readonly name?: string;
  /** The token that the operator documents for robots.txt, where it is not the name. */
  readonly robots?: string;
  readonly robotsRules?: RobotsRules;
  readonly pattern: string;
  /** For a rule with exceptions: the expression of its pattern, which finds the part of a match that verdicts show. */
  readonly match?: string;
  /** For a rule with shapes: the expression after the shapes, which does the same. */
  readonly part?: string;
}

/** The name of a rule and its exceptions, as the build stores them. */
export interface RuleFacts {
  readonly name: string;
  readonly except: readonly { readonly pattern: string; readonly why: string; readonly expression: string }[];
}

/** The automata that decide, as texts of toBytesText (docs/automaton.md): a user agent that any of them accepts is a crawler's. */
export interface DecidingTables {
  /** Finds matches anywhere in a string. */
  readonly unanchored: string;
  /** Find matches at the start of a string. */
  readonly anchored: readonly string[];
  /** An expression for beginnings of strings that the automata need not read (src/compiler/familiar.ts); absent: they read all. */
  readonly familiar?: string;
}

/** What a custom catalogue changes in the verdicts of the one that it is laid over, as lines of an index of names. */
export interface OverlayTables {
  /** The automata of the other catalogue. */
  readonly below: DecidingTables;
  /** Find strings that the automata may accept by mistake: they contain what was removed or excepted. */
  readonly lost: readonly string[];
  /** All that decides now; for these strings. */
  readonly kept: readonly string[];
  /** Entries that had only named crawlers, and now decide. */
  readonly added: readonly string[];
}

/** Items, which may be decoded when they are asked for. */
export interface ItemList {
  readonly length: number;
  /** The item at an index below `length`. */
  at(index: number): ItemFacts | undefined;
}

/** An index of names (src/detect/name-index.ts) whose finders have been read. */
export interface Finders {
  /** By item: a line whose first column is the expression. */
  readonly lines: readonly string[];
  /** The items without literals; the rows of the automaton that says whether their expression matches, if they have one. */
  readonly always: readonly { readonly item: number; readonly rows?: () => Rows }[];
  /** The finders, in ASCII, one after the other. */
  readonly bytes: Uint8Array;
  /** By number of a finder, from 1 on: where it begins, its item, and the next finder with the same rare letters. */
  readonly starts: Uint16Array | Uint32Array;
  readonly itemOf: Uint16Array;
  readonly next: Uint16Array | Uint32Array;
  /** By letters: the first finder of a list. */
  readonly lists: Uint16Array | Uint32Array;
}

/** What naming a crawler needs. */
export interface IdentifyingTables {
  /** By item: its line in the index (src/detect/name-index.ts); or the same, read. */
  readonly nameIndex: readonly string[] | Finders;
  /** Every entry and rule, in the order of precedence; anchored rules last. */
  readonly items: ItemList;
}

/** What explaining a verdict needs. */
export interface ExplainingFacts {
  /** By item: its line in the index. */
  readonly nameIndex: readonly string[];
  readonly items: readonly ItemFacts[];
  /** In the order of the items without a name, which are the rules. */
  readonly rules: readonly RuleFacts[];
  /** The numbers of the items that are alternatives of the expression, in its order. The other items name crawlers and do not decide. */
  readonly alternatives: readonly number[];
}

/** A compiled catalogue. Members may be getters that decode at each call. */
export interface CompiledCatalogue extends ExplainingFacts {
  readonly items: readonly ItemFacts[];
  /** `<package version>+crawler-user-agents.<its version>`. */
  readonly version: string;
  /** Number of entries. */
  readonly entries: number;
  /** The expression that decides, in the portable flavor. */
  readonly expression: string;
  readonly deciding: DecidingTables;
  /** The strings that the catalogue was evaluated against. */
  readonly strings: readonly string[];
  /** Whose they are: the number of an item and those of its strings, for entries and then for rules in the order of their files. */
  readonly owners: readonly (readonly number[])[];
  /** Names of the crawlers that pages show first. */
  readonly wellKnown: readonly string[];
  /** How its crawlers can be verified. */
  readonly verification: VerificationFacts;
  /** The expression of a user's own entries, which `deciding` does not find; absent: there are none. */
  readonly own?: string;
  /** How many entries these are; they are the first items. Absent: none. */
  readonly ownEntries?: number;
  /** What a custom catalogue changes in the verdicts of another one; with it, a detector does not need `deciding`. Not in files. */
  readonly overlay?: OverlayTables;
}
