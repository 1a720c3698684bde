/** `whocrawls check`: verdicts on the user agents of the arguments or of standard input. */
import type { ExplainedVerdict, Verdict } from "../../detect/verdict.ts";
import { detectFormat, sampleOf } from "../../scan/formats/detect-format.ts";
import { matchesMostLines } from "../../scan/lines/matches-most-lines.ts";
import { verdictWriters } from "../../service/describe/verdict-writers.ts";
import { UserError } from "../../text/errors.ts";
import { withoutFieldName } from "../../text/field-name.ts";
import { toPlain, toPlainJson, toPlainXml } from "../../text/plain-text.ts";
import { catalogueOption, openDetector } from "../catalogue-option.ts";
import { type Command, type Options, parseArguments, refuse, toOptionsHelp } from "../command.ts";
import { toExplanationText } from "../explanation-text.ts";
import { exitWhenPrinted, print, splitLines } from "../standard-streams.ts";
import {
  createVerify,
  isQuestionLine,
  parseEvidence,
  parseEvidenceLines,
  parseWait,
  type Verify,
} from "../verify/evidence.ts";

const options = {
  json: { help: "one JSON object per line (default)" },
  xml: { help: "one XML document per line" },
  explain: {
    help: "show each match, its position, and the exceptions that prevented it; with --json, as JSON",
  },
  ip: {
    takes: "ADDRESS",
    help: "the client's address, used to verify the crawler and to find its network; if the copy of the operator's address list is older than 7 days, a current one is downloaded (WHOCRAWLS_VERIFY_REFRESH=off: never)",
  },
  header: {
    takes: "'NAME: VALUE'",
    list: true,
    help: "a header field of the request, used to verify its signature; may be repeated; may also be :method or :path",
  },
  wait: { takes: "TIME", help: "how long to wait for lists, DNS and keys, such as 500ms [2s]" },
  "exit-code": {
    help: "exit with 0 for a person, 1 for a crawler, 3 for a spoofed crawler; takes a single user agent",
  },
  catalogue: catalogueOption,
} satisfies Options;

const help = `Checks whether user agents are crawlers. Prints one verdict per line, in the order of the arguments.

Usage: whocrawls check [options] UA…
       whocrawls check [options] -        reads one user agent per line from standard input, or JSON lines
                                          with useragent, ip and optionally headers

Options:
${toOptionsHelp(options, 26)}

Examples:
  whocrawls check "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
  whocrawls check --exit-code "curl/8.5.0" || echo "a crawler"
  whocrawls check --explain "Mozilla/5.0 (Linux; Android 9; CUBOT_X18_Plus)"
  whocrawls check --exit-code --ip 66.249.66.1 "Googlebot/2.1" || [ $? != 3 ] || echo "a spoofed crawler"
  cut -d'"' -f6 access.log | whocrawls check - | grep -c '"crawler":true'

Put -- before user agents that may begin with a dash or with the header name:
  whocrawls check -- "-odd agent-"
`;

export const command: Command = {
  name: "check",
  summary: "check whether user agents are crawlers, and print name and operator",
  help,
  async run(args) {
    const otherwise = "Pass a user agent, or - to read user agents from standard input.";
    const { values, positionals } = parseArguments(args, options, { least: 1, otherwise });
    const fromInput = positionals[0] === "-" && !isAfterTerminator(args);
    const isHeader = !args.includes("--") && positionals.some((text) => withoutFieldName(text) !== text);
    const hasEvidence = values.ip !== undefined || values.header !== undefined;
    refuse([
      [values.json && values.xml, "Use either --json or --xml, not both."],
      [values.explain && values.xml, "--explain has no XML output; use it alone or with --json."],
      [fromInput && positionals.length > 1, "Pass either user agents or -, not both."],
      [values["exit-code"] && (fromInput || positionals.length > 1), "--exit-code takes a single user agent."],
      [isHeader, `${withFieldName} To check it unchanged, put -- before it.`],
      [
        fromInput && hasEvidence,
        "With -, each line has its own evidence: pass JSON lines with useragent, ip and headers.",
      ],
      [values.wait !== undefined && !hasEvidence && !fromInput, "--wait has no effect without --ip or --header."],
    ]);
    const evidence = await parseEvidence(values);
    const waitMs = await parseWait(values.wait);
    const detector = await openDetector(values.catalogue);
    const check = values.explain ? detector.explain : detector.check;
    const toText = toTextOf(values);
    const say = (message: string) => process.stderr.write(`whocrawls check: ${toPlain(message)}\n`);
    const verify = createVerify(detector, { waitMs, downloads: !fromInput, say });
    if (fromInput) return checkLines(process.stdin, check, toText, verify);
    const verdicts = positionals.map(check);
    const verified = evidence === undefined ? verdicts : await verify(verdicts, () => evidence);
    await print(verified.map(toText).join(""));
    const exitCode = values["exit-code"] ? exitCodeOf(verified[0]!) : 0;
    // DNS lookups may still be pending.
    return evidence === undefined ? exitCode : exitWhenPrinted(exitCode);
  },
};

