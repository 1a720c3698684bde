/** The part of bench/match.ts that runs in each runtime: the contenders, the strings, and one line of JSON. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createMatcher } from "../../src/detect/automaton/matcher.ts";
import { decodeTable, type Table } from "../../src/detect/automaton/tables.ts";
import { anchored, familiar, unanchored } from "../../src/generated/decision.ts";
import { identification } from "../../src/generated/identification.ts";
import { measure, type Report } from "./measure.ts";

const table = (text: string): Table => decodeTable(Buffer.from(text, "base64"));

// First of all, while nothing is compiled: so it is at every start.
const begin = performance.now();
const deciding = [table(unanchored), table(anchored)] as const;
createMatcher(...deciding, new RegExp(familiar, "y")).test("Mozilla/5.0");
const readyMs = performance.now() - begin;

const require = createRequire(import.meta.url);
const { detector } = await import("../../src/detect/built-in/detector.ts");
const { isCrawler: byExpression } = await import("../../src/expression.ts");
const { isbot } = require("isbot") as typeof import("isbot");
const patterns = (require("crawler-user-agents") as { pattern: string }[]).map(({ pattern }) => pattern);
const version = (name: string): string =>
  (
    JSON.parse(readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), "utf8")) as {
      version: string;
    }
  ).version;

const theirs = new RegExp(patterns.join("|"));
const plain = createMatcher(...deciding);

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
  isbot: (text: string): boolean => isbot(text),
  "crawler-user-agents, joined": (text: string): boolean => theirs.test(text),
};

const isAscii = (text: string): boolean => [...text].every((char) => char <= "~");
const visitors = new URL("../../node_modules/user-agents/dist/user-agents.json", import.meta.url);
const browsers = (JSON.parse(readFileSync(visitors, "utf8")) as { userAgent: string }[])
  .map(({ userAgent }) => userAgent)
  .filter(isAscii);
const familiarTo = new RegExp(`^(?:${familiar})`);
const sizeOf = (tables: readonly Table[]): number => tables.reduce((sum, { next }) => sum + next.buffer.byteLength, 0);

const report: Report = {
  runtime: process.versions.bun ? `Bun ${process.versions.bun}` : `Node ${process.versions.node}`,
  versions: ["isbot", "crawler-user-agents", "user-agents"].map((name) => `${name} ${version(name)}`).join(", "),
  readyMs,
  tableBytes: [sizeOf(deciding), sizeOf([table(identification)])],
  sets: {
    browsers: measure(contenders, browsers),
    "rare browsers": measure(
      contenders,
      browsers.filter((text) => familiarTo.exec(text)?.[0] !== text),
    ),
    crawlers: measure(contenders, detector.strings().filter(isAscii)),
  },
};
console.log(JSON.stringify(report));
