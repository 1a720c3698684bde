/** The names of the catalogue's crawlers, to tell a name from a mistake. */
import { items } from "../generated/identification.ts";
import type { ItemFacts } from "./identify.ts";

let names: ReadonlySet<string> | undefined;

/** Whether the catalogue has a crawler of that name, whatever its case. */
export function isCrawlerName(name: string): boolean {
  names ??= new Set((JSON.parse(items) as ItemFacts[]).flatMap((item) => item.name?.toLowerCase() ?? []));
  return names.has(name.toLowerCase());
}