const withFieldName = "This is a header line. Leave out the header name, User-Agent:.";

/** `check -- -` checks the user agent `-`, which access logs write for a missing one. */
function isAfterTerminator(args: readonly string[]): boolean {
  return args.includes("--") && args.indexOf("--") < args.indexOf("-");
}

type Checks = (useragent: string) => Verdict | ExplainedVerdict;
/** A verdict as it is printed. */
type ToText = (verdict: Verdict) => string;

function toTextOf({ xml, explain, json }: { xml?: boolean; explain?: boolean; json?: boolean }): ToText {
  if (xml) return toXmlLine;
  return explain && !json ? (verdict) => toExplanationText(verdict as ExplainedVerdict) : toJsonLine;
}

function exitCodeOf({ crawler, verification }: Verdict): number {
  return verification?.status === "spoofed" ? 3 : crawler ? 1 : 0;
}

async function checkLines(
  input: AsyncIterable<Uint8Array>,
  check: Checks,
  toText: ToText,
  verify: Verify,
): Promise<number> {
  let before = 0;
  let areQuestions = false;
  for await (const lines of splitLines(input)) {
    if (before === 0) {
      areQuestions = isQuestionLine(lines.find((line) => line.trim() !== ""));
      if (!areQuestions && areLogLines(lines))
        throw new UserError(
          "These are log lines, not user agents. To scan a log, use whocrawls scan -. To verify crawlers, pass JSON lines with useragent and ip.",
        );
      if (matchesMostLines(sampleOf(lines), (line) => withoutFieldName(line) !== line))
        throw new UserError(withFieldName.replace("This is a header line", "These are header lines"));
    }
    if (areQuestions) {
      const questions = await parseEvidenceLines(lines, before);
      const verdicts = questions.map(({ useragent }) => check(useragent));
      const verified = await verify(verdicts, (index) => questions[index]!.evidence);
      await print(verified.map(toText).join(""));
    } else await print(lines.map((useragent) => toText(check(useragent))).join(""));
    before += lines.length;
  }
  return areQuestions ? exitWhenPrinted(0) : 0;
}

/** Whether the first lines come from a log: they match a known format, or contain what only log lines contain. */
function areLogLines(lines: readonly string[]): boolean {
  const sample = sampleOf(lines);
  const name = detectFormat(sample)?.name;
  return (name !== undefined && name !== "plain") || matchesMostLines(sample, isLogLine);
}

/** Whether a line contains a bracketed time, a request or JSON as in logs, and is not a user agent. */
function isLogLine(line: string): boolean {
  // linear: each repeat ends at a character that the repeat does not match; too large for recheck's automaton
  return /\[\d{1,2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}|"(?:GET|HEAD|POST|PUT|OPTIONS) [^"]* HTTP\/\d|^\{"[^"]+":/.test(line);
}

function toJsonLine(verdict: Verdict): string {
  return `${toPlainJson(verdict)}\n`;
}

/** The document of the service on one line: its only line break is the one after the XML declaration. */
function toXmlLine(verdict: Verdict): string {
  return `${toPlainXml(verdictWriters.xml.writeVerdict(verdict)).replace("\n", "")}\n`;
}
