/**
 * Limits for nginx's limit_req: one zone for each word of `--limit`. Its key is the crawler's name, and empty for people, whom limit_req
 * then never counts.
 */
import { createLimitOf, type LimitEntry } from "../detect/policy/limits.ts";
import { type SelectableCrawler, SelectionError, splitWords } from "../detect/policy/selection.ts";
import type { Item } from "./expressions.ts";

/** The limits of an export. */
export interface ExportLimits {
  /** In the order of the zones. */
  readonly entries: readonly LimitEntry[];
  /** The limit of an item: an entry of `entries`. */
  readonly limitOf: (item: Item) => LimitEntry | undefined;
}

/** Reads words with rates as nginx writes them, such as `ai=30r/m`. Throws SelectionError. */
export function parseExportLimits(words: readonly string[], crawlers: readonly SelectableCrawler[]): ExportLimits {
  const entries = splitWords(words).map((text): LimitEntry => {
    const [, word = "", count = "", unit = ""] = /^([^=]*)=([1-9]\d{0,8})r\/([sm])$/.exec(text) ?? [];
    if (unit === "")
      throw new SelectionError(
        `--limit takes words with nginx rates of at least 1, such as ai=30r/m or GPTBot=1r/s, not ${JSON.stringify(text)}.`,
      );
    return [word.trim(), `${count}/${unit}`];
  });
  return { entries, limitOf: createLimitOf(entries, crawlers) };
}

/** The zone of each limit, its rate in nginx's notation, and the seconds after which a crawler that exceeds it may try again. */
export function zonesOf({ entries }: ExportLimits, base: string) {
  return entries.map(([word, rate], index) => {
    const [burst = "", unit] = rate.split("/");
    return {
      name: `${base}_limit_${index + 1}`,
      rate: rate.replace("/", "r/"),
      burst,
      seconds: Math.ceil((unit === "m" ? 60 : 1) / Number(burst)),
      word,
    };
  });
}

/** The value of an item in the map of limits: the number of its zone, and what the zone counts together; empty without a limit. */
export function toLimitValue({ entries, limitOf }: ExportLimits, item: Item): string {
  const limit = limitOf(item);
  if (limit === undefined) return "";
  // nginx replaces `$name` in values, and a rule has no name.
  const who = (item.name ?? `rule ${item.pattern}`).replace(/[^\w .-]/g, "_");
  return `"${entries.indexOf(limit) + 1} ${who}"`;
}
