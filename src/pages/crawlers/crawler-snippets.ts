/**
 * Configuration that allows or blocks one crawler, for the page to show. Each is what `whocrawls export` writes of a
 * catalogue that has this one entry only: short enough to read. The command itself also gives each string to one crawler.
 */

import type { Detector } from "../../detect/verdict.ts";
import type { Item } from "../../export/expressions.ts";
import { toCommand } from "../../export/request.ts";
import { shorten } from "../../export/short-form.ts";
import { targets } from "../../export/targets.ts";
import { UserError } from "../../text/errors.ts";
import type { Snippet } from "../snippet.ts";

/** Requests (robots.txt) come before enforcement. Targets with forms, such as SQL, are omitted: they cover all crawlers. */
const order = Object.entries(targets)
  .filter(([, { forms }]) => forms === undefined)
  .sort(([a], [b]) => Number(b === "robots.txt") - Number(a === "robots.txt"));

/** Makes the function that writes the snippets of a crawler by its name, in steps; `items`, `version` and the known strings are the catalogue's. */
export function createSnippets(
  items: () => readonly Item[],
  { version, strings }: Pick<Detector, "version" | "strings">,
): (name: string) => Generator<undefined, Snippet[]> {
  let byName: ReadonlyMap<string | undefined, Item> | undefined;
  return function* (name) {
    byName ??= new Map(items().map((item) => [item.name, item]));
    const item = byName.get(name);
    if (item === undefined) return [];
    const variable = `is_${name.toLowerCase().replace(/[^a-z0-9]+/g, "_")}`.slice(0, 64);
    const snippets: Snippet[] = [];
    for (const [target, { write }] of order) {
      yield;
      const command = toCommand([target, "--name", name]);
      const request = {
        crawlers: [item.expression],
        expression: item.expression,
        items: [item],
        variable,
        command,
        version,
        known: strings(),
        itemOf: () => 0,
        selection: (other: { readonly name?: string }) => other.name === name,
      };
      try {
        snippets.push({ title: target, code: write(target === "robots.txt" ? request : shorten(request)) });
      } catch (error) {
        // The program cannot express this crawler.
        if (!(error instanceof UserError)) throw error;
      }
    }
    return snippets;
  };
}
