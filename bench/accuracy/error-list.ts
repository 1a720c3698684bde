/** How docs/accuracy.md writes the strings we get wrong, and what the file lists: the test reads what the command wrote. */
import type { Wanted } from "./corpora.ts";
import type { Outcome } from "./measure.ts";

/** Says why strings of a kind are wrong, or why the label is; the first that matches is taken. */
export interface Reason {
  readonly wanted: Wanted;
  /** A JavaScript expression. */
  readonly pattern: string;
  readonly why: string;
}

const headings: Readonly<Record<Wanted, string>> = {
  crawler: "Crawlers that whocrawls misses",
  person: "People whom whocrawls takes for crawlers",
};

const noReason = "Not looked into yet";

/** A user agent on one line: what cannot be seen is written as JSON writes it, blanks at the ends too. */
export function toLine(useragent: string): string {
  const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return useragent.replace(/^ +| +$/g, (blanks) => [...blanks].map(escaped).join("")).replace(/[^ -~]/g, escaped);
}

/** The section for one label, in Markdown: corpus by corpus, and reason by reason. */
export function errorSection(wanted: Wanted, outcomes: readonly Outcome[], reasons: readonly Reason[]): string {
  const mine = outcomes.filter(({ corpus, wrong }) => corpus.wanted === wanted && wrong.length > 0);
  const distinct = new Set(mine.flatMap(({ wrong }) => wrong)).size;
  const parts = mine.map(({ corpus, wrong }) => {
    const groups = Map.groupBy(wrong, (useragent) => reasonFor(wanted, useragent, reasons));
    const lists = [...groups]
      .sort(([a], [b]) => Number(a === noReason) - Number(b === noReason) || (a < b ? -1 : 1))
      .map(([why, strings]) => `${why}:\n\n\`\`\`\`text\n${strings.map(toLine).join("\n")}\n\`\`\`\``);
    const origin = corpus.source === corpus.name ? "" : ` (${corpus.source})`;
    return `### ${corpus.name}${origin}: ${wrong.length}\n\n${lists.join("\n\n")}`;
  });
  return [`## ${headings[wanted]}: ${distinct}`, ...(parts.length > 0 ? parts : ["None."])].join("\n\n");
}

function reasonFor(wanted: Wanted, useragent: string, reasons: readonly Reason[]): string {
  const reason = reasons.find((one) => one.wanted === wanted && new RegExp(one.pattern).test(useragent));
  return reason?.why ?? noReason;
}

/** The lines of the section for one label in a written report. */
export function listedErrors(report: string, wanted: Wanted): ReadonlySet<string> {
  const section = report.split(/^## /m).find((part) => part.startsWith(headings[wanted])) ?? "";
  const blocks = [...section.matchAll(/^````text\n(.*?)\n````$/gms)];
  return new Set(blocks.flatMap(([, lines]) => lines!.split("\n")));
}
