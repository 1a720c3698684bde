/**
 * What commands print, as test/golden/cli/*.txt has it: `$ whocrawls …`, with a filter of its output behind `| grep` or `| head`.
 * Lines that begin with `> ` are standard input and the file `in`; `$ cat > NAME` puts them into another file for the commands below.
 * In the output, `|` marks standard output and `!` standard error, with the exit code if it is not 0; `(--help)` stands for the line
 * that names the options.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { version } from "../../src/generated/about.ts";
import { mark, testGolden } from "../support/golden.ts";
import { writeList } from "../support/write-list.ts";
import { runHere } from "./run-here.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-transcripts-"));
after(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "folder"));
const listed = writeList(folder, "gptbot", ["74.7.241.0/25"]);
const environment = { WHOCRAWLS_DATA: folder, WHOCRAWLS_VERIFY_REFRESH: "off" };

/** Words as a shell splits them; `\t` and `\n` between double quotes are a tab and a line break. */
function toWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double?.replaceAll("\\n", "\n").replaceAll("\\t", "\t") ?? bare!,
  );
}

/** What depends on the day and on the build has the same name always. */
function toStable(text: string): string {
  return text
    .replaceAll(folder, "FOLDER")
    .replaceAll(version, "VERSION")
    .replaceAll(listed, "LISTED")
    .replaceAll(listed.slice(0, 10), "TODAY");
}

async function run(input: string): Promise<readonly string[]> {
  const [command = "", ...more] = input.split("\n");
  const given = more.map((line) => `${line.slice(2)}\n`).join("");
  const [, file] = /^\$ cat > (\S+)$/.exec(command) ?? [];
  writeFileSync(join(folder, file ?? "in"), given);
  if (file !== undefined) return [];
  const [, words = "", filter, argument = ""] = /^\$ whocrawls ?(.*?)(?: \| (grep|head) (.*))?$/.exec(command)!;
  const before = process.cwd();
  process.chdir(folder);
  const { code, stdout, stderr } = await runHere(toWords(words), given, environment);
  process.chdir(before);
  const lines = mark("|", toStable(stdout));
  const shown =
    filter === "grep"
      ? lines.filter((line) => line.includes(argument))
      : lines.slice(0, filter === "head" ? Number(argument) : lines.length);
  const sign = code === 0 ? "!" : `!${code}`;
  const errors = mark("!", toStable(stderr).replace(/\nwhocrawls \w+ --help prints the options\.$/m, " (--help)")).map(
    (line) => `${sign}${line.slice(1)}`,
  );
  return [...shown, ...(code !== 0 && errors.length === 0 ? [sign] : errors)];
}

for (const name of ["commands", "robots", "scan", "scan-formats"]) testGolden(`cli/${name}.txt`, run);
