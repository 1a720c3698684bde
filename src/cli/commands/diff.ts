/** `whocrawls diff`: what changes from one catalogue to another: crawlers by their names, and the verdicts on strings. */
import { createReadStream, existsSync, readFileSync } from "node:fs";
import type { ItemFacts } from "../../detect/compiled-catalogue.ts";
import { statedFacts } from "../../detect/facts.ts";
import type { Detector, Verdict } from "../../detect/verdict.ts";
import { finish } from "../../pattern/finish.ts";
import { toReadProblem, UserError } from "../../text/errors.ts";
import { toPlain } from "../../text/plain-text.ts";
import { openDetector } from "../catalogue-option.ts";
import { type Command, type Options, parseArguments, refuse, toOptionsHelp } from "../command.ts";
import { print, splitLines } from "../standard-streams.ts";

const options = {
  strings: {
    takes: "FILE",
    help: "compare the verdicts on the user agents of this file, one per line; - is standard input",
  },
  record: { takes: "PATH", help: "compare the verdicts on the strings of a record, such as data/record.sqlite" },
} satisfies Options;

const help = `Shows which crawlers and which verdicts change from catalogue A to catalogue B.

Usage: whocrawls diff A B [options]       A and B: custom catalogues (YAML), compiled files, or built-in

Without options, compares the verdicts on the strings of both catalogues, and on the examples under people: in your own catalogues.

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
    const usage = {
      least: 2,
      most: 2,
      otherwise: "Specify two catalogues, for example: whocrawls diff built-in own.yaml",
    };
    const { values, positionals } = parseArguments(args, options, usage);
    const { strings, record } = values;
    refuse([[strings !== undefined && record !== undefined, "Use either --strings or --record, not both."]]);
    const [before, after] = [await open(positionals[0]!), await open(positionals[1]!)];
    const crawlers = await printCrawlers(before, after);
    const pages =
      strings !== undefined
        ? readStrings(strings)
        : record !== undefined
          ? readRecord(record)
          : [new Set([...before.strings(), ...after.strings(), ...(await examplesOfPeople(positionals))])];
    let compared = 0;
    let different = 0;
    for await (const page of pages) {
      for (const useragent of page) {
        compared++;
        const [old, fresh] = [describe(before.check(useragent)), describe(after.check(useragent))];
        if (old === fresh) continue;
        different++;
        await print(`${toPlain(`${old} -> ${fresh}`)}\t${toPlain(useragent)}\n`);
      }
    }
    process.stderr.write(`${crawlers}; ${different} of ${compared} strings get a different verdict\n`);
    return 0;
  },
};

function open(name: string): Promise<Detector> {
  return openDetector(name === "built-in" ? [] : [name]);
}

const comparedFacts = [...statedFacts(), "robots", "robotsRules", "pattern"] as const;

/** Prints the crawlers that only one catalogue has, or that have other facts; resolves with their numbers. */
async function printCrawlers(before: Detector, after: Detector): Promise<string> {
  const [old, fresh] = [byName(before), byName(after)];
  const removed = [...old.keys()].filter((name) => !fresh.has(name));
  const added = [...fresh.keys()].filter((name) => !old.has(name));
  const changed = [...fresh].flatMap(([name, item]) => {
    const other = old.get(name);
    if (other === undefined) return [];
    const facts = comparedFacts.filter((fact) => JSON.stringify(item[fact]) !== JSON.stringify(other[fact]));
    return facts.length === 0 ? [] : `~ ${name}: ${facts.join(", ")}`;
  });
  const lines = [...removed.map((name) => `- ${name}`), ...added.map((name) => `+ ${name}`), ...changed];
  await print(lines.map((line) => `${toPlain(line)}\n`).join(""));
  return `${added.length} ${added.length === 1 ? "crawler" : "crawlers"} added, ${removed.length} removed, ${changed.length} changed`;
}

function byName({ catalogue }: Detector): Map<string, ItemFacts> {
  const named = catalogue.items.flatMap((item) => (item.name === undefined ? [] : [[item.name, item] as const]));
  return new Map(named.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function describe({ crawler, name = "a crawler without a name", category }: Verdict): string {
  return crawler ? `${name} (${category})` : "not a crawler";
}

/** A compiled file does not contain them. */
async function examplesOfPeople(names: readonly string[]): Promise<string[]> {
  const [{ isCompiled }, { readOwn }] = await Promise.all([
    import("../../catalogue/custom-files.ts"),
    import("../../compiler/custom/read-custom.ts"),
  ]);
  return names
    .filter((name) => name !== "built-in")
    .map((path) => ({ path, bytes: readFileSync(path) }))
    .filter((file) => !isCompiled(file))
    .flatMap(({ path, bytes }) => finish(readOwn({ path, text: bytes.toString() }, new Map())).value.people)
    .flatMap(({ examples }) => examples);
}

async function* readStrings(path: string): AsyncGenerator<readonly string[]> {
  try {
    yield* splitLines(path === "-" ? process.stdin : createReadStream(path));
  } catch (error) {
    throw new UserError(`--strings ${toPlain(path)} cannot be read: ${toReadProblem(error)}.`);
  }
}

/** The strings of a record, which is opened read-only. */
async function* readRecord(path: string): AsyncGenerator<readonly string[]> {
  const [{ createStore, parseRecordTarget }, { listPages }] = await Promise.all([
    import("../../record/open-store.ts"),
    import("../../record/paging.ts"),
  ]);
  const target = parseTarget(path, parseRecordTarget);
  const isKept = target.kind === "sqlite" ? existsSync(target.place) : target.kind !== "memory";
  const store = isKept ? await createStore(target) : undefined;
  if (store === undefined) throw new UserError(`There is no record at ${path}.`);
  try {
    await store.open();
  } catch (error) {
    throw new UserError(`--record: ${toReadProblem(error)}`);
  }
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
    throw new UserError(`--record ${path} ${(error as Error).message}.`);
  }
}
