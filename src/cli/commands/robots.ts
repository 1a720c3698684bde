/** `whocrawls robots`: what a robots.txt says to each crawler, its mistakes, and whether crawlers have the expected statuses. */
import { categories } from "../../detect/categories.ts";
import { parseSelection } from "../../detect/policy/selection.ts";
import { finish } from "../../pattern/finish.ts";
import {
  type CrawlerCheck,
  checkCrawlers,
  describeRules,
  isExpected,
  parseExpectation,
} from "../../robots/check-robots.ts";
import { createRobots } from "../../robots/crawler-rules.ts";
import { lintRobots } from "../../robots/lint-robots.ts";
import { tokensOf, toNamedCrawlers, toWellKnownCrawlers } from "../../robots/robots-crawlers.ts";
import { parseRobots } from "../../robots/robots-file.ts";
import { findInvalidContent } from "../../robots/robots-text.ts";
import type { RobotsWarning } from "../../robots/robots-warning.ts";
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
  all: { help: "all crawlers in the catalogue that have a robots.txt token; default: the well-known ones" },
  expect: {
    takes: "LIST",
    list: true,
    help: "expected statuses of crawlers, such as ai:training=blocked,search-engine=allowed; if several words select a crawler, the last one wins\nchecks all crawlers in the catalogue; exits with 1 unless each has the expected status",
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

For a URL without a path, the site's /robots.txt is fetched: over HTTP or HTTPS, at most 1 MB, within 10 seconds, and with at
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
    const usage = { least: 1, most: 1, otherwise: "Specify one robots.txt: a file or a URL." };
    const { values, positionals } = parseArguments(args, options, usage);
    const { crawler: words, all, expect, catalogue } = values;
    const place = positionals[0]!;
    const format = parseChoice("--format", ["text", "json"], values.format ?? "text");
    refuse([[words !== undefined && all, "Use either --crawler or --all, not both."]]);
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
    const warnings = [...servingWarnings(read), ...finish(lintRobots(robots, tokensOf(known)))];
    const crawlers = finish(checkCrawlers(robots, shown));
    const checks = expectation === undefined ? [] : finish(checkCrawlers(robots, known));
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
    return [{ text: `the server responded with status ${served.status}: crawlers treat everything as allowed` }];
  const damage = findInvalidContent(text);
  const warnings: RobotsWarning[] = damage === undefined ? [] : [{ line: damage.line, text: damage.reason }];
  if (served !== undefined && !/^text\/plain\b/i.test(served.contentType ?? ""))
    warnings.push({
      text: `the response has the content type ${served.contentType ?? "(none)"}; it should be text/plain`,
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
      (row) => `  ${row.name}: expected ${row.expected}, but is ${row.status}, ${describeRules(row)}`,
    );
    lines.push(
      "",
      ...(found.length === 0 ? ["All crawlers have the expected status."] : ["Unexpected statuses:", ...found]),
    );
  }
  return `${lines.map(toPlain).join("\n")}\n`;
}
