/** `whocrawls diff`: what changes from one catalogue to another. */
import { createReadStream, readFileSync } from "node:fs";
import type { Detector } from "../../detect/verdict.ts";
import { UserError } from "../../text/errors.ts";
import { openDetector } from "../catalogue-option.ts";
import { type Command, type Options, parseArguments, refuse, toOptionsHelp } from "../command.ts";
import { splitLines } from "../lines.ts";
import { printDiff, recordedStrings } from "../print-diff.ts";

const options = {
  strings: {
    takes: "FILE",
    help: "compare the verdicts on the user agents of this file, one per line; - is standard input",
  },
  record: { takes: "PATH", help: "compare the verdicts on the strings of a record, such as data/record.sqlite" },
} satisfies Options;

const help = `Shows which crawlers and which verdicts change from catalogue A to catalogue B.

Usage: whocrawls diff A B [options]       A and B: own catalogues (YAML), compiled files, or built-in

Without options, compares the verdicts on the strings of both catalogues, and on the examples of people in own catalogues.

Options:
${toOptionsHelp(options, 18)}

Examples:
  whocrawls diff built-in own.yaml
  whocrawls diff old.catalogue new.catalogue --record data/record.sqlite
`;

export const command: Command = {
  name: "diff",
  summary: "show what changes from one catalogue to another",
  help,
  async run(args) {
    const usage = { least: 2, most: 2, otherwise: "Give two catalogues, such as: whocrawls diff built-in own.yaml" };
    const { values, positionals } = parseArguments(args, options, usage);
    const { strings: file, record } = values;
    refuse([[file !== undefined && record !== undefined, "Choose one of --strings and --record."]]);
    const [a, b] = positionals as [string, string];
    const [before, after] = [await open(a), await open(b)];
    const strings = stringsOf(values, async () => [
      ...new Set([...before.strings(), ...after.strings(), ...(await examplesOfPeople([a, b]))]),
    ]);
    process.stderr.write(`${await printDiff(before, after, strings)}\n`);
    return 0;
  },
};

function open(name: string): Promise<Detector> {
  return openDetector(name === "built-in" ? [] : [name]);
}

async function* stringsOf(
  { strings, record }: { readonly strings?: string; readonly record?: string },
  known: () => Promise<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  if (strings !== undefined) yield* splitLines(strings === "-" ? process.stdin : createReadStream(strings));
  else if (record !== undefined) yield* recorded(record);
  else yield await known();
}

/** A compiled file does not contain them. */
async function examplesOfPeople(names: readonly string[]): Promise<string[]> {
  const [{ isCompiled }, { readOwn }] = await Promise.all([
    import("../../catalogue/own-files.ts"),
    import("../../compiler/own/read-own.ts"),
  ]);
  return names
    .filter((name) => name !== "built-in")
    .map((path) => ({ path, bytes: readFileSync(path) }))
    .filter((file) => !isCompiled(file))
    .flatMap(({ path, bytes }) => readOwn({ path, text: bytes.toString() }, new Map()).value.people)
    .flatMap(({ examples }) => examples);
}

async function* recorded(path: string): AsyncGenerator<readonly string[]> {
  const { parseRecordTarget } = await import("../../record/open-store.ts");
  const strings = recordedStrings(parseTarget(path, parseRecordTarget));
  if (strings === undefined) throw new UserError(`There is no record ${path}.`);
  yield* strings;
}

function parseTarget<Target>(path: string, parse: (text: string) => Target): Target {
  try {
    return parse(path);
  } catch (error) {
    throw new UserError(`--record ${path}: ${(error as Error).message}`);
  }
}
