/** An explanation as text: the user agent, and below it the matches, underlined as in compilers' error messages. */

import { toFormsText } from "../detect/forms.ts";
import type { ExplainedMatch, ExplainedVerdict } from "../detect/verdict.ts";
import { capitalize } from "../text/capitalize.ts";
import { invisible } from "../text/plain-text.ts";

/** A few lines that end with an empty one. */
export function toExplanationText(verdict: ExplainedVerdict): string {
  const lines = [summaryOf(verdict), `  ${visible(verdict.useragent)}`, ...verdict.explanation.flatMap(linesOf)];
  if (verdict.explanation.length === 0) lines.push("  No pattern of the catalogue matches.");
  const { verification, network } = verdict;
  if (verification !== undefined) lines.push(`  ${capitalize(verification.status)}: ${visible(verification.reason)}.`);
  if (network !== undefined) lines.push(`  Network: ${network.kind}, ${network.provider}.`);
  return `${lines.join("\n")}\n\n`;
}

function summaryOf({ crawler, name, operator, maker, category, purposes }: ExplainedVerdict): string {
  if (!crawler) return "Not a crawler.";
  const whose = operator === undefined ? maker && `made by ${maker}` : `of ${operator}`;
  const facts = [whose, category, purposes?.join(" and ")];
  return `A crawler: ${[visible(name ?? "without a name"), ...facts.filter((fact) => fact !== undefined)].join(", ")}.`;
}

function linesOf({ kind, name, category, pattern, start, end, heldBackBy, ...match }: ExplainedMatch): string[] {
  const namesOnly = `names it; other patterns match it ${toFormsText(category)}`;
  const fate = match.decides ? "decides" : match.namesOnly ? namesOnly : "held back";
  const item = kind === "rule" || name !== pattern ? `${kind} ${name}, ${pattern}` : `${kind} ${name}`;
  return [
    `${underline(start, end)} ${item}: ${fate}`,
    ...(heldBackBy ?? []).map((exception) => {
      return `${underline(exception.start, exception.end)} by ${exception.pattern}: ${exception.why}`;
    }),
  ];
}

function underline(start: number, end: number): string {
  return `  ${" ".repeat(start)}${"^".repeat(Math.max(1, end - start))}`;
}

/** User agents may contain terminal escapes. Each character is replaced by one, so that positions stay correct. */
function visible(text: string): string {
  return text.replace(invisible, (character) => "\uFFFD".repeat(character.length));
}
