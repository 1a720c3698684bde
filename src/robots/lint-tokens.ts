/** Finds tokens that name no crawler, or not the one that is meant. */
import { didYouMean, nearestWord } from "../text/nearest-word.ts";
import type { Robots } from "./crawler-rules.ts";
import type { RobotsFile } from "./robots-file.ts";
import { adviseLines, type RobotsWarning, show, toLines, unquote } from "./robots-warning.ts";

/** Finding a token takes half a millisecond, during which a server is blocked. */
const maxSuggested = 15;

/**
 * Lowercase names of companies and products that are not tokens, with the token that is probably meant, or null if none is documented.
 * Crawlers' tokens for search are not advised for products of AI.
 */
const products: Readonly<Record<string, string | null>> = {
  ...{ all: "*", any: "*", bots: "*", everyone: "*" },
  anthropic: "ClaudeBot",
  bard: "Google-Extended",
  bytedance: "Bytespider",
  chatgpt: "GPTBot",
  claude: "ClaudeBot",
  commoncrawl: "CCBot",
  copilot: "bingbot",
  duckduckgo: "DuckDuckBot",
  gemini: "Google-Extended",
  google: "Googlebot",
  "google-ai": "Google-Extended",
  googleai: "Google-Extended",
  grok: null,
  meta: "meta-externalagent",
  microsoft: "bingbot",
  openai: "GPTBot",
  yahoo: "Slurp",
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
    if (token === "*" || all.has(token.toLowerCase()) || toLines(token).length > 1) continue;
    if (token === "") yield { line, text: "User-agent is empty; the group applies to no crawler" };
    else if (unquote(token) !== token)
      yield {
        line,
        text: `no crawler has the token ${show(token)}; remove the quotation marks: ${show(`User-agent: ${unquote(token)}`)}`,
      };
    else if (/[,;|\s]/.test(token) && !/[/()]/.test(token)) {
      const parts = token
        .split(/[,;|&+\s]+/)
        .map((part) => unquote(part.replaceAll(/[[\]{}]/g, "")))
        .filter((part) => !/^(?:and|or|)$/i.test(part));
      const whole = known.find((word) => word.toLowerCase() === parts.join("").toLowerCase());
      const areTokens = /[,;|]/.test(token) || parts.some((part) => all.has(part.toLowerCase()));
      const lines = parts.map((part) => `User-agent: ${part}`);
      const text =
        whole === undefined && areTokens
          ? `${show(token)} is read as one token; write each in a line of its own${adviseLines(token, lines)}`
          : `no known crawler has the token ${show(token)}.${didYouMean(whole)}`;
      yield { line, text };
    } else if (/[/();]|^mozilla/i.test(token)) {
      const text = token.toLowerCase();
      const [found = ""] = known
        .filter((word) => text.includes(word.toLowerCase()))
        .sort((a, b) => b.length - a.length);
      const right = retired[found.toLowerCase()] ?? (found || undefined);
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
      const why = token.includes("*") ? ", because only a * by itself stands for all crawlers" : "";
      yield { line, text: `no known crawler has the token ${show(token)}${why}.${didYouMean(meant)}` };
    }
  }
}

/** The token of a product, else the shortest that begins with the word, else the one that differs in the fewest letters. */
function toMeant(token: string, known: readonly string[]): string | undefined {
  const text = token.toLowerCase().replaceAll(/\.?\*/g, "");
  if (text === "") return "*";
  for (const word of [text, text.replace(/[-_]?(?:bot|crawler|spider)$/, "")])
    if (Object.hasOwn(products, word)) return products[word] ?? undefined;
  const longer = text.length < 4 ? [] : known.filter((word) => word.toLowerCase().startsWith(text));
  const near = token.includes("*") ? undefined : nearestWord(token, known);
  const meant = longer.sort((a, b) => a.length - b.length)[0] ?? near;
  return meant && (retired[meant.toLowerCase()] ?? meant);
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
