/** What an engine is to the conformance test, and the two ways of asking programs: by a script, or line by line. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export interface Engine {
  readonly name: string;
  /** The flavor it is given; default `portable`. With `compact` it is told to ignore case. */
  readonly flavor?: string;
  /** Why it must be skipped, or false; default false. */
  readonly skip?: string | false;
  /** Of an engine that nobody need have, whether it is there. */
  readonly isThere?: boolean;
  version(): string | undefined | Promise<string>;
  /** The strings that can reach it; default all. */
  readonly accepts?: (text: string) => boolean;
  /** About how many of the strings it is asked about, three times as many with `--all`; default all, as with `STRINGS=all`. */
  readonly limit?: number;
  /** Whether the expression matches, for each string. */
  match(expression: string, strings: readonly string[]): readonly boolean[] | Promise<readonly boolean[]>;
}

/** Strings that UTF-8 can carry: no half of a surrogate pair alone. */
export const isWellFormed = (text: string): boolean => text.isWellFormed();

/** Strings that are one line of UTF-8 for every program. */
export const isLine = (text: string): boolean => text.isWellFormed() && !/[\n\r\0]/.test(text);

const versions = new Map<string, string | undefined>();

/** The first number that a program prints of its version; undefined without the program, which is asked once. */
export function versionOf(program: string, ...args: string[]): string | undefined {
  const command = [program, ...args].join(" ");
  if (versions.has(command)) return versions.get(command);
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const version = status === 0 ? /\d+(?:\.\d+)+[\w.-]*/.exec(`${stdout}${stderr}`)?.[0] : undefined;
  versions.set(command, version);
  return version;
}

/** Runs a program; throws with what it said on its standard error where it fails. */
export function run(
  command: readonly string[],
  input: string,
  failed = (status: number | null) => status !== 0,
): string {
  const [program, ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program!, args, {
    input,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LC_ALL: "C.UTF-8" },
  });
  if (error) throw error;
  if (failed(status)) throw new Error(`${program} ended with ${status}: ${stderr.slice(0, 2_000)}`);
  return stdout;
}

/** The same without waiting for it. */
export async function runBeside([program, ...args]: readonly string[], input: string): Promise<string> {
  const child = spawn(program!, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(input);
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, "exit") as Promise<[number | null]>]);
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
  return output;
}

const scripts = fileURLToPath(new URL("scripts/", import.meta.url));
const hexadecimal = (text: string): string => Buffer.from(text, "utf16le").swap16().toString("hex");

/** What a script of test/engines/scripts/ answers; its name stands at `{}` in the command. */
export function runScript(command: readonly string[], script: string, lines: readonly string[]): string {
  const parts = command.map((part) => part.replace("{}", scripts + script));
  return run(parts, lines.map(hexadecimal).join("\n")).trim();
}

/** Asks a script of test/engines/scripts/ for verdicts. */
export function byScript(command: readonly string[], script: string): Engine["match"] {
  return (expression, strings) => {
    const answers = runScript(command, script, [expression, ...strings]);
    if (answers.length !== strings.length) throw new Error(`${command[0]}: ${answers.length} answers`);
    return [...answers].map((answer) => {
      if (answer !== "0" && answer !== "1") throw new Error(`${command[0]}: the flags disagree`);
      return answer === "1";
    });
  };
}

/**
 * Asks a program that prints the numbers of the lines that match, as `grep -n` does. The expression is in a file, whose name
 * stands at `{}` in the command; the strings come from standard input.
 */
export function byLines(command: readonly string[]): Engine["match"] {
  return (expression, strings) => {
    const folder = mkdtempSync(join(tmpdir(), "whocrawls-engine-"));
    try {
      writeFileSync(join(folder, "expression"), `${expression}\n`);
      const output = run(
        command.map((part) => part.replace("{}", join(folder, "expression"))),
        strings.map((text) => `${text}\n`).join(""),
        (status) => status !== 0 && status !== 1,
      );
      const matching = new Set(output.split("\n").map((line) => Number.parseInt(line, 10)));
      return strings.map((_, i) => matching.has(i + 1));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}
