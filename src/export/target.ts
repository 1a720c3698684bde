/** The interface of a target of `whocrawls export`, and the functions that all targets need. */
import type { SelectableCrawler, Selection } from "../detect/policy/selection.ts";
import { toPlain } from "../text/plain-text.ts";
import type { Item } from "./expressions.ts";
import type { ExportLimits } from "./nginx-limits.ts";
import { inParts, inPartsByContext, type LengthOf } from "./parts.ts";

export interface ExportRequest {
  /** At least one of these matches each crawler's string; none matches any other string. */
  readonly crawlers: readonly string[];
  /** All of them as one expression, common parts shared, for programs without limits. */
  readonly expression: string;
  /** Every item in the order of precedence. */
  readonly items: readonly Item[];
  /** Which crawlers are selected; absent: all of them. */
  readonly selection?: Selection;
  /** Present in the short form: the items alone decide, in their order, without `crawlers`. */
  readonly isShort?: true;
  /** The crawlers that a word of `--except` names by one of their purposes, and that stay selected because they have another. */
  readonly kept?: readonly SelectableCrawler[];
  /** The name of the result in the configuration, such as `is_crawler`. */
  readonly variable: string;
  /** How often crawlers may ask; only for nginx. */
  readonly limits?: ExportLimits;
  /** The command that asked for it and the catalogue's version, for the comment at the top. */
  readonly command: string;
  readonly version: string;
  /** A string of every crawler that the catalogue knows. */
  readonly known: readonly string[];
  /** The item of a crawler's string, as an index into `items`, or -1. */
  readonly itemOf: (useragent: string) => number;
}

/** A program that the catalogue can be written for. */
export interface Target {
  /** The output in one line. */
  readonly what: string;
  /** The limit of the program that the output respects; absent if there is none. */
  readonly limit?: string;
  /** The forms that it can be written in, and the option of the command line that chooses one; the first is the default. */
  readonly forms?: { readonly option: "format" | "dialect"; readonly names: readonly string[] };
  /** Whether it only lists crawlers: it decides nothing, so it has no short form. */
  readonly isList?: true;
  /** Whether a selection is written in the short form only, because of the program's limits. */
  readonly isAlwaysShort?: true;
  /** Writes it. Throws UserError if that is impossible, for example because of the program's limits. */
  write(request: ExportRequest, form?: string): string;
}

/** The comment at the top: what the file is, and where to put it. */
export function heading(
  request: Pick<ExportRequest, "command" | "version">,
  lines: readonly string[],
  mark = "#",
): string {
  return [origin(request), ...lines].map((line) => `${comment(line, mark)}\n`).join("");
}

/** Writes any text as a one-line comment. */
export function comment(text: string, mark = "#"): string {
  return `${mark} ${toPlain(text)}`.trimEnd();
}

/** nginx refuses comments of more than 4,096 bytes; HAProxy reads the rest after 16,384 bytes as another line. */
const maxCommandLength = 1_000;

/**
 * What wrote the export. The command is not at the end of the line, because Apache continues a comment that ends with a backslash. Caddy
 * expands `{$NAME}`, and Traefik `{{…}}`, in comments, too.
 */
export function origin({ command, version }: Pick<ExportRequest, "command" | "version">): string {
  const text = toPlain(command).replace(/\{(?=[{$])/g, "{ ");
  const shown = text.length > maxCommandLength ? `${text.slice(0, maxCommandLength)}…` : text;
  return `Crawlers by their user agents. Written by: ${shown} (whocrawls ${version})`;
}

/** Which crawlers are selected, as a decision list with `1` or `0`; undefined if all are. */
export function chosenSteps({ items, selection }: ExportRequest): Step[] | undefined {
  return selection && toDecisionList(items, (item) => (selection(item) ? "1" : "0"), "0");
}

/** Whether a request without a user agent is included: some programs do not try expressions on it. */
export function matchesEmpty(expressions: readonly string[]): boolean {
  // linear: is asked about the empty string alone
  return expressions.some((expression) => new RegExp(expression).test(""));
}

/** The name of a header for a variable: `is_crawler` becomes `X-Is-Crawler`. */
export function toHeaderName(variable: string): string {
  return ["x", ...variable.split("_")].map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("-");
}

/** The expression with characters that a configuration cannot hold written as `\xHH`, which every engine reads. */
export function withoutCharacters(expression: string, characters: string): string {
  // None of them is ever preceded by an escaping backslash, so each can be replaced in place.
  return [...expression]
    .map((char) => (characters.includes(char) ? `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}` : char))
    .join("");
}

/** Matches where any of its expressions does. */
export interface Matcher {
  readonly expressions: readonly string[];
  /** Whether the expressions are in lowercase, for an engine that ignores case. */
  readonly ignoresCase?: true | undefined;
}

/** A step of a decision list. */
export interface Step extends Matcher {
  readonly value: string;
}

/**
 * The expressions of a matcher as a few of at most `maxLength`, as `lengthOf` counts. Where it ignores case, each begins with `flag`, which
 * says so to the engine.
 */
export function toParts(
  { expressions, ignoresCase }: Matcher,
  maxLength: number,
  lengthOf: LengthOf = (part) => part.length,
  flag = "(?i)",
): string[] {
  if (!ignoresCase) return inParts(expressions, maxLength, lengthOf);
  return inPartsByContext(expressions, maxLength, (part) => lengthOf(flag + part)).map((part) => flag + part);
}

/**
 * The list that gives a crawler's string the value of the item that it is attributed to; neighbors with the same value are
 * one step. Steps at the end that return `otherwise` are omitted, because a program returns it if no step matches.
 */
export function toDecisionList(items: readonly Item[], toValue: (item: Item) => string, otherwise: string): Step[] {
  const steps: { expressions: string[]; value: string; ignoresCase?: true | undefined }[] = [];
  for (const item of items) {
    const { expression, ignoresCase } = item;
    const value = toValue(item);
    const last = steps.at(-1);
    if (last?.value === value && last.ignoresCase === ignoresCase) last.expressions.push(expression);
    else steps.push({ expressions: [expression], value, ignoresCase });
  }
  return steps.slice(0, steps.findLastIndex(({ value }) => value !== otherwise) + 1);
}
