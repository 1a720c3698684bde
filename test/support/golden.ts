/**
 * Cases in a text file: lines that go in, then lines that come out, which begin with `| ` or `! ` and which `npm test -- --update`
 * writes again. A case ends with its output, at an empty line, or before a command, which begins with `$ `. Lines that begin with `// ` are
 * remarks.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { updateCommand } from "./fail-plainly.ts";

/** What comes out of the lines of a case: lines with their marks. */
export type Answer = (input: string, number: number) => readonly string[] | Promise<readonly string[]>;

interface Case {
  readonly given: string[];
  out: string[];
}

/** Defines one test for each case of a file in test/golden/. */
export function testGolden(name: string, answer: Answer): void {
  const path = fileURLToPath(new URL(`../golden/${name}`, import.meta.url));
  const cases = toCases(readFileSync(path, "utf8").trimEnd().split("\n"));
  const isUpdate = process.env.TEST_UPDATE === "1";
  const command = updateCommand();
  describe(name, () => {
    for (const [number, one] of cases.entries()) {
      const input = one.given.filter((line) => line !== "" && !line.startsWith("// ")).join("\n");
      if (input === "") continue;
      it(input.replaceAll("\n", " ").slice(0, 100), async () => {
        const out = await answer(input, number);
        if (isUpdate) one.out = [...out];
        else
          assert.deepEqual(out, one.out, `test/golden/${name} has another output. If the new one is right: ${command}`);
      });
    }
    if (isUpdate)
      it("is written again", () =>
        writeFileSync(path, `${cases.flatMap(({ given, out }) => [...given, ...out]).join("\n")}\n`));
  });
}

const isCommand = (line: string): boolean => line.startsWith("$ ");

function toCases(lines: readonly string[]): Case[] {
  const cases: Case[] = [{ given: [], out: [] }];
  for (const line of lines) {
    const last = cases.at(-1)!;
    if (/^[|!]/.test(line)) last.out.push(line);
    else if (line === "" || last.out.length > 0 || (isCommand(line) && last.given.some(isCommand)))
      cases.push({ given: [line], out: [] });
    else last.given.push(line);
  }
  return cases;
}

/** Marks each line of a text. */
export function mark(sign: "|" | "!", text: string): string[] {
  if (text === "") return [];
  return text
    .replace(/\n$/, "")
    .split(/\r?\n/)
    .map((line) => `${sign} ${line}`.trimEnd());
}
