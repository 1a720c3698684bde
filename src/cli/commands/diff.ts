/** `whocrawls diff`: what changes from one catalogue to another. */
import { createReadStream } from "node:fs";
import type { Detector } from "../../detect/verdict.ts";
import { toPlain } from "../../markup/plain-text.ts";
import { diffCrawlers, diffVerdict } from "../../server/catalogue/diff-catalogues.ts";
import { openDetector } from "../catalogue-option.ts";
import { type Command, type Options, parseArguments, toOptionsHelp, UsageError } from "../command.ts";
import { splitLines } from "../lines.ts";
import { print } from "../print-output.ts";

const options = {
  strings: {
    takes: "FILE",
    help: "compare the verdicts on the user agents of this file, one per line; - is standard input",
  },
  record: { takes: "PATH", help: "compare the verdicts on the strings of a record, such as data/record.sqlite" },
} satisfies Options;

const help = `Shows which crawlers and which verdicts change from catalogue A to catalogue B.

Usage: whocrawls diff A B [options]       A and B: own catalogues (YAML), compiled files, or built-in

Without options, compares the verdicts on the strings of both catalogues.

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
    const { values, positionals } = parseArguments(args, options);
    const [a, b, ...others] = positionals;
    if (a === undefined || b === undefined || others.length > 0)
      throw new UsageError("Give two catalogues, such as: whocrawls diff built-in own.yaml");
    if (values.strings !== undefined && values.record !== undefined)
      throw new UsageError("Choose one of --strings and --record.");
    const [before, after] = [await open(a), await open(b)];
    const { added, removed, changed } = diffCrawlers(before, after);
    const lines = [
      ...removed.map((name) => `- ${name}`),
      ...added.map((name) => `+ ${name}`),
      ...changed.map(({ name, facts }) => `~ ${name}: ${facts.join(", ")}`),
    ];
    await print(lines.map((line) => `${toPlain(line)}\n`).join(""));
    let compared = 0;
    let different = 0;
    for await (const strings of stringsOf(values, before, after)) {
      for (const useragent of strings) {
        compared++;
        const change = diffVerdict(before, after, useragent);
        if (change === undefined) continue;
        different++;
        await print(`${toPlain(change)}\t${toPlain(useragent)}\n`);
      }
    }
    process.stderr.write(
      `${added.length} crawlers added, ${removed.length} removed, ${changed.length} changed; ${different} of ${compared} strings get another verdict\n`,
    );
    return 0;
  },
};

function open(name: string): Promise<Detector> {
  return openDetector(name === "built-in" ? [] : [name]);
}

async function* stringsOf(
  { strings, record }: { readonly strings?: string; readonly record?: string },
  before: Detector,
  after: Detector,
): AsyncGenerator<readonly string[]> {
  if (strings !== undefined) yield* splitLines(strings === "-" ? process.stdin : createReadStream(strings));
  else if (record !== undefined) yield* recordedStrings(record);
  else yield [...new Set([...before.strings(), ...after.strings()])];
}

/** A record is only read: it has to be there. */
async function* recordedStrings(path: string): AsyncGenerator<readonly string[]> {
  const [{ existsSync }, { createStore, parseRecordTarget }, { listPages }] = await Promise.all([
    import("node:fs"),
    import("../../record/open-store.ts"),
    import("../../record/paging.ts"),
  ]);
  const target = parseTarget(path, parseRecordTarget);
  if (target.kind === "sqlite" && !existsSync(target.place)) throw new UsageError(`There is no record ${path}.`);
  const store = await createStore(target, (_, message) => process.stderr.write(`${message}\n`));
  if (store === undefined) throw new UsageError("Give the path of a record.");
  await store.open();
  try {
    for await (const rows of listPages(store, {})) yield rows.map(({ useragent }) => useragent);
  } finally {
    await store.close();
  }
}

function parseTarget<Target>(path: string, parse: (text: string) => Target): Target {
  try {
    return parse(path);
  } catch (error) {
    throw new UsageError(`--record ${path}: ${(error as Error).message}`);
  }
}
