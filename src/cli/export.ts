// `whocrawls export`: the catalogue as other programs' configuration, and as a file for programs in other languages.
import { once } from "node:events";
import { exportAutomaton } from "../export/automaton.ts";
import { catalogueFormats, writeCatalogue } from "../export/catalogue.ts";
import { createExportRequest } from "../export/request.ts";
import { targets } from "../export/targets.ts";
import { type Command, parseArguments, UsageError } from "./command.ts";
import { print } from "./output.ts";

const help = `Writes the catalogue as configuration of other programs to standard output; comments in it say where it goes.

Usage: whocrawls export TARGET [options]

Targets:
${Object.entries(targets)
  .map(([name, { what }]) => `  ${name.padEnd(12)} ${what}`)
  .join("\n")}
  catalogue    every crawler that has a name: JSON, or CSV with --format csv
  automaton    the automata that decide, in the format that docs/automaton.md describes

Options, of which each takes a list with commas; crawlers must fit all that are given:
  --category LIST    only crawlers of these categories, such as ai,seo
  --purpose LIST     only crawlers with these purposes: search, training, agent
  --operator LIST    only crawlers of these operators, such as Google
  --name LIST        only these crawlers, such as GPTBot,CCBot
  --except LIST      without these: names, categories, or categories with a purpose, such as Googlebot,ai:search

  --as NAME          what the configuration calls its answer; default is_crawler
  --format FORMAT    of catalogue: json or csv
  -h, --help         this text

Examples:
  whocrawls export nginx > /etc/nginx/conf.d/crawlers.conf
  whocrawls export caddy --category ai --purpose training --as is_ai
  whocrawls export robots.txt --category ai --except ai:search
`;

export const command: Command = {
  name: "export",
  summary: "write configuration for nginx, Apache, HAProxy, Caddy and others, robots.txt, the catalogue",
  help,
  async run(args) {
    const list = { type: "string", multiple: true } as const;
    const { positionals, values } = parseArguments(args, {
      category: list,
      purpose: list,
      operator: list,
      name: list,
      except: list,
      as: { type: "string", default: "is_crawler" },
      format: { type: "string" },
    });
    const [name, ...others] = positionals;
    if (name === undefined || others.length > 0) throw new UsageError(`Say what to export: ${known}.`);
    if (name === "automaton") return writeAutomaton();
    const { as: variable, format, ...choice } = values;
    if (!/^[a-z][a-z0-9_]*$/.test(variable))
      throw new UsageError("--as takes a name of small letters, digits and _, such as is_ai.");
    await print(write(name, format, () => createExportRequest(choice, { variable, command: commandLine(args) })));
    return 0;
  },
};

const known = [...Object.keys(targets), "catalogue", "automaton"].join(", ");

function write(name: string, format: string | undefined, toRequest: () => ReturnType<typeof createExportRequest>) {
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (!target && name !== "catalogue")
    throw new UsageError(`There is no target ${JSON.stringify(name)}; there are ${known}.`);
  if (target && format !== undefined) throw new UsageError("--format is for the catalogue.");
  const chosen = catalogueFormats.find((known) => known === (format ?? "json"));
  if (!chosen) throw new UsageError(`--format takes one of ${catalogueFormats.join(", ")}.`);
  try {
    return target ? target.write(toRequest()) : writeCatalogue(toRequest(), chosen);
  } catch (error) {
    // By name: each chunk of a bundle may have its own copy of the class.
    if (error instanceof Error && ["SelectionError", "RangeError"].includes(error.name))
      throw new UsageError(error.message);
    throw error;
  }
}

/** The command as a shell takes it, for the comment in what it writes. */
function commandLine(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w.,:=/-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`));
  return `whocrawls export ${quoted.join(" ")}`;
}

async function writeAutomaton(): Promise<number> {
  if (process.stdout.isTTY) throw new UsageError("The automaton is not text; write it to a file: > crawlers.wca");
  if (!process.stdout.write(exportAutomaton())) await once(process.stdout, "drain");
  return 0;
}
