/** Python's json module reads annotated JSON: the members of each line, then its verdict. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { runHere } from "../cli/run-here.ts";
import { needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";

const script =
  "import json, sys\nsys.stdin.reconfigure(newline='\\n')\nprint(json.dumps([json.loads(line) for line in sys.stdin if line.strip()]))";

const logs = readFileSync(new URL("../cli/readable-logs.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("{"))
  .map((line) => line.replaceAll("AGENT", "GPTBot/1.2"));

/** The same object with blanks where JSON allows them. */
const blanks: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.replace("{", `{${" ".repeat(20)}`),
  (line) => `\t ${line.replace(/\}$/, "\t} ")} \t`,
  (line) => line.replace(/^\{"/, '{ \t "'),
];

it("annotated JSON is JSON, with any blanks and line ends", { skip: needs("python3") }, async () => {
  const expected: string[] = [];
  let annotated = "";
  for (const [index, log] of logs.entries()) {
    const end = index % 2 === 0 ? "\n" : "\r\n";
    const lines = [
      ...blanks.map((of) => of(log)),
      "{}",
      `{${" ".repeat(30)}}`,
      " { } ",
      ...blanks.map((of) => of(log)),
    ];
    const { stdout, code, stderr } = await runHere(["scan", "--annotate", "-"], lines.join(end));
    // A log whose fields must be named.
    if (code !== 0) assert.match(stderr, /--field/);
    else expected.push(...lines);
    annotated += stdout;
  }
  const { stdout, stderr } = spawnSync("python3", ["-c", script], { input: annotated, encoding: "utf8" });
  assert.equal(stderr, "");
  const read = JSON.parse(stdout) as Readonly<Record<string, unknown>>[];
  assert.equal(read.length, expected.length);
  for (const [index, { verdict, ...rest }] of read.entries()) {
    const line = expected[index]!;
    assert.deepEqual(rest, JSON.parse(line));
    assert.equal((verdict as { name?: string } | null)?.name, line.includes("GPTBot") ? "GPTBot" : undefined, line);
  }
});

it("lines of two logs stay apart where the first lacks its last line end", async () => {
  const folder = temporary();
  const paths = ["curl/8.5.0", "GPTBot/1.0"].map((text, index) => {
    writeFileSync(join(folder, `${index}.log`), text);
    return join(folder, `${index}.log`);
  });
  const { stdout } = await runHere(["scan", "--only", "crawlers", ...paths]);
  assert.equal(stdout, "curl/8.5.0\nGPTBot/1.0\n");
});
