/**
 * What commands print, as test/golden/cli/*.txt has it: `$ whocrawls …`, with variables before it, and with a filter of its output behind
 * `| grep`, `| head`, `| json`, which takes members such as `crawlers.name`, or `| text`, which takes the tags out of a page. Other
 * commands are the shell's, and have no output. Lines that begin with `> ` are standard input and the file `in`; `>> ` are lines of a log
 * in the notation of log-lines.ts. In the output, `|` marks standard output and `!` standard error, with the exit code if it is not 0;
 * `(--help)` stands for the line that names the options.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { version } from "../../src/generated/about.ts";
import { mark, testGolden } from "../support/golden.ts";
import { logLines } from "../support/log-lines.ts";
import { needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { writeList } from "../support/write-list.ts";
import { runHere } from "./run-here.ts";

const folder = temporary();
mkdirSync(join(folder, "folder"));
const now = Date.now();
const listed = new Date(now).toISOString();
writeList(folder, "gptbot", ["74.7.241.0/25"], now);
writeList(folder, "bing", ["40.77.167.0/24"], now);
for (const id of ["google-common", "chatgpt-user"]) writeList(folder, id, undefined, now);
const environment = { XDG_CACHE_HOME: folder, WHOCRAWLS_DATA: folder, WHOCRAWLS_VERIFY_REFRESH: "off" };

/** Words as a shell splits them, with the escapes of JSON between double quotes. */
function toWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? (double && JSON.parse(`"${double}"`)) ?? bare!,
  );
}

/** What depends on the day and on the build has the same name always. */
function toStable(text: string): string {
  return text
    .replaceAll(folder, "FOLDER")
    .replaceAll(version, "VERSION")
    .replace(/\.own\.[0-9a-f]{8}(?:, \d+ bytes)?/g, ".own")
    .replace(/\.[0-9a-f-]{36}\.tmp/g, ".tmp")
    .replace(/\d+ crawlers, version/, "COUNT crawlers, version")
    .replaceAll(listed, "LISTED")
    .replaceAll(listed.slice(0, 10), "TODAY");
}

/** The member at a path such as `crawlers.name`, of all elements of a list. */
function memberOf(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined || value === undefined) return value;
  if (Array.isArray(value)) return value.map((element) => memberOf(element, path));
  return memberOf((value as Readonly<Record<string, unknown>>)[name], rest);
}

function filtered(filter: string | undefined, argument: string, text: string): string {
  const having = (all: string): string =>
    all
      .split("\n")
      .filter((line) => line !== "" && line.includes(argument))
      .join("\n");
  if (filter === "grep") return having(text);
  if (filter === "text") return having(toText(text));
  if (filter !== "json" || text === "") return text;
  const members = argument.split(" ").map((path) => memberOf(JSON.parse(text), path.split(".")));
  return members.map((member) => JSON.stringify(member)).join(" ");
}

/** A page line by line, with bars between the texts of elements. */
function toText(page: string): string {
  return page
    .replace(/<style>[\s\S]*?<\/style>|\n/g, "")
    .replace(/<\/(?:h\d|li|p|summary|tr)>/g, "\n")
    .replace(/<[^>]*>/g, "|")
    .replace(/^[| ]+|[| ]+$/gm, "")
    .replace(/ *\|[| ]*/g, "|");
}

async function run(input: string): Promise<readonly string[]> {
  const [command = "", ...more] = input.split("\n");
  const given = more.map((line) => (line.startsWith(">> ") ? logLines(line.slice(3)) : `${line.slice(2)}\n`)).join("");
  const called = /^\$ ((?:\w+=\S+ )*)whocrawls ?(.*?)(?: \| (grep|head|json|text)(?: (.*))?)?$/.exec(command);
  if (called === null) {
    execFileSync("sh", ["-c", command.slice(2)], { cwd: folder, input: given });
    return [];
  }
  const [, variables = "", words = "", filter, argument = ""] = called;
  const set = Object.fromEntries([...variables.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
  writeFileSync(join(folder, "in"), given);
  const before = process.cwd();
  process.chdir(folder);
  // Threads give the same report (test/cli/scan.test.ts), and starting one takes longer than these logs.
  const [name, ...others] = toWords(words);
  const all = name === "scan" && !words.includes("--threads") ? [name, "--threads", "1", ...others] : toWords(words);
  const { code, stdout, stderr } = await runHere(all, given, { ...environment, ...set });
  process.chdir(before);
  const lines = mark("|", toStable(filtered(filter, argument, stdout)));
  const shown = filter === "head" ? lines.slice(0, Number(argument)) : lines;
  const sign = code === 0 ? "!" : `!${code}`;
  const errors = mark("!", toStable(stderr).replace(/\nwhocrawls \w+ --help prints the options\.$/m, " (--help)")).map(
    (line) => `${sign}${line.slice(1)}`,
  );
  return [...shown, ...(code !== 0 && errors.length === 0 ? [sign] : errors)];
}

/** By which lines a program is used: by a command, or by whocrawls. */
const uses = { sed: /^\$ .*\bsed /m, iconv: /^\$ .*\biconv /m, bzip2: /: bzip2: / };

for (const file of readdirSync(new URL("../golden/cli/", import.meta.url))) {
  const text = readFileSync(new URL(`../golden/cli/${file}`, import.meta.url), "utf8");
  const skip = needs(...Object.entries(uses).flatMap(([name, use]) => (use.test(text) ? [name] : [])));
  // Not single cases, which build on earlier ones.
  if (skip === false) testGolden(`cli/${file}`, run);
  else it(file, { skip }, () => {});
}
