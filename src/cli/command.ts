/** The interface of commands (name, help text, run function), and the argument parsing that they share. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { toHelpLines } from "../text/columns.ts";
import { UserError } from "../text/errors.ts";
import { didYouMean, nearestWord } from "../text/nearest-word.ts";

/** One command of the command line. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What `--help` prints: usage, options, examples. */
  readonly help: string;
  /** Runs the command; resolves with the exit code. Throws a UserError for a mistake of its user. */
  run(args: readonly string[]): Promise<number>;
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
  return toHelpLines([...rows, ["-h, --help", "print this help"]], column);
}

/** How many positional arguments a command takes. */
interface Positionals {
  readonly least: number;
  /** Default: any number. */
  readonly most?: number;
  /** The message for any other number. */
  readonly otherwise?: string;
}

/**
 * Parses the arguments of a command strictly; by default, all of them belong to options. Throws a UserError that names the argument,
 * and the option that was probably meant.
 */
export function parseArguments<const Known extends Options>(
  args: readonly string[],
  options: Known,
  { least, most = Number.POSITIVE_INFINITY, otherwise }: Positionals = { least: 0, most: 0 },
) {
  const config: ParseArgsOptionsConfig = {};
  for (const [name, { takes, list = false }] of Object.entries(options)) {
    config[name] = { type: takes === undefined ? "boolean" : "string", multiple: list };
    if (name.length === 1) config[name].short = name;
  }
  const { values, positionals, tokens } = parseStrictly(args, config);
  const given = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== "option" || token.value === undefined || config[token.name]?.multiple === true) continue;
    if (given.has(token.name)) throw new UserError(`${token.rawName} is given twice, but takes only one value.`);
    given.add(token.name);
  }
  if (positionals.length < least || positionals.length > most)
    throw new UserError(otherwise ?? `Unexpected argument ${JSON.stringify(positionals[0])}.`);
  return { values: values as { readonly [Name in keyof Known]?: ValueOf<Known[Name]> }, positionals };
}

function parseStrictly(args: readonly string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true, tokens: true });
  } catch (error) {
    const { message } = error as Error;
    const [, ambiguous] = (message.includes("is ambiguous") && /^Option '(?:-\w, )?(--[\w-]+)/.exec(message)) || [];
    if (ambiguous !== undefined)
      throw new UserError(`${ambiguous} needs a value; write a value that begins with a dash as ${ambiguous}=-VALUE.`);
    const [, unknown = ""] = /^Unknown option '--([^'=]+)/.exec(message) ?? [];
    const nearest = nearestWord(unknown, Object.keys(options));
    throw new UserError(firstSentence(message) + didYouMean(nearest && `--${nearest}`));
  }
}

/** Reads the value of an option that takes one of some words; throws a UserError that names them, and the word that was meant. */
export function parseChoice<Choice extends string>(option: string, choices: readonly Choice[], given: string): Choice {
  const choice = choices.find((known) => known === given);
  if (choice !== undefined) return choice;
  throw new UserError(
    `${option} must be one of ${choices.join(", ")}, not ${JSON.stringify(given)}.${didYouMean(nearestWord(given, choices))}`,
  );
}

/** Throws a UserError with the sentence of the first row whose condition holds. */
export function refuse(mistakes: readonly (readonly [condition: unknown, sentence: string])[]): void {
  const found = mistakes.find(([condition]) => condition);
  if (found !== undefined) throw new UserError(found[1]);
}

// The rest of these messages explains `--`, which only the command check uses. Bun leaves out the dash of a letter.
function firstSentence(message: string): string {
  return `${message.replace(/[.\n][\s\S]*/, "").replace(/'(\w)'$/, "'-$1'")}.`.replace(/\.\.$/, ".");
}
