// `whocrawls check`: verdicts on the user agents of the arguments or of standard input.
import { detector } from "../detect/default.ts";
import type { Verdict } from "../detect/verdict.ts";
import { toCheckXml } from "../service/xml.ts";
import { type Command, parseArguments, UsageError } from "./command.ts";
import { splitLines } from "./lines.ts";
import { print } from "./output.ts";

const help = `Says whether user agents belong to crawlers, and whose: one verdict a line, in the order of the questions.

Usage: whocrawls check [options] UA…
       whocrawls check [options] -        reads one user agent a line from standard input

Options:
  --json        one JSON object a line (the default)
  --xml         one XML document a line
  --exit-code   for a single user agent: exit with 0 for a person, 1 for a crawler
  -h, --help    this text

Examples:
  whocrawls check "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
  whocrawls check --exit-code "curl/8.5.0" || echo "a crawler"
  cut -d'"' -f6 access.log | whocrawls check - | grep -c '"crawler":true'

A user agent that begins with a dash comes after --:
  whocrawls check -- "-odd agent-"
`;

export const command: Command = {
  name: "check",
  summary: "say whether user agents belong to crawlers, and whose",
  help,
  async run(args) {
    const { values, positionals } = parseArguments(args, {
      json: { type: "boolean" },
      xml: { type: "boolean" },
      "exit-code": { type: "boolean" },
    });
    if (values.json && values.xml) throw new UsageError("Choose one of --json and --xml.");
    const toText = values.xml ? toXmlLine : toJsonLine;
    const [first] = positionals;
    if (first === undefined) throw new UsageError("Give a user agent, or - to read them from standard input.");
    const fromInput = first === "-" && !isAfterTerminator(args);
    if (fromInput && positionals.length > 1) throw new UsageError("Give either user agents or -, not both.");
    if (values["exit-code"] && (fromInput || positionals.length > 1)) {
      throw new UsageError("--exit-code works for a single user agent.");
    }
    if (fromInput) {
      await checkLines(process.stdin, toText);
      return 0;
    }
    const verdicts = positionals.map((useragent) => detector.check(useragent));
    await print(verdicts.map(toText).join(""));
    return values["exit-code"] && verdicts[0]?.crawler ? 1 : 0;
  },
};

/** `check -- -` asks about the user agent `-`, which access logs write where there is none. */
function isAfterTerminator(args: readonly string[]): boolean {
  return args.includes("--") && args.indexOf("--") < args.indexOf("-");
}

async function checkLines(input: AsyncIterable<Uint8Array>, toText: (verdict: Verdict) => string): Promise<void> {
  for await (const lines of splitLines(input)) {
    let text = "";
    for (const line of lines) text += toText(detector.check(line));
    await print(text);
  }
}

function toJsonLine(verdict: Verdict): string {
  return `${JSON.stringify(verdict)}\n`;
}

/** The document of the service on one line: its only line break is the one after the XML declaration. */
function toXmlLine(verdict: Verdict): string {
  return `${toCheckXml(verdict).replace("\n", "")}\n`;
}
