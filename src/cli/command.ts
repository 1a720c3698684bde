/** What every command is: a name, a help text, something to run. Parsing of arguments that all commands share. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { toHelpLines } from "../text/help-lines.ts";
import { didYouMean, nearestWord } from "../text/nearest-word.ts";

/** One command of the command line. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What `--help` prints: usage, options, examples. */
  readonly help: string;
  /** Runs the command; resolves with the exit code. Throws a UsageError for invalid arguments. */
  run(args: readonly string[]): Promise<number>;
}

/** Wrong usage; the message says what to do instead. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** One option of a command. */
interface Option {
  /** The kind of its value, as help shows it; a switch has none. */
  readonly takes?: string | undefined;
  readonly help: string;
  /** It may be repeated. */
  readonly list?: boolean | undefined;
}

/** The table of a command's options by their names; a name of one letter has one dash. Help and parsing derive from it. */
export type Options = Readonly<Record<string, Option>>;

type ValueOf<Known extends Option> = Known extends { takes: string }
  ? Known extends { list: true }
    ? string[]
    : string
  : boolean;

/** The options as `--help` shows them; `column` is where their explanations begin. */
export function toOptionsHelp(options: Options, column: number): string {
  const rows = Object.entries(options).map(([name, { takes, help }]): [string, string] => [
    `${name.length === 1 ? "-" : "--"}${name}${takes === undefined ? "" : ` ${takes}`}`,
    help,
  ]);
  return toHelpLines([...rows, ["-h, --help", "print this text"]], column);
}

/** Parses the arguments of a command strictly; throws a UsageError that names the argument, and the option that was meant. */
export function parseArguments<const Known extends Options>(args: readonly string[], options: Known) {
  const config: ParseArgsOptionsConfig = {};
  for (const [name, { takes, list = false }] of Object.entries(options)) {
    config[name] = { type: takes === undefined ? "boolean" : "string", multiple: list };
    if (name.length === 1) config[name].short = name;
  }
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options: config,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    const given = new Set<string>();
    for (const token of tokens) {
      if (token.kind !== "option" || token.value === undefined || config[token.name]?.multiple === true) continue;
      if (given.has(token.name)) throw new UsageError(`${token.rawName} is given twice; it takes one value.`);
      given.add(token.name);
    }
    return { values: values as { readonly [Name in keyof Known]?: ValueOf<Known[Name]> }, positionals };
  } catch (error) {
    if (error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")) {
      const [, unknown] = /^Unknown option '--([^'=]+)/.exec(error.message) ?? [];
      const nearest = unknown === undefined ? undefined : nearestWord(unknown, Object.keys(options));
      const [, ambiguous] =
        (error.message.includes("is ambiguous") && /^Option '(?:-\w, )?(--[\w-]+)/.exec(error.message)) || [];
      throw new UsageError(
        ambiguous === undefined
          ? firstSentence(error.message) + didYouMean(nearest && `--${nearest}`)
          : `${ambiguous} takes a value; a value that begins with a dash is written ${ambiguous}=-VALUE.`,
      );
    }
    throw error;
  }
}

/** Reads the value of an option that takes one of some words; throws a UsageError that names them, and the word that was meant. */
export function parseChoice<Choice extends string>(option: string, choices: readonly Choice[], given: string): Choice {
  const choice = choices.find((known) => known === given);
  if (choice !== undefined) return choice;
  throw new UsageError(
    `${option} takes ${choices.join(", ")}; not ${JSON.stringify(given)}.${didYouMean(nearestWord(given, choices))}`,
  );
}

/** Throws a UsageError for positional arguments that a command does not use. */
export function refusePositionals(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError(`Unexpected argument ${JSON.stringify(positionals[0])}.`);
}

// The rest of these messages, after the first line or sentence, is about `--`, which only check uses.
function firstSentence(message: string): string {
  return `${message.replace(/[.\n][\s\S]*/, "")}.`.replace(/\.\.$/, ".");
}
