/** Finds rules whose paths mean something else than they seem to, or match nothing. Each rule has at most one of these warnings. */
import type { RobotsFile, RobotsRule } from "./robots-file.ts";
import { isShort, type RobotsWarning, show, unquote } from "./robots-warning.ts";

export function* misreadPaths({ groups }: RobotsFile): Generator<RobotsWarning> {
  for (const { rules } of groups)
    for (const rule of rules) {
      const text = toWarning(rule);
      if (text !== undefined) yield { line: rule.line, text };
    }
}

function toWarning(rule: RobotsRule): string | undefined {
  const { text } = rule;
  const paths = toPaths(text);
  if (paths.length > 1)
    return `${show(text)} is read as one path; write each in a line of its own${advise(rule, paths)}`;
  if (unquote(text) !== text)
    return `the rule ${show(text)} matches no path, because quotation marks belong to it; remove the quotation marks${advise(rule, paths)}`;
  if (/^https?:/i.test(text))
    return `the rule ${show(text)} matches no path, because a rule is a path without scheme and host${advise(rule, paths)}`;
  if (isRegularExpression(text))
    return `the rule ${show(text)} looks like a regular expression, but only * (any text) and $ (the end) have a meaning${advise(rule, toRule(text))}`;
  if (/^[/*]/.test(rule.path)) return undefined;
  return `the rule ${show(text)} matches no path; paths begin with / or *${advise(rule, paths)}`;
}

/** The lines that are probably meant. */
function advise({ isAllowed, text }: RobotsRule, paths: readonly string[]): string {
  if (paths.length === 0 || !isShort(text)) return "";
  return `: ${paths.map((path) => show(`${isAllowed ? "Allow" : "Disallow"}: ${path}`)).join(", ")}`;
}

/** The paths that a rule is probably about: of several paths in one line, each; the path of a URL; what quotation marks contain. */
function toPaths(text: string): string[] {
  // `/*,*` is one path: a star begins another one only behind a space.
  // linear: behind a repetition, nothing but a star behind separators can fail, which then costs one step back
  const separator = /\s+(?:(?:and|or|[&+\\])\s+)?|[,;|]+(?!\*)/i;
  const parts = unquote(text.trim())
    .split(separator)
    .filter((part) => part !== "")
    .map(unquote);
  const areSeveral = /^[/*]|^https?:/i.test(parts[0] ?? "")
    ? parts.slice(1).some((part) => /^[/*]|^https?:/i.test(part))
    : /[,\s]/.test(unquote(text.trim()));
  return (areSeveral ? parts : [unquote(text.trim())]).map(toPath);
}

function toPath(text: string): string {
  // linear: each alternative begins at the start of the text
  const path = text.replace(/^https?:\/\/[^/]*|^www\.[^/]+(?=\/)|^\.{1,2}(?=\/)|^\\/i, "");
  return /^[/*]/.test(path) ? path : `/${path}`;
}

/**
 * What only regular expressions contain. Others may be parts of paths: `.*` is a dot and any text, as in `/.*` for hidden files, and `[]*`
 * ends the name of a parameter.
 */
function isRegularExpression(text: string): boolean {
  return /^\^|\\[.\-/dDsSwWb]|\(\.[*+]|[)\]]\+|\[(?:\^|\w-\w)|\.\+|\{\d{1,4}(?:,\d{0,4})?\}|\([^()|]*\||\(\?[:=!]/.test(
    text,
  );
}

/** The rule that matches what a regular expression does; none if there is no such rule. */
function toRule(text: string): string[] {
  const rule = text
    .replace(/^\^/, "")
    .replaceAll(/\(?\.\*\)?/g, "*")
    .replaceAll(/\\([./-])/g, "$1");
  return /^[/*]/.test(rule) && !/[\\()[\]{}+^]/.test(rule) ? [rule] : [];
}
