/** Prints what changes from one catalogue to another, for the command diff. */
import { existsSync } from "node:fs";
import { diffCrawlers, diffVerdict } from "../catalogue/diff-catalogues.ts";
import type { Detector } from "../detect/verdict.ts";
import type { RecordTarget } from "../record/open-store.ts";
import { toPlain } from "../text/plain-text.ts";
import { print } from "./print-output.ts";

/** Prints crawlers and the strings that get another verdict; resolves with the numbers as a sentence. */
export async function printDiff(
  before: Detector,
  after: Detector,
  strings: AsyncIterable<readonly string[]>,
): Promise<string> {
  const { added, removed, changed } = diffCrawlers(before, after);
  const lines = [
    ...removed.map((name) => `- ${name}`),
    ...added.map((name) => `+ ${name}`),
    ...changed.map(({ name, facts }) => `~ ${name}: ${facts.join(", ")}`),
  ];
  await print(lines.map((line) => `${toPlain(line)}\n`).join(""));
  let compared = 0;
  let different = 0;
  for await (const page of strings) {
    for (const useragent of page) {
      compared++;
      const change = diffVerdict(before, after, useragent);
      if (change === undefined) continue;
      different++;
      await print(`${toPlain(change)}\t${toPlain(useragent)}\n`);
    }
  }
  return `${added.length} ${added.length === 1 ? "crawler" : "crawlers"} added, ${removed.length} removed, ${changed.length} changed; ${different} of ${compared} strings get another verdict`;
}

/** The strings of a record, which is only read; undefined if there is none. */
export function recordedStrings(target: RecordTarget): AsyncGenerator<readonly string[]> | undefined {
  if (target.kind === "off" || target.kind === "memory") return undefined;
  if (target.kind === "sqlite" && !existsSync(target.place)) return undefined;
  return readStrings(target);
}

async function* readStrings(target: RecordTarget): AsyncGenerator<readonly string[]> {
  const [{ createStore }, { listPages }] = await Promise.all([
    import("../record/open-store.ts"),
    import("../record/paging.ts"),
  ]);
  const store = await createStore(target);
  if (store === undefined) return;
  await store.open();
  try {
    for await (const rows of listPages(store, {})) yield rows.map(({ useragent }) => useragent);
  } finally {
    await store.close();
  }
}
