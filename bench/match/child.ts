/** The part of bench/match.ts that runs in each runtime: the contenders, the strings, and one line of JSON. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createMatcher, find } from "../../src/automaton/run.ts";
import { createFastMatcher } from "../../src/automaton/shortcuts.ts";
import { decodeSieve } from "../../src/automaton/sieve.ts";
import { decodeTable, type Table } from "../../src/automaton/tables.ts";
import { familiar, opening, search, sieve } from "../../src/generated/decision.ts";
import { identification } from "../../src/generated/identification.ts";
import { measure, type Report } from "./measure.ts";

const milliseconds = (begin: number): string => `${(performance.now() - begin).toFixed(1)} ms`;
const kilobytes = (...tables: Table[]): string =>
  `${Math.ceil(tables.reduce((sum, { rows, chains }) => sum + rows.byteLength + chains.byteLength, 0) / 1000)} kB`;
const bytes = (text: string): Uint8Array => Buffer.from(text, "base64");

// First of all, while nothing is compiled: so it is at every start.
const begin = performance.now();
const deciding = [decodeTable(bytes(search)), decodeTable(bytes(opening))] as const;
const sifting = decodeSieve(bytes(sieve));
createFastMatcher(...deciding, { sieve: sifting, familiar: new RegExp(familiar) }).test("Mozilla/5.0");
const loaded = milliseconds(begin);
const later = performance.now();
const identifying = decodeTable(bytes(identification));
const start =
  `Ready to decide in ${loaded}, with tables of ${kilobytes(...deciding)} and a sieve of 16 kB; ` +
  `ready to identify ${milliseconds(later)} later, with a table of ${kilobytes(identifying)}`;

const require = createRequire(import.meta.url);
const { detector } = await import("../../src/detect/default.ts");
const { isbot, getPattern } = require("isbot") as typeof import("isbot");
const patterns = (require("crawler-user-agents") as { pattern: string }[]).map(({ pattern }) => pattern);
const version = (name: string): string =>
  (
    JSON.parse(readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), "utf8")) as {
      version: string;
    }
  ).version;

const isbotsExpression = getPattern();
const expression = new RegExp(detector.expression);
const each = detector.alternatives.map((alternative) => new RegExp(alternative));
const theirsJoined = new RegExp(patterns.join("|"));
const theirsEach = patterns.map((pattern) => new RegExp(pattern));
const plain = createMatcher(...deciding);
const sieveOnly = createFastMatcher(...deciding, { sieve: sifting, familiar: /^(?!)/ });

const reading = (text: string): boolean => {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i);
  return sum > 0;
};

const tables = {
  peers: {
    "reading the characters": reading,
    isCrawler: detector.isCrawler,
    check: (text: string): boolean => detector.check(text).crawler,
    "our expression": (text: string): boolean => expression.test(text),
    isbot: (text: string): boolean => isbot(text),
    "isbot's expression": (text: string): boolean => isbotsExpression.test(text),
    "crawler-user-agents, joined": (text: string): boolean => theirsJoined.test(text),
    "crawler-user-agents, in a loop": (text: string): boolean => theirsEach.some((pattern) => pattern.test(text)),
  },
  // Apart from the peers: engines make one function slower that serves several automata.
  ways: {
    "reading the characters": reading,
    "our alternatives, in a loop": (text: string): boolean => each.some((alternative) => alternative.test(text)),
    "our expression": (text: string): boolean => expression.test(text),
    "our automata, walked": plain.test,
    "and with the sieve": sieveOnly.test,
    isCrawler: detector.isCrawler,
    "the automaton that identifies": (text: string): boolean => find(identifying, text).output > 0,
  },
};
const contenders = process.argv[2] === "ways" ? tables.ways : tables.peers;

const isAscii = (text: string): boolean => [...text].every((char) => char <= "~");
const visitors = new URL("../../node_modules/user-agents/dist/user-agents.json", import.meta.url);
const browsers = (JSON.parse(readFileSync(visitors, "utf8")) as { userAgent: string }[])
  .map(({ userAgent }) => userAgent)
  .filter(isAscii);
const crawlers = detector.strings().filter(isAscii);
const familiarTo = new RegExp(familiar);
const size = Math.floor(Math.min(browsers.length / 3, crawlers.length));

/** `count` of `strings`, evenly spread. */
function some(strings: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, i) => strings[Math.floor((i * strings.length) / count)]!);
}

const report: Report = {
  runtime: process.versions.bun ? `Bun ${process.versions.bun}` : `Node ${process.versions.node}`,
  versions: ["isbot", "crawler-user-agents", "user-agents"].map((name) => `${name} ${version(name)}`).join(", "),
  start,
  sets: {
    browsers: measure(contenders, browsers),
    "rare browsers": measure(
      contenders,
      browsers.filter((text) => !familiarTo.test(text)),
    ),
    crawlers: measure(contenders, crawlers),
    "3 : 1": measure(contenders, [...some(browsers, size * 3), ...some(crawlers, size)]),
  },
};
console.log(JSON.stringify(report));
