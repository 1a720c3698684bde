/** Python's csv module reads annotated CSV and TSV: the columns of the log, then those of the verdict. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { runHere } from "../cli/run-here.ts";
import { describeWith } from "../support/needs.ts";

type Row = readonly string[];

function python(script: string, input: string, ...args: readonly string[]): string {
  const code = `import csv, io, json, sys\nsys.stdin.reconfigure(newline="")\nsys.stdout.reconfigure(newline="")\n${script}`;
  const { stdout, stderr, status } = spawnSync("python3", ["-c", code, ...args], {
    input,
    encoding: "utf8",
    maxBuffer: 1e8,
    env: { ...process.env, PYTHONIOENCODING: "utf8" },
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

const write =
  "csv.writer(sys.stdout, delimiter=sys.argv[1], lineterminator=sys.argv[2]).writerows(json.load(sys.stdin))";
const read = "print(json.dumps(list(csv.reader(sys.stdin, delimiter=sys.argv[1], strict=True))))";

const header = ["time", "useragent", "note"];
const notes = ["", "plain", 'a "quoted" text', "a,b;c|d\te", '"', "\\N", "ends with a \\", "über"];
const useragents = [
  ...detector.strings().filter((string, index) => index % 10 === 0 || detector.check(string).operator?.includes(",")),
  "Mozilla/5.0 (X11; Linux x86_64; rv:149.0) Gecko/20100101 Firefox/149.0",
  'Say, "Hello"; |\tCrawler/1.0',
  "",
  "-",
];
const rows = useragents.map((useragent, at): Row => ["2026-03-01 12:00:00", useragent, notes[at % notes.length]!]);
/** The scan reads lines, so it cannot tell where such a row ends. */
const open: Row = ["2026-03-01 12:00:00", "GPTBot/1.2", "two\nlines"];

function toAnnotated(row: Row): Row {
  const { crawler, name = "", operator = "", category = "", purposes = [] } = detector.check(row[1]!);
  return [...row, String(crawler), name, operator, category, purposes.join(" ")];
}

describeWith(["python3"], "annotated CSV", () => {
  for (const [separator, end] of [",\n", ";\r\n", "|\r\n", "\t\n"].map((ends) => [ends[0]!, ends.slice(1)] as const))
    it(`with ${JSON.stringify(separator)} between columns and ${JSON.stringify(end)} between lines`, async () => {
      const log = python(write, JSON.stringify([header, ...rows, open]), separator, end);
      const { stdout, code } = await runHere(["scan", "--annotate", "-"], log);
      assert.equal(code, 0);
      assert.deepEqual(JSON.parse(python(read, stdout, separator)), [
        [...header, "crawler", "name", "operator", "category", "purposes"],
        ...rows.map(toAnnotated),
        open,
      ]);
      assert.ok(stdout.startsWith(log.slice(0, log.indexOf(end))));
    });

  it("of one column that a database printed without quotation marks", async () => {
    const bare = useragents.filter((useragent) => useragent !== "" && !/["\t]/.test(useragent));
    const { stdout } = await runHere(["scan", "--annotate", "-"], `useragent\n${bare.join("\n")}\n`);
    const [, ...found] = JSON.parse(python(read, stdout, "\t")) as Row[];
    assert.deepEqual(
      found,
      bare.map((useragent) => toAnnotated(["", useragent]).slice(1)),
    );
  });
});
