/** The engines that the expression is proved in, each as a program or package that runs it for real. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { RE2JS } from "re2js";
import { runtimes } from "../cli/command-line.ts";
import { needs, provides } from "../support/needs.ts";
import { needsPostgres } from "../support/postgres.ts";
import { byLines, byScript, type Engine, isLine, isWellFormed, versionOf } from "./engine.ts";
import { matchInPostgres, postgresVersion } from "./postgres.ts";
import { matchInDuckdb, matchInJq } from "./programs.ts";

const require = createRequire(import.meta.url);

function packageVersion(name: string): string {
  const folder = dirname(require.resolve(name)).replace(/(node_modules\/(?:@[^/]+\/)?[^/]+).*/, "$1");
  return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version;
}

const python = (...flags: string[]): Engine["match"] => byScript(["python3", "{}", "re", ...flags], "match.py");
const grep = (flag: string): Engine["match"] => byLines(["grep", "-an", flag, "-f", "{}"]);
/** Where case is ignored by Unicode's rules, these two are an s and a k. */
/** Without a last line end beyond ASCII, before which `$` matches in these engines: to them it is nothing, like an empty string. */
const isSomething = (text: string): boolean => !/^-?[\t-\r ]*[\u0085\u2028\u2029]$/.test(text);
const isCasedAsAscii = (text: string): boolean => !/[\u017f\u212a\u0130\u0131]/.test(text);

export const engines: readonly Engine[] = [
  {
    name: "V8 (Node), without flags, with u and with v",
    limit: 750,
    version: () => versionOf(runtimes.Node, "-p", "process.versions.v8"),
    match: byScript([runtimes.Node, "{}"], "match.js"),
  },
  {
    name: "JavaScriptCore (Bun), without flags, with u and with v",
    limit: 2_500,
    version: () => `Bun ${versionOf(runtimes.Bun, "--version")}`,
    match: byScript([runtimes.Bun, "{}"], "match.js"),
  },
  {
    name: "RE2, in DuckDB",
    limit: 2_500,
    version: () => `DuckDB ${packageVersion("@duckdb/node-api")}`,
    accepts: isWellFormed,
    match: matchInDuckdb,
  },
  {
    name: "RE2JS",
    limit: 500,
    version: () => packageVersion("re2js"),
    match(expression, strings) {
      const compiled = RE2JS.compile(expression);
      return strings.map((text) => compiled.test(text));
    },
  },
  {
    name: "PCRE2, in grep -P",
    skip: needs("grep", "pcre2grep"),
    version: () => versionOf("pcre2grep", "--version"),
    accepts: isLine,
    match: grep("-P"),
  },
  {
    name: "Perl",
    limit: 400,
    skip: needs("perl"),
    version: () => versionOf("perl", "-e", "print $^V"),
    match: byScript(["perl", "{}"], "match.pl"),
  },
  {
    name: "Python re",
    limit: 400,
    skip: needs("python3"),
    version: () => versionOf("python3", "--version"),
    match: python(),
  },
  {
    name: "Java",
    limit: 250,
    skip: needs("java"),
    accepts: isSomething,
    version: () => versionOf("java", "-version"),
    match: byScript(["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "{}"], "Match.java"),
  },
  {
    name: "PostgreSQL",
    limit: 100,
    skip: needsPostgres(),
    version: postgresVersion,
    accepts: (text) => text.isWellFormed() && !text.includes("\0"),
    match: matchInPostgres,
  },
  {
    name: "GNU grep -E",
    limit: 250,
    flavor: "posix",
    skip: needs("grep"),
    version: () => versionOf("grep", "--version"),
    accepts: isLine,
    match: grep("-E"),
  },
  {
    name: "Rust's regex, in ripgrep",
    flavor: "rust",
    limit: 2_500,
    skip: needs("rg"),
    version: () => versionOf("rg", "--version"),
    accepts: isLine,
    match: byLines(["rg", "--text", "--line-number", "--no-config", "--color=never", "-f", "{}", "-"]),
  },
  {
    name: "Oniguruma, in jq",
    skip: needs("jq"),
    version: () => versionOf("jq", "--version"),
    accepts: isWellFormed,
    limit: 60,
    match: matchInJq,
  },
  {
    name: "Onigmo, in Ruby",
    limit: 500,
    isThere: provides("ruby"),
    version: () => versionOf("ruby", "--version"),
    // In Ruby `^` and `$` are the ends of every line.
    accepts: (text) => !text.includes("\n"),
    match: byScript(["ruby", "{}"], "match.rb"),
  },
  {
    name: "ICU, in Python",
    isThere: versionOf("/usr/bin/python3", "-c", "import icu") !== undefined,
    accepts: isSomething,
    version: () => versionOf("/usr/bin/python3", "-c", "import icu; print(icu.ICU_VERSION)"),
    match: byScript(["/usr/bin/python3", "{}", "icu"], "match.py"),
  },
  {
    name: "Go regexp",
    limit: 600,
    isThere: provides("go"),
    version: () => versionOf("go", "version"),
    match: byScript(["go", "run", "{}"], "match.go"),
  },
  {
    name: ".NET's Regex, in Mono",
    isThere: provides("mcs") && provides("mono"),
    version: () => versionOf("mono", "--version"),
    match: byScript(
      ["sh", "-c", 'd=$(mktemp -d) && mcs -out:"$d/match.exe" "{}" && mono "$d/match.exe"; rm -r "$d"'],
      "Match.cs",
    ),
  },
  {
    name: "GNU awk",
    limit: 600,
    flavor: "posix",
    isThere: provides("gawk"),
    version: () => versionOf("gawk", "--version"),
    accepts: isLine,
    match: byLines(["gawk", "-v", "file={}", "BEGIN { getline expression < file } $0 ~ expression { print NR }"]),
  },
  {
    name: "BusyBox grep -E",
    flavor: "posix",
    isThere: provides("busybox"),
    version: () => versionOf("busybox"),
    accepts: isLine,
    match: byLines(["busybox", "grep", "-nE", "-f", "{}"]),
  },
  {
    name: "PCRE2, in grep -iP",
    flavor: "compact",
    limit: 750,
    skip: needs("grep", "pcre2grep"),
    version: () => versionOf("pcre2grep", "--version"),
    accepts: (text) => isLine(text) && isCasedAsAscii(text),
    match: byLines(["grep", "-ani", "-P", "-f", "{}"]),
  },
  {
    name: "Python re, with re.IGNORECASE",
    flavor: "compact",
    limit: 200,
    skip: needs("python3"),
    version: () => versionOf("python3", "--version"),
    accepts: isCasedAsAscii,
    match: python("i"),
  },
  {
    name: "PostgreSQL, with ~*",
    flavor: "compact",
    limit: 100,
    skip: needsPostgres(),
    version: postgresVersion,
    accepts: (text) => text.isWellFormed() && !text.includes("\0") && isCasedAsAscii(text),
    match: (expression, strings) => matchInPostgres(expression, strings, "~*"),
  },
];
