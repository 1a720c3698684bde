/** `whocrawls regexp`: the expression that decides, as RegExp of the service returns it. */

import { flavorNotes } from "../../export/expressions.ts";
import { askService } from "../ask-service.ts";
import { catalogueOption, openDetector } from "../catalogue-option.ts";
import { type Command, type Options, parseArguments, toOptionsHelp } from "../command.ts";
import { print } from "../standard-streams.ts";

const notes = Object.entries(flavorNotes).map(([name, note]) => `${name}: ${note}`);
const options = {
  flavor: { takes: "NAME", help: ["the notation:", ...notes].join("\n") },
  catalogue: catalogueOption,
} satisfies Options;

const help = `Prints the regular expression. It matches a user agent if and only if it belongs to a crawler; compact matches more.
It works without flags in JavaScript, PCRE2, RE2, Java, Python, Go, Rust, .NET, ICU, Oniguruma and PostgreSQL.

Usage: whocrawls regexp        the expression
       whocrawls regexp UA     only the alternatives that match this user agent, one per line; none for a person's user agent

Options:
${toOptionsHelp(options, 19)}

Examples:
  whocrawls regexp --flavor posix
  whocrawls regexp > crawlers.txt && grep -cPf crawlers.txt user-agents.txt
  whocrawls regexp "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
`;

export const command: Command = {
  name: "regexp",
  summary: "print the regular expression",
  help,
  async run(args) {
    const usage = { least: 0, most: 1, otherwise: "Pass at most one user agent, in quotes." };
    const { positionals, values } = parseArguments(args, options, usage);
    const detector = await openDetector(values.catalogue);
    const response = await askService(detector, "/RestService/RegExp", {
      useragent: positionals[0],
      flavor: values.flavor,
    });
    const text = await response.text();
    if (values.flavor === "compact")
      console.error(
        "whocrawls regexp: compact ignores case, so it also matches some programs that people use; portable does not.",
      );
    if (text !== "") await print(`${text}\n`);
    return 0;
  },
};
