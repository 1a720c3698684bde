/** What every command is: a name, a help text, something to run. Parsing of arguments that all commands share. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { didYouMean, nearestWord } from "../detect/policy/nearest-word.ts";

/** One command of the command line. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What `--help` prints: usage, options, examples. */
  readonly help: string;
  /** Runs the command; resolves with the exit code. Throws a UsageError where the arguments make no sense. */
  run(args: readonly string[]): Promise<number>;
}

/** Wrong usage; the message says what to do instead. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Parses the arguments of a command strictly; throws a UsageError that names the argument. */
export function parseArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    if (error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")) {
      const [, unknown] = /^Unknown option '--([^']+)'/.exec(error.message) ?? [];
      const nearest = unknown === undefined ? undefined : nearestWord(unknown, Object.keys(options));
      throw new UsageError(firstSentence(error.message) + didYouMean(nearest && `--${nearest}`));
    }
    throw error;
  }
}

/** Throws a UsageError where a command got positional arguments that it has no use for. */
export function refusePositionals(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError(`Unexpected argument ${JSON.stringify(positionals[0])}.`);
}

// What follows the first line or sentence of these messages is about `--`, which no command but check has a use for.
function firstSentence(message: string): string {
  return `${message.replace(/[.\n][\s\S]*/, "")}.`.replace(/\.\.$/, ".");
}
