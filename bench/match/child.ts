/** The part of bench/match.ts that runs in each runtime: the contenders, and one line of JSON. */
import { createRequire } from "node:module";
import { createMatcher } from "../../src/detect/automaton/matcher.ts";
import { decodeTable, type Table } from "../../src/detect/automaton/tables.ts";
import { NameIndex } from "../../src/detect/name-index.ts";
import { fromBytesText } from "../../src/detect/text.ts";
import { anchored, unanchored } from "../../src/generated/decision.ts";
import { packageVersion } from "../installed-package.ts";
import { hardStrings } from "./hard-strings.ts";
import { measure, type Times, toText } from "./measure.ts";

export interface Report {
  readonly runtime: string;
  readonly versions: string;
  /** CPU time from the import of the library to its first verdict. */
  readonly readyMs: number;
  /** Of the tables that decide, when all their rows are filled in. */
  readonly tableBytes: number;
  /** By the name of a string that is hard to name: CPU microseconds a kilobyte, when it is read first and again. */
  readonly hard: Readonly<Record<string, readonly [first: number, again: number]>>;
  /** By the set of strings and the contender. */
  readonly sets: Readonly<Record<string, Readonly<Record<string, Times>>>>;
}

// First of all, while nothing is compiled, and from dist/, whose tables are ready to use: a program starts like this.
const begin = process.cpuUsage();
const bundle = new URL("../../dist/index.js", import.meta.url).href;
const library = (await import(bundle)) as typeof import("../../src/index.ts");
library.isCrawler("Mozilla/5.0");
const used = process.cpuUsage(begin);
const readyMs = (used.user + used.system) / 1000;

const table = (text: string): Table => decodeTable(fromBytesText(text));
const deciding = [table(unanchored), anchored.map(table)] as const;

const require = createRequire(import.meta.url);
const { sets } = await import("./sets.ts");
const { detector } = await import("../../src/detect/built-in/detector.ts");
const { isCrawler: byExpression } = await import("../../src/expression.ts");
const { isbot } = require("isbot") as typeof import("isbot");
const patterns = (require("crawler-user-agents") as { pattern: string }[]).map(({ pattern }) => pattern);
const theirs = new RegExp(patterns.join("|"));
const plain = createMatcher(...deciding);
const whole = new RegExp(detector.expression);

const contenders = {
  "reading the characters": (text: string): boolean => {
    let sum = 0;
    for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i);
    return sum > 0;
  },
  isCrawler: (text: string): boolean => detector.isCrawler(text),
  "without familiar strings": (text: string): boolean => plain.test(text),
  check: (text: string): boolean => detector.check(text).crawler,
  "our expression (whocrawls/expression)": (text: string): boolean => byExpression(text),
  "our expression, not split": (text: string): boolean => whole.test(text),
  isbot: (text: string): boolean => isbot(text),
  "crawler-user-agents, joined": (text: string): boolean => theirs.test(text),
};

/** With an index of its own, whose expressions have not been compiled. */
function measureHard(text: string): readonly [first: number, again: number] {
  const index = new NameIndex(detector.catalogue.nameIndex);
  index.find("FooBot/1.0");
  const time = (): number => {
    const begin = process.cpuUsage();
    index.find(text);
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / (text.length / 1000);
  };
  return [time(), time()];
}

const report: Report = {
  runtime: process.versions.bun ? `Bun ${process.versions.bun}` : `Node ${process.versions.node}`,
  versions: ["isbot", "crawler-user-agents", "user-agents"].map(packageVersion).join(", "),
  readyMs,
  tableBytes: deciding.flat().reduce((sum, { next }) => sum + next.buffer.byteLength, 0),
  hard: Object.fromEntries(
    [...hardStrings(detector.catalogue.nameIndex)].map(([name, text]) => [name, measureHard(text)]),
  ),
  sets: Object.fromEntries(Object.entries(sets).map(([name, strings]) => [name, measure(contenders, strings, toText)])),
};
console.log(JSON.stringify(report));
