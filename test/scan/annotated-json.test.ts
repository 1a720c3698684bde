/** Python's json module reads annotated JSON: the members of each line, then its verdict. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { runHere } from "../cli/run-here.ts";
import { describeWith } from "../support/needs.ts";
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

describeWith(["python3"], "annotated JSON", () => {
  for (const end of ["\n", "\r\n"])
    it(`is JSON, with any blanks and ${JSON.stringify(end)} between lines`, async () => {
      for (const log of logs) {
        const lines = [...blanks.map((of) => of(log)), "{}", `{${" ".repeat(30)}}`, " { } "];
        const { stdout, code, stderr } = await runHere(
          ["scan", "--annotate", "-"],
          `${log}${end}`.repeat(40) + lines.join(end),
        );
        if (code !== 0) {
          // A log whose fields must be named.
          assert.match(stderr, /--field/);
          continue;
        }
        const python = spawnSync("python3", ["-c", script], { input: stdout, encoding: "utf8" });
        assert.equal(python.status, 0, `${python.stderr}${stdout}`);
        const read = JSON.parse(python.stdout) as Readonly<Record<string, unknown>>[];
        assert.equal(read.length, 40 + lines.length);
        for (const [index, { verdict, ...rest }] of read.slice(40).entries()) {
          assert.deepEqual(rest, JSON.parse(lines[index]!));
          if (index < blanks.length) assert.equal((verdict as { name?: string } | null)?.name, "GPTBot", log);
        }
      }
    });
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
