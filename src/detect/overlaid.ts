/** Decides with a catalogue that a custom one has changed: with the automata of the catalogue below, and an index for what has changed. */
import type { OverlayTables } from "./compiled-catalogue.ts";
import type { Decider } from "./decider.ts";
import { NameIndex } from "./name-index.ts";
import { toAsciiText, toText } from "./text.ts";

/**
 * Makes the function that decides; it needs to know whether the automata of the catalogue below accept the string. Only those that contain
 * something that was removed need more than one look.
 */
export function createOverlayTest({ lost, kept, added }: OverlayTables): (isBelow: boolean, text: string) => boolean {
  const [isLost, isKept, isAdded] = [createLinesTest(lost), createLinesTest(kept), createLinesTest(added)];
  return (isBelow, text) => (isBelow ? !isLost(text) || isKept(text) : isAdded(text));
}

/** A decider with the changes of `overlay`; `below` is that of the catalogue that it changes. */
export function withOverlay(below: Decider, overlay: OverlayTables): Decider {
  const decide = createOverlayTest(overlay);
  const mayAdd = overlay.added.length > 0;
  return {
    isCrawler(useragent) {
      const text = toText(useragent);
      return decide(below.isCrawler(text), text);
    },
    isCrawlerBytes(useragent, from, to) {
      const isBelow = below.isCrawlerBytes(useragent, from, to);
      return isBelow || mayAdd ? decide(isBelow, toAsciiText(useragent, from, to)) : false;
    },
  };
}

/** Tells whether a line of an index of names matches; the index is read at the first call. */
function createLinesTest(lines: readonly string[]): (text: string) => boolean {
  if (lines.length === 0) return () => false;
  let index: NameIndex | undefined;
  return (text) => {
    index ??= new NameIndex(lines);
    return index.find(text) !== undefined;
  };
}
