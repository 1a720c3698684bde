/** Finds lines of Content-Signal that say nothing, and groups that lack the signals of `*`. */
import { didYouMean, nearestWord } from "../text/nearest-word.ts";
import { signals } from "./merge-robots.ts";
import { linesWithGroups, type RobotsFile } from "./robots-file.ts";
import { isShort, type RobotsWarning, show } from "./robots-warning.ts";

export function* misreadSignals(file: RobotsFile): Generator<RobotsWarning> {
  for (const [{ key, number: line, text, value }, group] of linesWithGroups(file)) {
    if (key !== "content-signal") continue;
    if (group === undefined)
      yield { line, text: `${show(text)} comes before any User-agent line; crawlers ignore it. Place it in a group` };
    const why = isShort(value) ? toMistake(value) : "is too long";
    if (why !== undefined) yield { line, text: `the Content-Signal ${show(value)} ${why}` };
  }
}

/** What is wrong with the value of a line; undefined if it is right. */
function toMistake(value: string): string | undefined {
  if (value === "") return "is empty; write signals, such as search=yes, ai-train=no";
  const parts = value.split(",").map((part) => part.trim());
  const joined = value
    .split("=")
    .map((part) => part.trim())
    .join("=");
  if (/[^,\s]\s+\S|;/.test(joined))
    return `has no comma between its signals; write ${show(joined.replaceAll(/[;,\s]+/g, ", "))}`;
  if (parts.includes("")) return `has a comma too many; write ${show(parts.filter((part) => part !== "").join(", "))}`;
  const seen = new Map<string, string>();
  for (const part of parts) {
    const [name = "", answer = "", ...others] = part.split("=").map((word) => word.trim().toLowerCase());
    if (!signals.some((signal) => signal === name))
      return `has ${show(name)}, which is not a signal; signals are ${signals.join(", ")}.${didYouMean(nearestWord(name, signals))}`;
    if (!/^(?:yes|no)$/.test(answer) || others.length > 0) return `must say yes or no: ${name}=yes or ${name}=no`;
    if (seen.has(name) && seen.get(name) !== answer) return `says both yes and no for ${name}`;
    seen.set(name, answer);
  }
  return undefined;
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
