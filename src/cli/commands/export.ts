/** `whocrawls export`: the catalogue as other programs' configuration, and as a file for programs in other languages. */
import { deflateRawSync } from "node:zlib";
import { maxStatesOfTable, TooManyStates } from "../../compiler/automaton/dfa.ts";
import { encodeTable } from "../../compiler/automaton/encode-table.ts";
import { toMinimalDfa } from "../../compiler/automaton/minimize.ts";
import type { SelectableCrawler } from "../../detect/policy/selection.ts";
import type { Detector } from "../../detect/verdict.ts";
import { rangesFormats } from "../../export/ranges/range-formats.ts";
import { createExportRequest, toCommand } from "../../export/request.ts";
import { isShortByDefault, shorten } from "../../export/short-form.ts";
import { writeStatements } from "../../export/sql/sql.ts";
import { exportAutomaton } from "../../export/targets/automaton.ts";
import { writeRobotsTxt } from "../../export/targets/robots-txt.ts";
import { standalone } from "../../export/targets/standalone.ts";
import { targets } from "../../export/targets.ts";
import { toNfa } from "../../pattern/nfa.ts";
import { parsePattern } from "../../pattern/parse.ts";
import { findSignalLine } from "../../robots/merge-robots.ts";
import { parseRobots } from "../../robots/robots-file.ts";
import { UserError } from "../../text/errors.ts";
import { toPlain } from "../../text/plain-text.ts";
import { catalogueOption, openDetector } from "../catalogue-option.ts";
import { type Command, type Options, parseArguments, parseChoice, refuse, toOptionsHelp } from "../command.ts";
import { readOwnFile } from "../robots/read-robots.ts";
import { print } from "../standard-streams.ts";

/** The forms of the targets that have the option. */
function formsHelp(option: "format" | "dialect"): string {
  return Object.entries(targets)
    .flatMap(([name, { forms }]) =>
      forms?.option === option ? `for ${name}: ${forms.names.join(", ")}; default: ${forms.names[0]}` : [],
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
    help: "for nginx: only limit_req zones that count each crawler, such as ai=30r/m,GPTBot=10r/m; the most specific word applies",
  },
  short: {
    help: "only the patterns that strings in the catalogue need; the default for a selection by name, operator, purpose or --category ai",
  },
  full: { help: "also the patterns of all other crawlers, so that every string is decided as in the library" },
  as: {
    takes: "NAME",
    help: "name of the result variable; default: is_crawler; for go: of the package; default: whocrawls",
  },
  format: {
    takes: "NAME",
    help: `${formsHelp("format")}\nfor ranges: ${rangesFormats.join(", ")}; default: ${rangesFormats[0]}`,
  },
  file: {
    takes: "OWN",
    help: "for robots.txt: your own file, to which the group is added; existing groups and lines are kept",
  },
  signals: {
    takes: "LIST",
    help: "for robots.txt: write a Content-Signal, such as search=yes,ai-train=no; signals: search, ai-input, ai-train\nwithout a selection, no crawler is disallowed",
  },
  dialect: { takes: "NAME", help: formsHelp("dialect") },
  statements: {
    help: "for sql: write the statements that check new strings in a table and report crawlers; needs --table and --column",
  },
  table: { takes: "NAME", help: "for --statements: the table with the requests, such as requests or logs.requests" },
  exclusive: {
    help: "for ranges: only lists that, according to their operator, have addresses of these crawlers and no others",
  },
  column: { takes: "NAME", help: "for --statements: the column with the user agents" },
  catalogue: catalogueOption,
} satisfies Options;

const help = `Writes the catalogue to standard output as configuration for other programs. Comments in the output say where to put it.

Usage: whocrawls export TARGET [options]

Targets:
${Object.entries({ ...targets, ...standalone })
  .map(([name, { what }]) => `  ${name.padEnd(12)} ${what}`)
  .join("\n")}
  automaton    the automata for other languages, in the format of docs/automaton.md
  ranges       the crawler addresses that operators publish

Options. Those that take a comma-separated LIST select crawlers; a crawler is selected if it matches all options given:
${toOptionsHelp(options, 21)}

Examples:
  whocrawls export nginx > /etc/nginx/conf.d/crawlers.conf
  whocrawls export nginx --limit ai=30r/m,GPTBot=10r/m > /etc/nginx/conf.d/crawlers.conf
  whocrawls export caddy --category ai --purpose training --as is_ai
  whocrawls export robots.txt --category ai --except ai:search
  whocrawls export robots.txt --category ai --purpose training --file own.txt --signals ai-train=no
  whocrawls export sql --dialect clickhouse | clickhouse-client --multiquery
  whocrawls export sql --dialect clickhouse --statements --table requests --column useragent | clickhouse-client --multiquery
  whocrawls export ranges --operator Google --format nginx
  whocrawls export ranges --exclusive --format json > ranges.json
`;

