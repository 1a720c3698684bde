/** `whocrawls robots`: what a robots.txt says to each crawler, its mistakes, and whether it says what is expected. */
import { categories } from "../../detect/categories.ts";
import { parseSelection } from "../../detect/policy/selection.ts";
import {
  type CrawlerCheck,
  checkCrawlers,
  describeRules,
  isExpected,
  parseExpectation,
} from "../../robots/check-robots.ts";
import { createRobots } from "../../robots/crawler-rules.ts";
import { lintRobots, type RobotsWarning } from "../../robots/lint-robots.ts";
import { tokensOf, toNamedCrawlers, toWellKnownCrawlers } from "../../robots/robots-crawlers.ts";
import { parseRobots } from "../../robots/robots-file.ts";
import { findDamage } from "../../robots/robots-text.ts";
import { pad, widthOf } from "../../text/columns.ts";
import { toPlain, toPlainJson } from "../../text/plain-text.ts";
import { catalogueOption, openDetector } from "../catalogue-option.ts";
import { type Command, type Options, parseArguments, parseChoice, refuse, toOptionsHelp } from "../command.ts";
import { type ReadRobots, readRobots, toObeyedText } from "../robots/read-robots.ts";
import { print } from "../standard-streams.ts";

const options = {
  crawler: {
    takes: "WORDS",
    list: true,
    help: "only these crawlers: names, or words such as ai, ai:training, operator:Google",
  },
  all: { help: "all crawlers of the catalogue that have a token; default: the well-known ones" },
  expect: {
    takes: "LIST",
    list: true,
    help: "statuses of crawlers, such as ai:training=blocked,search-engine=allowed; if several words select a crawler, the last one counts\nall crawlers of the catalogue are checked; exit code 1 unless each has its status",
  },
  format: { takes: "NAME", help: "text or json; default: text" },
  catalogue: catalogueOption,
} satisfies Options;

const help = `Shows what a robots.txt says to crawlers, and what is probably wrong with it.

Usage: whocrawls robots FILE|URL [options]

  allowed         the path / is allowed; other rules are listed
  partly          / is not allowed, other paths are
  blocked         no path is allowed
  does not apply  the crawler's operator documents that robots.txt does not apply to it

A URL without a path names a site, whose /robots.txt is fetched: over http or https, at most 1 MB, within 10 seconds, and after at
most 5 redirects.

Options:
${toOptionsHelp(options, 20)}

Examples:
  whocrawls robots https://www.example.com
  whocrawls robots robots.txt --crawler ai
  whocrawls robots robots.txt --expect ai:training=blocked,search-engine=allowed
`;

export const command: Command = {
  name: "robots",
  summary: "show what a robots.txt says to crawlers",
  help,
  async run(args) {
    const usage = { least: 1, most: 1, otherwise: "Name one robots.txt, a file or a URL." };
    const { values, positionals } = parseArguments(args, options, usage);
    const { crawler: words, all, expect, catalogue } = values;
    const place = positionals[0]!;
    const format = parseChoice("--format", ["text", "json"], values.format ?? "text");
    refuse([[words !== undefined && all, "Choose one of --crawler and --all."]]);
    const detector = await openDetector(catalogue);
    const known = toNamedCrawlers(detector.catalogue.items);
    const shown = all
      ? known
      : words === undefined
        ? toWellKnownCrawlers(detector.catalogue)
        : known.filter(parseSelection(words, known));
    const expectation = expect && parseExpectation(expect.join(","), known);

    const read = await readRobots(place);
    const robots = createRobots(parseRobots(toObeyedText(read, place)));
    const warnings = [...servingWarnings(read), ...lintRobots(robots, tokensOf(known))];
    const crawlers = checkCrawlers(robots, shown);
    const checks = expectation === undefined ? [] : checkCrawlers(robots, known);
    const unexpected = checks.flatMap((check) => {
      const expected = expectation?.(check);
      return expected === undefined || isExpected(check.status, expected) ? [] : [{ ...check, expected }];
    });
    const result = { place, crawlers, warnings, ...(expectation && { unexpected }) };
    await print(format === "json" ? `${toPlainJson(result, 2)}\n` : toText(result));
    return unexpected.length > 0 ? 1 : 0;
  },
};

function servingWarnings({ text, served }: ReadRobots): RobotsWarning[] {
  if (served !== undefined && served.status >= 400)
    return [{ text: `the answer has the status ${served.status}: for crawlers everything is allowed` }];
  const damage = findDamage(text);
  const warnings: RobotsWarning[] = damage === undefined ? [] : [{ line: damage.line, text: damage.reason }];
  if (served !== undefined && !/^text\/plain\b/i.test(served.contentType ?? ""))
    warnings.push({
      text: `the answer has the content type ${served.contentType ?? "(none)"}; it should be text/plain`,
    });
  return warnings;
}

interface Result {
  readonly place: string;
  readonly crawlers: readonly CrawlerCheck[];
  readonly warnings: readonly RobotsWarning[];
  readonly unexpected?: readonly (CrawlerCheck & { readonly expected: string })[];
}

function toText({ place, crawlers, warnings, unexpected }: Result): string {
  const width = Math.max(0, ...crawlers.map(({ name }) => widthOf(name)));
  const byCategory = categories.flatMap((category) => {
    const rows = crawlers.filter((crawler) => crawler.category === category);
    return rows.length === 0
      ? []
      : [
          "",
          category,
          ...rows.map((row) => `  ${pad(row.name, width)}  ${row.status.padEnd(14)}  ${describeRules(row)}`),
        ];
  });
  const lines = [
    ...byCategory.slice(1),
    "",
    ...(warnings.length === 0 ? ["No warnings."] : ["Warnings:"]),
    ...warnings.map(({ line, text }) => `  ${place}${line === undefined ? "" : `:${line}`}: ${text}`),
  ];
  if (unexpected !== undefined) {
    const found = unexpected.map(
      (row) => `  ${row.name} is expected to be ${row.expected}: ${row.status}, ${describeRules(row)}`,
    );
    lines.push(
      "",
      ...(found.length === 0 ? ["All crawlers have the expected status."] : ["Not as expected:", ...found]),
    );
  }
  return `${lines.map(toPlain).join("\n")}\n`;
}
