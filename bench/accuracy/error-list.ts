/** Writes the strings that whocrawls gets wrong for docs/measurements/accuracy.md, and reads them for the test. */
import type { Wanted } from "./corpora.ts";
import type { Outcome } from "./measure.ts";

const headings: Readonly<Record<Wanted, string>> = {
  crawler: "Crawlers that whocrawls misses",
  person: "People that whocrawls calls crawlers",
};

/** A user agent on one line: what cannot be seen is written as JSON writes it, blanks at the ends too. */
export function toLine(useragent: string): string {
  const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return useragent.replace(/^ +| +$/g, (blanks) => [...blanks].map(escaped).join("")).replace(/[^ -~]/g, escaped);
}

/** The section for one label, in Markdown: corpus by corpus, and reason by reason. */
export function errorSection(
  wanted: Wanted,
  outcomes: readonly Outcome[],
  reasonFor: (useragent: string, wanted: Wanted) => string,
): string {
  const mine = outcomes.filter(({ corpus, wrong }) => corpus.wanted === wanted && wrong.length > 0);
  const distinct = new Set(mine.flatMap(({ wrong }) => wrong)).size;
  const parts = mine.map(({ corpus: { name, source }, wrong }) => {
    const groups = Map.groupBy(wrong, (useragent) => reasonFor(useragent, wanted));
    const lists = [...groups]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([why, strings]) => `${why}:\n\n\`\`\`\`text\n${strings.map(toLine).join("\n")}\n\`\`\`\``);
    return `#### ${name} (${source}): ${wrong.length}\n\n${lists.join("\n\n")}`;
  });
  return [`### ${headings[wanted]}: ${distinct}`, ...(parts.length > 0 ? parts : ["None."])].join("\n\n");
}

/** The lines of the section for one label in a written report. */
export function listedErrors(report: string, wanted: Wanted): ReadonlySet<string> {
  const section = report.split(/^### /m).find((part) => part.startsWith(headings[wanted])) ?? "";
  const blocks = [...section.matchAll(/^````text\n(.*?)\n````$/gms)];
  return new Set(blocks.flatMap(([, lines]) => lines!.split("\n")));
}
