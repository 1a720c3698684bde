/** The one pattern that a rule of data/rules.yaml stands for: what it looks for, the place it looks at, the shapes it looks into. */
/** What a place asks for before and behind what the rule looks for. */
const places = {
  anywhere: ["", ""],
  /** At the beginning of an item of a comment: `(FooBot`, `; FooBot`. */
  comment: ["[(;] ?", ""],
  /** At the end of a product's name: `FooScan/1.0`, `FooScan;`. */
  product: ["", "(?:[/;,)]|$| [(0-9]| v[0-9])"],
  /** At the end of a product's name, and nothing behind it but a version: `FooScan/1.0`, `(FooScan 1.0)`. */
  "last product": ["", "(?:[/ ]v?[0-9][0-9.]*)?(?:\\)|$)"],
  whole: ["^", "$"],
} as const;

export type Place = keyof typeof places;
export const placeNames = Object.keys(places) as [Place, ...Place[]];

/** A rule as far as its pattern goes: it looks for `pattern`, or for any of `words`. */
interface Search {
  readonly pattern?: string | undefined;
  readonly words?: readonly string[] | undefined;
  readonly place: Place;
  /** The names of the shapes it looks into; absent: every string. */
  readonly in?: readonly string[] | undefined;
}

/** The pattern, as text, and its part behind the shapes where there are any; it begins with `^` then. */
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
