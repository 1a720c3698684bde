/** Finds lines of Content-Signal that say nothing, and groups that lack the signals of `*`. */
import { didYouMean, nearestWord } from "../text/nearest-word.ts";
import { signals } from "./merge-robots.ts";
import { linesWithGroups, type RobotsFile } from "./robots-file.ts";
import { isShort, type RobotsWarning, show, unquote } from "./robots-warning.ts";

/** What a signal may say. */
const answers = /^(?:yes|no)$/;
/** How far content may be used, which Cloudflare documents. */
const uses = /^(?:immediate|reference|full)$/;

export function* misreadSignals(file: RobotsFile): Generator<RobotsWarning> {
  let last: unknown;
  let said = new Map<string, { readonly answer: string; readonly line: number }>();
  for (const [{ key, number: line, text, value }, group] of linesWithGroups(file)) {
    if (key !== "content-signal") continue;
    if (group === undefined)
      yield { line, text: `${show(text)} comes before any User-agent line; crawlers ignore it. Place it in a group` };
    const why = isShort(value) ? toMistake(value) : "is too long";
    if (why !== undefined) yield { line, text: `the Content-Signal ${show(value)} ${why}` };
    if (group !== last) said = new Map();
    last = group;
    for (const [name, answer] of why === undefined ? toSignals(value) : []) {
      const before = said.get(name);
      if (before !== undefined && before.answer !== answer)
        yield {
          line,
          text: `the Content-Signal ${show(value)} contradicts line ${before.line}: ${name}=${before.answer}`,
        };
      said.set(name, { answer, line });
    }
  }
}

function toSignals(value: string): (readonly [name: string, answer: string, ...others: string[]])[] {
  return value.split(",").map((part) => {
    const [name = "", answer = "", ...others] = part.split("=").map((word) => word.trim().toLowerCase());
    return [name, answer, ...others] as const;
  });
}

/** What is wrong with the value of a line; undefined if it is right. */
function toMistake(value: string): string | undefined {
  if (value === "") return "is empty; write signals, such as search=yes, ai-train=no";
  const bare = unquote(value);
  if (bare !== value) return `has quotation marks; write ${show(bare)}`;
  // With the right signs between names and values, and between signals.
  const pieces = value
    .split(/[=:]/)
    .map((part) => part.trim())
    .join("=")
    .split(/[,;|/&+\s]+/)
    .filter((piece) => piece !== "");
  const advice = `write ${show(pieces.join(", "))}`;
  if (pieces.every(isSignal)) {
    if (value.includes(":")) return `has a colon in place of an equals sign; ${advice}`;
    const parts = value.split(",").map((part) => part.trim());
    if (parts.includes("")) return `has a comma too many; ${advice}`;
    if (parts.length < pieces.length) return `has no comma between its signals; ${advice}`;
  }
  const seen = new Map<string, string>();
  for (const [name, answer, ...others] of toSignals(pieces.join(","))) {
    if (name === "use") {
      if (!uses.test(answer)) return "must say use=immediate, use=reference or use=full";
      return 'has "use", which only Cloudflare documents; signals that others know are search, ai-input, ai-train';
    }
    if (!signals.some((signal) => signal === name))
      return `has ${show(name)}, which is not a signal; signals are ${signals.join(", ")}.${didYouMean(nearestWord(name, signals))}`;
    if (!answers.test(answer) || others.length > 0) return `must say yes or no: ${name}=yes or ${name}=no`;
    if (seen.has(name) && seen.get(name) !== answer) return `says both yes and no for ${name}`;
    seen.set(name, answer);
  }
  return undefined;
}

function isSignal(piece: string): boolean {
  const [name = "", answer = "", ...others] = piece.toLowerCase().split("=");
  return (
    others.length === 0 &&
    (name === "use" ? uses : answers).test(answer) &&
    (name === "use" || signals.some((signal) => signal === name))
  );
}

/** Groups of crawlers that may fetch something, and do not read the signals of `*`. */
export function* missingSignals(file: RobotsFile): Generator<RobotsWarning> {
  // A crawler's groups are read together.
  const linesOf = new Map<string, number>();
  let last: unknown;
  for (const [{ key, number }, group] of linesWithGroups(file)) {
    if (key !== "content-signal" || group === undefined || group === last) continue;
    last = group;
    for (const { token } of group.agents) linesOf.set(token.toLowerCase(), number);
  }
  const ofAll = linesOf.get("*");
  if (ofAll === undefined) return;
  for (const { agents, rules } of file.groups) {
    const agent = agents.find(({ token }) => !linesOf.has(token.toLowerCase()));
    const blocksAll = rules.some(({ isAllowed, path }) => !isAllowed && /^[/*]\**$/.test(path));
    if (agent === undefined || blocksAll) continue;
    yield {
      line: agent.line,
      text: `${show(agent.token)} does not read the Content-Signal of * in line ${ofAll}; repeat it in this group if it should apply`,
    };
  }
}
