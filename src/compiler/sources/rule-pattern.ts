/** The pattern of a rule of data/rules.yaml: its words or pattern, its place, and its shapes. */
/** What a place requires before and after the rule's pattern. */
const places = {
  anywhere: ["", ""],
  /** At the beginning of an item of a comment: `(FooBot`, `; FooBot`. */
  comment: ["[(;] ?", ""],
  /** At the end of a product's name: `FooScan/1.0`, `FooScan;`. */
  product: ["", "(?:[/;,)]|$| [(0-9]| v[0-9])"],
  /** At the end of a product's name, followed by a version at most: `FooScan/1.0`, `(FooScan 1.0)`. */
  "last product": ["", "(?:[/ ]v?[0-9][0-9.]*)?(?:\\)|$)"],
  whole: ["^", "$"],
} as const;

export type Place = keyof typeof places;
export const placeNames = Object.keys(places) as [Place, ...Place[]];

/** The members of a rule that make its pattern: `pattern`, or any of `words`. */
interface Search {
  readonly pattern?: string | undefined;
  readonly words?: readonly string[] | undefined;
  readonly place: Place;
  /** Names of shapes; default: every string. */
  readonly in?: readonly string[] | undefined;
}

/** The pattern as text. With shapes it begins with `^`, and `part` is the pattern without them. */
export function rulePattern(
  rule: Search,
  shapes: readonly { readonly name: string; readonly begins: string }[],
): { readonly pattern: string; readonly part?: string } {
  const looksFor = rule.pattern ?? (rule.words ?? []).join("|");
  const [before, behind] = places[rule.place];
  const part = before || behind ? before + grouped(looksFor) + behind : looksFor;
  if (rule.in === undefined) return { pattern: part };
  const begins = shapes.filter(({ name }) => rule.in?.includes(name)).map((shape) => shape.begins);
  return { pattern: `^${grouped(begins.join("|"))}.*${grouped(part)}`, part };
}

function grouped(pattern: string): string {
  return pattern.includes("|") ? `(?:${pattern})` : pattern;
}
