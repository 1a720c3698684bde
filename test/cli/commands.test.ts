/** The commands, their output and exit codes, as rows of a table, on both runtimes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toExpressions } from "../../src/export/expressions.ts";
import { type Outcome, runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const expressions = toExpressions(detector.catalogue);

const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const person = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36";
const verdict = (useragent: string): string => JSON.stringify(detector.check(useragent));

interface Row {
  readonly args: readonly string[];
  readonly code?: number;
  readonly stdout?: string | RegExp;
  readonly stderr?: string | RegExp;
}

const rows: readonly Row[] = [
  { args: ["check", googlebot], stdout: `${verdict(googlebot)}\n` },
  { args: ["check", person], stdout: `${JSON.stringify({ useragent: person, crawler: false })}\n` },
  { args: ["check", googlebot, person], stdout: `${verdict(googlebot)}\n${verdict(person)}\n` },
  { args: ["check", "--json", person], stdout: `${verdict(person)}\n` },
  { args: ["check", ""], stdout: `${verdict("")}\n` },
  { args: ["check", "--", "-odd-"], stdout: `${verdict("-odd-")}\n` },
  { args: ["check", "--", "-"], stdout: `${verdict("-")}\n` },
  { args: ["check", "--", "--help"], stdout: `${verdict("--help")}\n` },
  { args: ["list", "--limit", "1", "--limit", "2"], code: 2, stderr: /--limit is given twice/ },
  {
    args: ["check", "--xml", "a<b"],
    stdout:
      '<?xml version="1.0" encoding="UTF-8"?><check><useragent>a&lt;b</useragent><crawler>false</crawler></check>\n',
  },
  { args: ["check", "--exit-code", person], code: 0, stdout: `${verdict(person)}\n` },
  { args: ["check", "--exit-code", googlebot], code: 1, stdout: `${verdict(googlebot)}\n` },
  { args: ["check", "--explain", person], stdout: /^Not a crawler\.\n {2}Mozilla/ },
  { args: ["check", "--explain", googlebot], stdout: /^A crawler: Googlebot, of Google, search-engine, search\.\n/ },
  {
    args: ["check", "--explain", "Mozilla/5.0 (Linux; Android 9; CUBOT_X18)"],
    stdout: /\n {35}\^{3} rule bot, .*: held back\n {33}\^{5} by CUBOT: .*phones\n/,
  },
  {
    args: ["check", "--explain", "--json", "FooBot"],
    stdout: /^\{"useragent":"FooBot","crawler":true,.*"explanation":\[\{/,
  },
  { args: ["check", "--explain", "--exit-code", googlebot], code: 1, stdout: /^A crawler/ },
  { args: ["check", "--explain", "--xml", person], code: 2, stderr: /--explain has no XML/ },
  { args: ["check"], code: 2, stderr: /Give a user agent, or - / },
  { args: ["check", "--exit-code", person, person], code: 2, stderr: /single user agent/ },
  { args: ["check", "--exit-code", "-"], code: 2, stderr: /single user agent/ },
  { args: ["check", "--json", "--xml", person], code: 2, stderr: /one of --json and --xml/ },
  { args: ["check", "-", person], code: 2, stderr: /either user agents or -/ },
  { args: ["check", "--nonsense", person], code: 2, stderr: /Unknown option '--nonsense'\.\n/ },
  { args: ["check", "--exitcode", person], code: 2, stderr: /'--exitcode'\. Did you mean "--exit-code"\?\n/ },
  { args: ["list", "--limits", "2"], code: 2, stderr: /Did you mean "--limit"\?/ },
  { args: ["serve", "--trust-proxy", "-1"], code: 2, stderr: /--trust-proxy takes a value; .* --trust-proxy=-VALUE/ },
  { args: ["serve", "--tokens", "x"], code: 2, stderr: /Did you mean "--token"\?/ },
  { args: ["list", "--limit", "2"], stdout: /^[^\n]+\n[^\n]+\n$/ },
  {
    args: ["list", "-q", "googlebot/2.1", "--category", "search-engine", "--limit", "1"],
    stdout: /^.*Googlebot\/2\.1/,
  },
  { args: ["list", "--json", "--limit", "0"], stdout: /^\{"version":".*","total":\d+,.*"items":\[\]\}\n$/ },
  { args: ["list", "--xml", "--limit", "0"], stdout: /^<\?xml .*\?>\n<list version=".*<\/list>\n$/ },
  { args: ["list", "--category", "nonsense"], code: 2, stderr: /category/ },
  { args: ["list", "--limit=-1"], code: 2, stderr: /limit/ },
  { args: ["list", "surplus"], code: 2, stderr: /"surplus"/ },
  { args: ["regexp"], stdout: `${detector.expression}\n` },
  { args: ["regexp", googlebot], stdout: /^[^\n]+\n/ },
  { args: ["regexp", person], stdout: "" },
  { args: ["regexp", "a", "b"], code: 2, stderr: /quotes/ },
  { args: ["regexp", "--flavor", "posix"], stdout: `${expressions.posix}\n` },
  { args: ["regexp", "--flavor", "nonsense"], code: 2, stderr: /one of portable, compact, posix/ },
  { args: ["export", "automaton"], stdout: /^WCA4/ },
  { args: ["export"], code: 2, stderr: /Name a target/ },
  {
    args: ["export", "nginx", "--name", "GPTBot"],
    stdout: /^# Crawlers .* --name GPTBot \(whocrawls [\d.]+\+.*\)\n[\s\S]*\$is_crawler/,
  },
  {
    args: ["export", "catalogue", "--format", "csv"],
    stdout: /^name,operator,.*,pattern\r\n/,
  },
  { args: ["export", "sql", "--dialect", "oracle"], code: 2, stderr: /--dialect takes duckdb, / },
  { args: ["export", "sql", "--statements", "--table", "requests"], code: 2, stderr: /--column need each other/ },
  {
    args: ["export", "sql", "--statements", "--table", "a", "--column", "b", "--category", "ai"],
    code: 2,
    stderr: /leave out --category/,
  },
  { args: ["export", "nginx", "--statements"], code: 2, stderr: /--statements is not for nginx/ },
  {
    args: ["export", "sql", "--dialect", "spark", "--statements", "--table", "logs.requests", "--column", "user-agent"],
    stdout:
      /^-- Crawlers [\s\S]*COALESCE\(logged\.`user-agent`, ''\) AS ua, 0 AS checked FROM `logs`\.`requests` AS logged/,
  },
  { args: ["export", "robots.txt", "--as", "x"], code: 2, stderr: /--as is not for robots\.txt/ },
  { args: ["export", "sql", "--short"], code: 2, stderr: /--short is not for sql/ },
  { args: ["export", "automaton", "--category", "ai"], code: 2, stderr: /--category is not for automaton/ },
  {
    args: ["export", "nginx", "--category", "seos"],
    code: 2,
    stderr: /category "seos"\. Did you mean "seo"\? There are advertising, ai, .*seo/,
  },
  { args: ["export", "nginx", "--operator", "OpenAl"], code: 2, stderr: /Did you mean "OpenAI"\?/ },
  { args: ["export", "nginx", "--name", "GTPBot"], code: 2, stderr: /Did you mean "GPTBot"\?/ },
  { args: ["export", "nginx", "--format", "json"], code: 2, stderr: /--format is not for nginx/ },
  { args: ["export", "nginx", "--except", "nobody"], code: 2, stderr: /"nobody" selects no crawler/ },
  {
    args: ["export", "robots.txt", "--purpose", "training", "--except", "ai:search"],
    stdout: /\nUser-agent: YouBot\n/,
    stderr: /^These crawlers stay, because they also have another purpose; .*, YouBot \(training, search\)\.\n$/,
  },
  {
    args: ["export", "robots.txt", "--purpose", "training", "--except", "GPTBot,ai:agent"],
    stdout: /CCBot/,
    stderr: /^$/,
  },
  { args: ["serve", "surplus"], code: 2, stderr: /"surplus"/ },
  { args: ["serve", "--port", "70000"], code: 2, stderr: /--port is "70000"; it must be a number from 0 to 65535/ },
  { args: ["serve", "--host", "http://x"], code: 2, stderr: /--host is "http:\/\/x"/ },
  { args: ["--version"], stdout: /^\d+\.\d+\.\d+\n$/ },
  { args: ["--help"], stdout: /serve [\s\S]*check [\s\S]*list [\s\S]*regexp / },
  { args: ["help"], stdout: /Usage/ },
  { args: [], code: 2, stderr: /Usage/ },
  { args: ["nonsense"], code: 2, stderr: /no command "nonsense"; there are serve, check, list, robots, regexp/ },
  { args: ["toString"], code: 2, stderr: /no command/ },
];

/** One row of each command runs as a process on both runtimes, the others in this one: processes take most of the time. */
const firstOfEach = rows.filter(({ args }, i) => rows.findIndex((row) => row.args[0] === args[0]) === i);

