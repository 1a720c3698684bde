/** `whocrawls export`: the catalogue as other programs' configuration, and as a file for programs in other languages. */
import { once } from "node:events";
import { type Choosable, SelectionError } from "../../detect/policy/selection.ts";
import type { Detector } from "../../detect/verdict.ts";
import { rangesFormats } from "../../export/ranges/range-formats.ts";
import { createExportRequest, toCommand } from "../../export/request.ts";
import { shorten } from "../../export/shorten.ts";
import { ExportError, type ExportRequest, type Target } from "../../export/target.ts";
import { exportAutomaton } from "../../export/targets/automaton.ts";
import { writeRobotsTxt } from "../../export/targets/robots-txt.ts";
import { targets } from "../../export/targets.ts";
import { findSignalLine, RobotsError } from "../../robots/merge-robots.ts";
import { parseRobots } from "../../robots/robots-file.ts";
import { toPlain } from "../../text/plain-text.ts";
import { catalogueOption, openDetector } from "../catalogue-option.ts";
import { type Command, type Options, parseArguments, toOptionsHelp, UsageError } from "../command.ts";
import { print } from "../print-output.ts";
import { readOwnFile } from "../robots/read-robots.ts";

/** The forms of the targets that have the option. */
function formsHelp(option: "format" | "dialect"): string {
  return Object.entries(targets)
    .flatMap(([name, { forms }]) =>
      forms?.option === option ? `of ${name}: ${forms.names.join(", ")}; default: ${forms.names[0]}` : [],
    )
    .join("\n");
}

const options = {
  category: { takes: "LIST", list: true, help: "only crawlers of these categories, such as ai,seo" },
  purpose: { takes: "LIST", list: true, help: "only crawlers with these purposes: search, training, agent" },
  operator: { takes: "LIST", list: true, help: "only crawlers of these operators, such as Google" },
  name: { takes: "LIST", list: true, help: "only these crawlers, such as GPTBot,CCBot" },
  except: {
    takes: "LIST",
    list: true,
    help: "except these: names, categories, or categories with a purpose, such as Googlebot,ai:search;\nmissing: requests without a user agent",
  },
  limit: {
    takes: "LIST",
    list: true,
    help: "of nginx: only zones of limit_req that count each crawler, such as ai=30r/m,GPTBot=10r/m; the most specific word applies",
  },
  short: { help: "shorter: with few patterns of other crawlers; correct for every string of the catalogue" },
  as: { takes: "NAME", help: "name of the variable with the result; default: is_crawler" },
  format: {
    takes: "NAME",
    help: `${formsHelp("format")}\nof ranges: ${rangesFormats.join(", ")}; default: ${rangesFormats[0]}`,
  },
  file: { takes: "OWN", help: "of robots.txt: your own file, to which the group is added; your groups and lines stay" },
  signals: {
    takes: "LIST",
    help: "of robots.txt: writes Content-Signal, such as search=yes,ai-train=no; signals: search, ai-input, ai-train\nalone, no crawler is disallowed",
  },
  dialect: { takes: "NAME", help: formsHelp("dialect") },
  catalogue: catalogueOption,
} satisfies Options;

const help = `Writes the catalogue as configuration for other programs to standard output. Comments in it say where to put it.

Usage: whocrawls export TARGET [options]

Targets:
${Object.entries(targets)
  .map(([name, { what }]) => `  ${name.padEnd(12)} ${what}`)
  .join("\n")}
  automaton    the automata for other languages, in the format of docs/automaton.md
  ranges       the addresses of crawlers that operators publish

Options. Those that take a LIST, separated by commas, select crawlers: a crawler is selected if it matches all given options.
${toOptionsHelp(options, 21)}

Examples:
  whocrawls export nginx > /etc/nginx/conf.d/crawlers.conf
  whocrawls export nginx --limit ai=30r/m,GPTBot=10r/m > /etc/nginx/conf.d/crawlers.conf
  whocrawls export caddy --category ai --purpose training --as is_ai
  whocrawls export robots.txt --category ai --except ai:search
  whocrawls export robots.txt --category ai --purpose training --file own.txt --signals ai-train=no
  whocrawls export sql --dialect clickhouse | clickhouse-client --multiquery
  whocrawls export ranges --operator Google --format nginx
`;

