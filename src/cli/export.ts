// `whocrawls export`: what the catalogue was compiled to, for programs in other languages.
import { once } from "node:events";
import { exportAutomaton } from "../export/automaton.ts";
import { type Command, parseArguments, UsageError } from "./command.ts";

const help = `Writes what the catalogue was compiled to, for programs in other languages, to standard output.

Usage: whocrawls export automaton    the automata that decide, in the format that docs/automaton.md describes

Options:
  -h, --help    this text

Example:
  whocrawls export automaton > crawlers.wca
`;

export const command: Command = {
  name: "export",
  summary: "write the automaton for programs in other languages",
  help,
  async run(args) {
    const { positionals } = parseArguments(args, {});
    if (positionals.length !== 1 || positionals[0] !== "automaton")
      throw new UsageError("Say what to export: automaton.");
    if (process.stdout.isTTY) throw new UsageError("The automaton is not text; write it to a file: > crawlers.wca");
    if (!process.stdout.write(exportAutomaton())) await once(process.stdout, "drain");
    return 0;
  },
};