for (const [name, runtime] of testedOn()) {
  describe(`whocrawls on ${name}`, { concurrency: 2 }, () => {
    for (const row of firstOfEach)
      it(titleOf(row), async () => assertOutcome(row, await runWhocrawls(runtime, row.args)));
  });
}

describe("a command", () => {
  for (const row of rows.filter((row) => !firstOfEach.includes(row)))
    it(titleOf(row), async () => assertOutcome(row, await runHere(row.args)));

  for (const command of ["serve", "check", "list", "regexp", "scan", "export"]) {
    it(`${command} --help shows examples`, async () => {
      const { code, stdout } = await runHere([command, "--help"]);
      assert.match(stdout, new RegExp(`^Usage: whocrawls ${command}`, "m"));
      assert.match(stdout, /^Examples:\n {2}/m);
      assert.equal(code, 0);
    });
  }
});

function titleOf({ args }: Row): string {
  return args.map((arg) => JSON.stringify(arg)).join(" ") || "(nothing)";
}

function assertOutcome({ code = 0, stdout = "", stderr = "" }: Row, outcome: Outcome): void {
  matches(outcome.stderr, stderr);
  matches(outcome.stdout, stdout);
  assert.equal(outcome.code, code);
}

function matches(actual: string, expected: string | RegExp): void {
  if (typeof expected === "string") assert.equal(actual, expected);
  else assert.match(actual, expected);
}