export const command: Command = {
  name: "export",
  summary: "write configuration for proxies, robots.txt, SQL, or the catalogue",
  help,
  async run(args) {
    const usage = { least: 1, most: 1, otherwise: `Specify a target: ${known}.` };
    const { positionals, values } = parseArguments(args, options, usage);
    const name = positionals[0]!;
    const taken = optionsOf(name);
    const stray = Object.keys(values).find((option) => !taken.includes(option));
    if (stray !== undefined) throw new UserError(`--${stray} does not apply to ${name}${adviceFor(name, stray)}.`);
    const {
      as: variable = "is_crawler",
      format,
      dialect,
      limit,
      short,
      full,
      file,
      signals,
      catalogue,
      ...rest
    } = values;
    const { statements, table, column, ...choice } = rest;
    const [chosen] = Object.keys(choice);
    const stated = [statements, table, column].filter((value) => value !== undefined).length;
    refuse([
      [stated > 0 && stated < 3, "--statements, --table and --column must be used together."],
      [statements && chosen, `--statements covers all crawlers: omit --${chosen}.`],
      [short && full, "--short and --full exclude each other."],
      [limit !== undefined && short, "--limit needs the patterns of all crawlers: omit --short."],
      [limit !== undefined && chosen, `--limit itself names the crawlers to limit: omit --${chosen}.`],
    ]);
    if (name === "automaton") return writeAutomaton(await openDetector(catalogue));
    if (Object.hasOwn(standalone, name)) return writeStandalone(name, args, values.as);
    if (name === "ranges")
      return (await import("../verify/export-ranges.ts")).exportRanges(values, await openDetector(catalogue));
    const target = targets[name]!;
    const { forms } = target;
    const given = format ?? dialect;
    const form = forms && given !== undefined ? parseChoice(`--${forms.option}`, forms.names, given) : undefined;
    const forRobots = name === "robots.txt";
    const own = file === undefined ? undefined : await readOwnFile(file);
    const detector = await openDetector(catalogue);
    const request = createExportRequest(detector, choice, { variable, command: toCommand(args), limit, forRobots });
    const write = (): string => {
      if (forRobots) return writeRobotsTxt(request, { own, signals });
      if (statements) return writeStatements(request, form, { table: table!, column: column! });
      const isShort = !full && !target.isList && (short || isShortByDefault(request, choice));
      return target.write(isShort ? shorten(request) : request, form);
    };
    await print(write());
    const { kept = [] } = request;
    if (kept.length > 0)
      process.stderr.write(
        `These crawlers stay selected because they also have another purpose; to exclude them, name them in --except: ${toPlain(kept.map(toPurposesText).join(", "))}.\n`,
      );
    const ownSignal = signals === undefined ? undefined : findSignalLine(parseRobots(own ?? ""));
    if (ownSignal !== undefined)
      process.stderr.write(
        `${toPlain(file!)}:${ownSignal}: The file already has a Content-Signal for *, which is kept; --signals adds none.\n`,
      );
    return 0;
  },
};

function toPurposesText({ name = "", purposes = [] }: SelectableCrawler): string {
  return `${name} (${purposes.join(", ")})`;
}

const known = [...Object.keys(targets), ...Object.keys(standalone), "automaton", "ranges"].join(", ");

/** The options that a target takes. Throws a UserError if there is no such target. */
function optionsOf(name: string): readonly string[] {
  if (name === "automaton") return ["catalogue"];
  if (Object.hasOwn(standalone, name)) return name === "go" ? ["as"] : [];
  if (name === "ranges") return ["operator", "name", "exclusive", "format", "as", "catalogue"];
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (!target) throw new UserError(`There is no target ${JSON.stringify(name)}; targets are ${known}.`);
  return [
    ...["category", "purpose", "operator", "name", "except", "catalogue"],
    ...(target.forms ? [target.forms.option] : []),
    ...(target.isList ? [] : ["short", "as"]),
    ...(target.isList || target.isAlwaysShort ? [] : ["full"]),
    ...(name === "nginx" ? ["limit"] : []),
    ...(name === "sql" ? ["statements", "table", "column"] : []),
    ...(name === "robots.txt" ? ["file", "signals"] : []),
  ];
}

/** What to do instead of using an option with the file of a language, which has the built-in catalogue. */
function adviceFor(name: string, option: string): string {
  if (!Object.hasOwn(standalone, name)) return "";
  if (option === "catalogue")
    return ": its file has the built-in catalogue; use whocrawls export automaton or the service with your own catalogue";
  return ["category", "purpose", "operator", "name", "except"].includes(option)
    ? ": its file has all crawlers; select crawlers in your code by the facts that check returns"
    : "";
}

async function writeStandalone(name: string, args: readonly string[], packageName?: string): Promise<number> {
  const deflate = (bytes: Uint8Array): Uint8Array => deflateRawSync(bytes, { level: 9 });
  const detector = await openDetector();
  await print(
    standalone[name]!.write(detector.catalogue, {
      command: toCommand(args),
      deflate,
      ...(packageName !== undefined && { packageName }),
    }),
  );
  return 0;
}

async function writeAutomaton({ catalogue }: Detector): Promise<number> {
  if (process.stdout.isTTY) throw new UserError("The automaton is binary; redirect it to a file: > crawlers.wca");
  const { deciding, own } = catalogue;
  await print(exportAutomaton(deciding, own === undefined ? undefined : toAutomaton(own)));
  return 0;
}

/** The automaton of an expression; throws a UserError if it is too large. */
function toAutomaton(expression: string): Uint8Array {
  try {
    return encodeTable(toMinimalDfa(toNfa(parsePattern(expression, { printed: true })), maxStatesOfTable));
  } catch (error) {
    if (!(error instanceof TooManyStates)) throw error;
    throw new UserError(
      `Your own patterns together take too many states for an automaton (${error.message}); shorten their repetitions.`,
    );
  }
}
