/** Finds rules whose paths mean something else than they seem to, or match nothing. Each rule has at most one of these warnings. */
import type { RobotsFile, RobotsRule } from "./robots-file.ts";
import { adviseLines, type RobotsWarning, show, toLines, unquote } from "./robots-warning.ts";

export function* misreadPaths({ groups }: RobotsFile): Generator<RobotsWarning> {
  for (const { rules } of groups)
    for (const rule of rules) {
      const text = toWarning(rule);
      if (text !== undefined) yield { line: rule.line, text };
    }
}

/** What begins a comment elsewhere. */
const otherComment = /[ \t](?:(?:\/\/|\/\*)[ \t]|<!--|(?:;|--)[ \t][^/*])/;

function toWarning(rule: RobotsRule): string | undefined {
  const { text } = rule;
  // Another warning is about these.
  if (toLines(text).length > 1) return undefined;
  const [path = ""] = text.split(otherComment, 1);
  if (path !== text)
    return `${show(text)} is read as one path, because only # begins a comment${advise(rule, toPaths(path))}`;
  const paths = toPaths(text);
  if (paths.length > 1)
    return `${show(text)} is read as one path; write each in a line of its own${advise(rule, paths)}`;
  if (unquote(text) !== text)
    return `the rule ${show(text)} matches no path, because quotation marks belong to it; remove the quotation marks${advise(rule, paths)}`;
  if (/^[a-z]+:\/\//i.test(text))
    return `the rule ${show(text)} matches no path, because a rule is a path without scheme and host${advise(rule, paths)}`;
  if (isRegularExpression(text))
    return `the rule ${show(text)} looks like a regular expression, but only * (any text) and $ (the end) have a meaning${advise(rule, toRules(text))}`;
  if (/^[/*]/.test(rule.path)) return undefined;
  return `the rule ${show(text)} matches no path; paths begin with / or *${advise(rule, toWord(rule) ?? paths)}`;
}

/** The paths that a word in place of a path is about. */
function toWord({ isAllowed, text }: RobotsRule): string[] | undefined {
  if (/^(?:all|any|everything)$/i.test(text)) return ["/"];
  return /^(?:none|nothing)$/i.test(text) ? (isAllowed ? [] : [""]) : undefined;
}

/** The lines that are probably meant. */
function advise({ isAllowed, text }: RobotsRule, paths: readonly string[]): string {
  const key = isAllowed ? "Allow" : "Disallow";
  return adviseLines(
    text,
    paths.map((path) => `${key}: ${path}`.trimEnd()),
  );
}

/** The paths that a rule is probably about: of several paths in one line, each; the path of a URL; what quotation marks contain. */
function toPaths(text: string): string[] {
  // `/*,*` is one path: a star begins another one only behind a space.
  // linear: behind a repetition, nothing but a star behind separators can fail, which then costs one step back
  const separator = /\s+(?:(?:and|or|&&|\|\||[&+\\])\s+)?|[,;|]+(?!\*)/i;
  const whole = unwrap(text);
  const parts = whole
    .split(separator)
    .filter((part) => part !== "")
    .map(unquote);
  const areSeveral = /^[/*]|^https?:/i.test(parts[0] ?? "")
    ? parts.slice(1).some((part) => /^[/*]|^https?:/i.test(part))
    : /[,\s]/.test(whole);
  return (areSeveral ? parts : [whole]).flatMap(toPath);
}

/** The text without what is not part of a path: quotation marks, brackets of a list, and a second colon. */
function unwrap(text: string): string {
  const inner = unquote(text.trim());
  const isList = ["[]", "{}", "()", "<>"].some(([start, end]) => inner.startsWith(start!) && inner.endsWith(end!));
  if (isList) return unquote(inner.slice(1, -1).trim());
  return /^[:=]/.test(inner) ? inner.slice(1).trim() : inner;
}

/** None where it cannot be told from a host or a drive. */
function toPath(text: string): string[] {
  // linear: each alternative begins at the start of the text
  const rest = text.replace(/^[a-z]+:\/\/[^/]*|^www\.[^/]+(?=\/)|^\.{1,2}(?=\/)|^\\+/i, "");
  const path = text.startsWith("\\") ? rest.replaceAll("\\", "/") : rest;
  if (/^[/*]/.test(path)) return [path];
  const isFile = /^[^/]*\.(?:php|html?|aspx?|jsp|cgi)\//i.test(path);
  return !isFile && /^[^/]*:|^\.{1,2}$|^[^./][^/]*\.[a-z]{2,}\//i.test(path) ? [] : [`/${path}`];
}

/**
 * What only regular expressions and globs contain. Others may be parts of paths: `.*` is a dot and any text, as in `/.*` for hidden files,
 * and `[]*` ends the name of a parameter.
 */
function isRegularExpression(text: string): boolean {
  return (
    /^\^|^\.[*+]|\\[.\-/?*+$()[\]{}|^]|\\[dDsSwWb](?:[^A-Za-z]|$)|\{[^{},]+,[^{},]+[,}]/.test(text) ||
    /\(\.[*+]|[)\]]\+|\[(?:\^|\w-\w)|\.\+|\{\d{1,4}(?:,\d{0,4})?\}|\([^()|]*\||\(\?[:=!]/.test(text)
  );
}

/** The rules that match what a regular expression does, one for each alternative of its only group; none if there are no such rules. */
function toRules(text: string): string[] {
  const rule = text
    .replace(/^\^/, "")
    .replaceAll(/\(?\.\*\)?/g, "*")
    .replaceAll(/\\([./?-])/g, "$1");
  const [group, alternatives = ""] = /\(([\w.|-]+)\)|\{[\w.,-]+\}/.exec(rule) ?? [];
  const words = alternatives === "" ? (group ?? "").slice(1, -1).split(",") : alternatives.split("|");
  const rules = group === undefined ? [rule] : words.map((word) => rule.replace(group, word));
  const anchored = rules.map((path) => (/^[/*]/.test(path) ? path : `*${path}`));
  return /^\^[^/*]/.test(text) || anchored.some((path) => /[\\()[\]{}+^|]/.test(path)) ? [] : anchored;
}
