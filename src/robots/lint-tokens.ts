/** Finds tokens that name no crawler, or not the one that is meant. */
import { didYouMean, nearestWord } from "../text/nearest-word.ts";
import type { Robots } from "./crawler-rules.ts";
import type { RobotsFile } from "./robots-file.ts";
import { isShort, type RobotsWarning, show, unquote } from "./robots-warning.ts";

/** Finding a token takes half a millisecond, during which a server is blocked. */
const maxSuggested = 15;

/** Names of companies and products that are no tokens, in lowercase, with the token that is probably meant. */
const products: Readonly<Record<string, string>> = {
  anthropic: "ClaudeBot",
  chatgpt: "GPTBot",
  claude: "ClaudeBot",
  gemini: "Google-Extended",
  google: "Googlebot",
  meta: "meta-externalagent",
  openai: "GPTBot",
};

/** Tokens that their operators no longer use, in small letters, with the token that they use instead. */
const retired: Readonly<Record<string, string>> = {
  "anthropic-ai": "ClaudeBot",
  "claude-web": "ClaudeBot",
};

export function* unknownTokens({ groups }: RobotsFile, known: readonly string[]): Generator<RobotsWarning> {
  const all = new Set(known.map((token) => token.toLowerCase()));
  let suggested = 0;
  for (const { token, line } of groups.flatMap(({ agents }) => agents)) {
    if (token === "*" || all.has(token.toLowerCase())) continue;
    if (token === "") yield { line, text: "User-agent is empty; the group applies to no crawler" };
    else if (unquote(token) !== token)
      yield {
        line,
        text: `no crawler has the token ${show(token)}; remove the quotation marks: ${show(`User-agent: ${unquote(token)}`)}`,
      };
    else if (/[,\s]/.test(token) && !/[/();]/.test(token)) {
      const lines = token.split(/[,\s]+/).map((part) => show(`User-agent: ${part}`));
      const advice = isShort(token) ? `: ${lines.join(", ")}` : "";
      yield { line, text: `${show(token)} is read as one token; write each in a line of its own${advice}` };
    } else if (/[/();]|^mozilla/i.test(token)) {
      const text = token.toLowerCase();
      const [right] = known.filter((word) => text.includes(word.toLowerCase())).sort((a, b) => b.length - a.length);
      yield {
        line,
        text: `${show(token)} is a user agent string, not a token; most crawlers will not match this group.${didYouMean(right)}`,
      };
    } else if (token.endsWith("*") && all.has(token.slice(0, -1).toLowerCase())) {
      const advice = show(`User-agent: ${token.slice(0, -1)}`);
      yield {
        line,
        text: `only Google's crawlers ignore the * at the end of the token ${show(token)}; write ${advice}`,
      };
    } else {
      const meant = suggested++ < maxSuggested ? toMeant(token, known) : undefined;
      yield { line, text: `no known crawler has the token ${show(token)}.${didYouMean(meant)}` };
    }
  }
}

/** The token of a product, else the shortest that begins with the word, else the one that differs in the fewest letters. */
function toMeant(token: string, known: readonly string[]): string | undefined {
  const text = token.toLowerCase();
  const product = Object.hasOwn(products, text) ? products[text] : undefined;
  const longer = text.length < 4 ? [] : known.filter((word) => word.toLowerCase().startsWith(text));
  return product ?? longer.sort((a, b) => a.length - b.length)[0] ?? nearestWord(token, known);
}

/** Retired tokens, unless the file also names what is used instead, or says the same to it. */
export function* retiredTokens({ file: { groups }, rulesFor }: Robots): Generator<RobotsWarning> {
  const texts = new Map(Object.entries(retired).map(([token, name]) => [token, toRetiredText(name, token, rulesFor)]));
  for (const { token, line } of groups.flatMap(({ agents }) => agents)) {
    const text = texts.get(token.toLowerCase());
    if (text !== undefined) yield { line, text: `${show(token)} is not used any more; ${text}` };
  }
}

function toRetiredText(name: string, token: string, rulesFor: Robots["rulesFor"]): string | undefined {
  const { token: group = "*", decide } = rulesFor({ name });
  const { isAllowed } = decide("/");
  if (group !== "*" || isAllowed === rulesFor({ name: token }).decide("/").isAllowed) return undefined;
  return `${name} stays ${isAllowed ? "allowed" : "blocked"}, because it does not read this group. Name it: "User-agent: ${name}"`;
}
