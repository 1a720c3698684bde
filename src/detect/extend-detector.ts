/** A detector with a few entries of a program's own, without a compiler. */
import { countsNonAscii, countsNonAsciiProblem } from "../pattern/counts-non-ascii.ts";
import { printExactMatch } from "../pattern/exact-match.ts";
import { toExpression } from "../pattern/factor.ts";
import { finish } from "../pattern/finish.ts";
import { escapeLiteral, parseDataPattern } from "../pattern/parse.ts";
import { patternProblem } from "../pattern/pattern-problem.ts";
import { toRegExp } from "../pattern/print.ts";
import { repeatProblem } from "../pattern/repeats.ts";
import type { Tree } from "../pattern/tree.ts";
import { checkOptions, didYouMean, nearestWord } from "../text/nearest-word.ts";
import { isPlain } from "../text/plain-text.ts";
import { crc32 } from "./automaton/crc.ts";
import { categories, purposes } from "./categories.ts";
import { createDetection, createDetector } from "./create-detector.ts";
import { withCustom } from "./custom-test.ts";
import { type Addition, extendCatalogue } from "./extend-catalogue.ts";
import { type CrawlerFacts, factNames, maxEntryNameLength } from "./facts.ts";
import { browserString } from "./forms.ts";
import type { Detector } from "./verdict.ts";

/** A crawler that is added: the members of an entry of a custom catalogue. */
export interface CustomCrawler extends CrawlerFacts {
  readonly name: string;
  /** What its user agents contain, in the portable subset; a capital stands for either case. Default: the name. */
  readonly pattern?: string;
  /** The token that it obeys in robots.txt, if that is not the name. */
  readonly robots?: string;
  readonly examples?: readonly string[];
}

export interface ExtendOptions {
  /** At most 100; the first that matches names the crawler. */
  readonly crawlers: readonly CustomCrawler[];
}

const maxExtendedCrawlers = 100;

/**
 * Makes a detector with crawlers of your own, which precede all others; an entry of the same name is replaced. Takes a few
 * milliseconds, and each verdict some microseconds more: for many crawlers, and for bundles, use `whocrawls compile` and
 * `loadDetector`. Throws TypeError for a wrong crawler, and names it.
 *
 * @example
 * const own = extendDetector(detector, { crawlers: [{ name: "Acme Monitor", pattern: "AcmeMonitor/", category: "monitor" }] });
 * own.check("AcmeMonitor/2.1").name; // "Acme Monitor"
 */
export function extendDetector(base: Detector, options: ExtendOptions): Detector {
  checkOptions("extendDetector()", "{ crawlers: [{ name, category }] }", ["crawlers"], options);
  const { crawlers } = options;
  if (!Array.isArray(crawlers) || crawlers.length > maxExtendedCrawlers)
    throw new TypeError(
      `\`crawlers\` must be a list of at most ${maxExtendedCrawlers}; for more, use whocrawls compile.`,
    );
  if (crawlers.length === 0) return base;
  // A list with gaps has undefined in them.
  const additions = Array.from(crawlers, toAddition);
  const names = additions.map(({ facts }) => facts.name.toLowerCase());
  const repeated = names.findIndex((name, index) => names.indexOf(name) < index);
  if (repeated >= 0) throw new TypeError(`Two crawlers are named ${JSON.stringify(crawlers[repeated]!.name)}.`);
  const text = JSON.stringify(crawlers).replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0)}`);
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const version = `${base.version}.own.${crc32(bytes).toString(16).padStart(8, "0")}`;
  const nameIndex = additions.map(({ tree }) => printExactMatch(tree));
  const own = toExpression(additions.map(({ tree }) => tree));
  const catalogue = finish(extendCatalogue(base.catalogue, { version, additions, own, nameIndex }));
  // The base decides about all others, as it did before.
  return createDetector(catalogue, createDetection(catalogue, withCustom(base, catalogue.own)));
}

function toAddition(crawler: CustomCrawler): Addition & { readonly tree: Tree } {
  checkOptions(
    "A crawler",
    '{ name: "Acme", category: "monitor" }',
    ["name", "pattern", "robots", "examples", ...factNames()],
    crawler,
  );
  const { name, pattern = escapeLiteral(String(name)), examples = [], ...facts } = crawler;
  const report = (what: string): TypeError => new TypeError(`The crawler ${JSON.stringify(name)}: ${what}`);
  checkValues(crawler, report);
  if (!categories.includes(facts.category))
    throw report(
      `there is no category ${JSON.stringify(facts.category)}.${didYouMean(nearestWord(String(facts.category), categories))}`,
    );
  const problem = patternProblem(pattern, repeatProblem);
  if (problem !== undefined) throw report(`${problem}.`);
  const tree = parseDataPattern(pattern);
  if (countsNonAscii(tree)) throw report(`the pattern ${countsNonAsciiProblem}.`);
  const expression = toRegExp(tree);
  if (expression.test(browserString))
    throw report(`its pattern matches browsers, such as ${JSON.stringify(browserString)}.`);
  const unmatched = examples.find((example) => !expression.test(example));
  if (unmatched !== undefined) throw report(`its pattern does not match the example ${JSON.stringify(unmatched)}.`);
  return { facts: { name, ...facts, pattern }, tree, examples };
}

/** For callers in JavaScript: logs, pages and configuration show these values. */
function checkValues(crawler: CustomCrawler, report: (what: string) => TypeError): void {
  const { name, pattern, operator, maker, robots, url, examples, purposes: given } = crawler;
  for (const [member, value] of Object.entries({ name, pattern, operator, maker, robots })) {
    const isAbsent = value === undefined && member !== "name";
    if (!isAbsent && (typeof value !== "string" || value === "" || !isPlain(value)))
      throw report(`\`${member}\` must be a one-line string without invisible characters.`);
  }
  if (name.length > maxEntryNameLength) throw report(`\`name\` can have at most ${maxEntryNameLength} characters.`);
  if (url !== undefined && !(typeof url === "string" && /^https?:\/\/[!-~]+$/.test(url)))
    throw report("`url` must begin with https:// or http://.");
  if (examples !== undefined && !isListOf(examples, (one) => typeof one === "string"))
    throw report("`examples` must be a list of strings.");
  if (given !== undefined && !isListOf(given, (one) => purposes.some((purpose) => purpose === one)))
    throw report(`\`purposes\` must be a list of ${purposes.join(", ")}.`);
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
