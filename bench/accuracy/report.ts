/** Writes the report: fills the places `{{…}}` of a template with the results. */
import type { Contribution } from "./contributions.ts";
import type { Corpus, Wanted } from "./corpora.ts";
import type { ComparedDetector } from "./detectors.ts";
import { errorSection } from "./error-list.ts";
import { measure, type Outcome, union } from "./measure.ts";

/** What a report is made of; the first detector is ours. */
export interface ReportInput {
  readonly detectors: readonly ComparedDetector[];
  readonly corpora: readonly Corpus[];
  readonly reasonFor: (useragent: string, wanted: Wanted) => string;
  readonly contributions: readonly Contribution[];
  /** Numbers of the catalogue. */
  readonly counts: { readonly entries: number; readonly rules: number; readonly exceptions: number };
}

/** The parts of the report by their names, in Markdown; the same input gives the same text. */
export function report({
  detectors,
  corpora,
  reasonFor,
  contributions,
  counts,
}: ReportInput): Readonly<Record<string, string>> {
  const neutral = corpora.filter(({ owner }) => owner === "");
  const labels: readonly Wanted[] = ["crawler", "person"];
  const rows = labels.flatMap((wanted) => {
    const plural = wanted === "crawler" ? "crawlers" : "people";
    return [
      ...corpora.filter((corpus) => corpus.wanted === wanted),
      union(`**all ${plural}**`, wanted, corpora),
      union(`**all ${plural} of independent corpora**`, wanted, neutral),
    ];
  });
  const outcomes = detectors.map((detector) => measure(detector.isCrawler, rows));
  const whole = rows.map((row, i) => ({ row, i })).filter(({ row }) => row.source === "");
  return {
    summary: table(
      ["", "strings", ...detectors.map(({ name }) => name)],
      whole.map(({ row, i }) => [
        row.name.replaceAll("*", ""),
        row.strings.length.toLocaleString("en"),
        ...outcomes.map((outcome) => cell(outcome[i]!)),
      ]),
    ),
    detectors: table(
      ["detector", "version", "definition of a crawler"],
      detectors.map(({ name, source, asked }) => [name, source.split("@").at(-1)!, asked]),
    ),
    results: table(
      ["corpus", "source", "origin", "label", "strings", ...detectors.map(({ name }) => name)],
      rows.map(({ name, source, owner, wanted, strings }, i) => [
        name,
        source,
        owner,
        wanted,
        String(strings.length),
        ...outcomes.map((outcome) => cell(outcome[i]!)),
      ]),
    ),
    contributions: table(
      ["rule", "crawlers only it finds", "people only it calls crawlers", "people that its exceptions exclude"],
      contributions.map(({ name, alone, heldBack }) => [
        name,
        String(alone.crawler),
        String(alone.person),
        String(heldBack.person),
      ]),
    ),
    errors: labels
      .map((wanted) =>
        errorSection(
          wanted,
          outcomes[0]!.filter(({ corpus }) => corpora.includes(corpus)),
          reasonFor,
        ),
      )
      .join("\n\n"),
    ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count.toLocaleString("en")])),
  };
}

/** A template with the parts of a report at its places, such as `{{results}}`. */
export function filled(template: string, parts: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (place, name: string) => parts[name] ?? unknownPlace(place));
}

function unknownPlace(place: string): never {
  throw new Error(`a template has an unknown place ${place}`);
}

/** Crawlers: how many are found. People: how many are called crawlers. Never rounded to 100% or 0. */
function cell({ corpus: { wanted, strings }, wrong }: Outcome): string {
  if (wanted === "crawler") {
    const found = Math.floor((1000 * (strings.length - wrong.length)) / strings.length) / 10;
    return wrong.length === 0 ? "100%" : `${found.toFixed(1)}%`;
  }
  if (wrong.length === 0) return "0";
  const share = (100 * wrong.length) / strings.length;
  return `${wrong.length} (${share.toFixed(share < 1 ? 2 : 1)}%)`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}