export const command: Command = {
  name: "export",
  summary: "write configuration for proxies, robots.txt, SQL, or the catalogue",
  help,
  async run(args) {
    const { positionals, values } = parseArguments(args, options);
    const [name, ...others] = positionals;
    if (name === undefined || others.length > 0) throw new UsageError(`Name a target: ${known}.`);
    if (name === "ranges")
      return (await import("../verify/export-ranges.ts")).exportRanges(values, await openDetector(values.catalogue));
    if (name === "automaton") {
      const [option] = Object.keys(values).filter((given) => given !== "catalogue");
      if (option !== undefined) throw new UsageError(`--${option} is not for automaton.`);
      return writeAutomaton(await openDetector(values.catalogue));
    }
    const { as: variable, format, dialect, limit, short, file, signals, catalogue, ...choice } = values;
    const [target, form] = toTarget(name, { format, dialect });
    for (const [option, value] of Object.entries({ short, as: variable }))
      if (value !== undefined && target.isList) throw new UsageError(`--${option} is not for ${name}.`);
    if (limit !== undefined && name !== "nginx") throw new UsageError("--limit is for nginx.");
    if (limit !== undefined && short)
      throw new UsageError("--limit needs the patterns of all crawlers, without --short.");
    const [chosen] = Object.keys(choice);
    if (limit !== undefined && chosen !== undefined)
      throw new UsageError(`--limit names the crawlers that it limits: leave out --${chosen}.`);
    const forRobots = name === "robots.txt";
    for (const [option, value] of Object.entries({ file, signals }))
      if (value !== undefined && !forRobots) throw new UsageError(`--${option} is for robots.txt.`);
    const own = file === undefined ? undefined : await readOwnFile(file);
    const detector = await openDetector(catalogue);
    let kept: ExportRequest["kept"] = [];
    try {
      const names = { variable: variable ?? "is_crawler", command: toCommand(args), limit, forRobots };
      const request = createExportRequest(detector, choice, names);
      ({ kept = [] } = request);
      await print(
        forRobots ? writeRobotsTxt(request, { own, signals }) : target.write(short ? shorten(request) : request, form),
      );
    } catch (error) {
      if (error instanceof RobotsError)
        throw new UsageError(file === undefined ? error.message : `${toPlain(file)}: ${error.message}`);
      const isUsage = error instanceof SelectionError || error instanceof ExportError;
      throw isUsage ? new UsageError(error.message) : error;
    }
    if (kept.length > 0)
      process.stderr.write(
        `These crawlers stay, because they also have another purpose; name them in --except to leave them out: ${toPlain(kept.map(toPurposesText).join(", "))}.\n`,
      );
    const ownSignal = signals === undefined ? undefined : findSignalLine(parseRobots(own ?? ""));
    if (ownSignal !== undefined)
      process.stderr.write(
        `${toPlain(file!)}:${ownSignal}: The file has a Content-Signal for *, which stays; --signals adds none.\n`,
      );
    return 0;
  },
};

function toPurposesText({ name = "", purposes = [] }: Choosable): string {
  return `${name} (${purposes.join(", ")})`;
}

const known = [...Object.keys(targets), "automaton", "ranges"].join(", ");

/** The target of that name, and the form of it that was asked for. */
function toTarget(
  name: string,
  options: Readonly<Record<"format" | "dialect", string | undefined>>,
): [target: Target, form: string | undefined] {
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (!target) throw new UsageError(`There is no target ${JSON.stringify(name)}; there are ${known}.`);
  for (const [option, form] of Object.entries(options)) {
    if (form === undefined) continue;
    if (option !== target.forms?.option) throw new UsageError(`--${option} is not for ${name}.`);
    const { names } = target.forms;
    if (!names.includes(form)) throw new UsageError(`--${option} takes one of ${names.join(", ")}.`);
  }
  return [target, options.format ?? options.dialect];
}

async function writeAutomaton({ catalogue }: Detector): Promise<number> {
  if (process.stdout.isTTY) throw new UsageError("The automaton is not text; write it to a file: > crawlers.wca");
  if (!process.stdout.write(exportAutomaton(catalogue))) await once(process.stdout, "drain");
  return 0;
}
