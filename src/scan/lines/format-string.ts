/**
 * Parses a server's format string: nginx's (`$remote_addr - …`) and Apache's (`%h %l …`), alone or as the whole directive, and those of
 * foreign-strings.ts.
 */
import { type Dialect, findDialect } from "./foreign-strings.ts";
import { toVariables, type Variable, wordOf } from "./format-variable.ts";
import { parseTimePattern } from "./strftime.ts";

/** The literal texts of a format, and the variables between them: one literal more than variables. */
export interface FormatString {
  readonly literals: readonly string[];
  readonly variables: readonly Variable[];
}

type Part = string | Variable;

/** Parses a format string. Throws an Error that says what is wrong with it. */
export function parseFormatString(given: string): FormatString {
  const format = withoutDirective(given);
  const parts = [...partsOf(format)];
  const literals = [""];
  const variables: Variable[] = [];
  for (const part of parts) {
    if (typeof part === "string") {
      literals[literals.length - 1] += part;
      continue;
    }
    const before = variables.at(-1);
    const literal = literals.at(-1)!;
    const areOfUrl = before?.isOfUrl && part.isOfUrl;
    if (before !== undefined && areOfUrl && (literal === "" || literal === "://" || literal === "?")) {
      // Parts of an address that stand together, such as `$scheme://$host$request_uri`, are one.
      variables[variables.length - 1] = [before, part].find(({ field }) => field === "path") ?? urlPart;
      literals[literals.length - 1] = "";
      continue;
    }
    if (before !== undefined && literal === "")
      throw new Error("Two variables in the log format have no separator between them.");
    variables.push(part);
    literals.push("");
  }
  if (variables.length === 0)
    throw new Error(`The log format ${JSON.stringify(given)} has no variable, such as $status or %s.`);
  const texts = variables.filter(({ shape }, index) => shape === "text" && !isQuoted(literals, index));
  if (texts.length > 1)
    throw new Error("Two variables in the log format may contain spaces; at most one of them can be unquoted.");
  return { literals, variables };
}

/** Whether a variable is in quotation marks, which end it. */
export function isQuoted(literals: readonly string[], index: number): boolean {
  return literals[index]!.endsWith('"') && literals[index + 1]!.startsWith('"');
}

/** The format in `LogFormat "…" combined`, `CustomLog logs/a.log "…"` and `log_format main '…' '…';`, which people paste whole. */
function withoutDirective(text: string): string {
  if (!/^\s*(?:LogFormat|CustomLog|log_format)\s/i.test(text)) return text;
  const [name, first, second, ...rest] = wordsOf(text);
  if (name!.text.toLowerCase() === "logformat") return first?.text ?? "";
  if (name!.text.toLowerCase() === "customlog") return second?.text ?? "";
  // After the name, nginx concatenates the strings, which `escape=json` may precede.
  const strings = [second, ...rest].filter((word) => word?.isQuoted);
  return strings.map((word) => word!.text).join("");
}

/** The words of a directive, with or without quotation marks; a backslash before a quotation mark is not part of the text. */
function wordsOf(text: string): { readonly text: string; readonly isQuoted: boolean }[] {
  const words: { text: string; isQuoted: boolean }[] = [];
  let at = 0;
  while (at < text.length) {
    const quote = /["']/.test(text[at]!) ? text[at]! : undefined;
    if (/[\s;]/.test(text[at]!)) {
      at += 1;
      continue;
    }
    const word = { text: "", isQuoted: quote !== undefined };
    if (quote !== undefined) at += 1;
    for (; at < text.length && (quote === undefined ? !/[\s;]/.test(text[at]!) : text[at] !== quote); at++) {
      if (text[at] === "\\" && text[at + 1] === quote) at += 1;
      word.text += text[at];
    }
    if (quote !== undefined) at += 1;
    words.push(word);
  }
  return words;
}

const word = wordOf(undefined);
const urlPart: Variable = { ...word, isOfUrl: true };
const path: Variable = { ...wordOf("path"), isOfUrl: true };
const query: Variable = { ...wordOf("query"), isOfUrl: true };
const list: Variable = { field: undefined, shape: "list" };
const time: Variable = { field: "time", shape: "time" };
const request: Variable = { field: "request", shape: "request" };
const useragent: Variable = { field: "useragent", shape: "text" };
const forwarded: Variable = { field: "forwarded", shape: "list" };

const nginxVariables = toVariables([
  ["http_user_agent", useragent],
  ["http_referer", wordOf("referrer")],
  ["http_x_forwarded_for proxy_add_x_forwarded_for forwarded_for", forwarded],
  ["http_x_real_ip", wordOf("realip")],
  ["http_cf_connecting_ip http_true_client_ip", wordOf("cdnip")],
  ["args query_string", query],
  ["time_local", time],
  ["time_iso8601 msec", wordOf("time")],
  ["status", wordOf("status")],
  ["body_bytes_sent bytes_sent", wordOf("bytes")],
  ["request_uri uri document_uri", path],
  ["request", request],
  ["remote_addr realip_remote_addr", wordOf("address")],
  ["scheme host http_host server_name hostname server_port is_args", urlPart],
]);

const apacheHeaders = toVariables([
  ["user-agent", useragent],
  ["referer", wordOf("referrer")],
  ["x-forwarded-for", forwarded],
  ["x-real-ip", wordOf("realip")],
  ["cf-connecting-ip true-client-ip", wordOf("cdnip")],
  ["host", urlPart],
]);

const apacheVariables = toVariables([
  ["s", wordOf("status")],
  ["b B O", wordOf("bytes")],
  ["U", path],
  ["q", query],
  ["r", request],
  ["h a", wordOf("address")],
  ["v V p", urlPart],
]);

const nginxVariable = /\$(?:\{(\w+)\}|(\w+))/g;
// %h, %>s, %!404,304{Referer}i, %{%d/%b/%Y}t, %{X}^ti; %% is a percent sign.
const apacheVariable = /%[!\d,<>]*(?:\{([^{}]*)\})?(\^[A-Za-z]{2}|[A-Za-z]|%)/g;

function partsOf(format: string): Iterable<Part> {
  if (/\$\w|\$\{/.test(format)) return nginxParts(format);
  const dialect = findDialect(format);
  return dialect === undefined ? apacheParts(format) : dialectParts(format, dialect);
}

function* dialectParts(format: string, { variable, fields, around = {} }: Dialect): Generator<Part> {
  const plain = format.replaceAll('\\"', '"').replaceAll("\\t", "\t");
  let end = 0;
  for (const match of plain.matchAll(variable)) {
    yield plain.slice(end, match.index);
    const name = match[1]!;
    const [before, after] = around[name] ?? ["", ""];
    yield before;
    yield fields[name] ?? fields[name.toLowerCase()] ?? word;
    yield after;
    end = match.index + match[0].length;
  }
  yield plain.slice(end);
}

function* nginxParts(format: string): Generator<Part> {
  const plain = format.replaceAll("\\t", "\t");
  let end = 0;
  for (const match of plain.matchAll(nginxVariable)) {
    yield plain.slice(end, match.index);
    const name = (match[1] ?? match[2])!;
    // Headers and what several servers have answered may be lists.
    yield nginxVariables[name] ?? (/^(?:upstream|http|sent_http|proxy_add|cookie)_/.test(name) ? list : word);
    end = match.index + match[0].length;
  }
  yield plain.slice(end);
}

function* apacheParts(format: string): Generator<Part> {
  // As in a configuration file, in quotation marks.
  const plain = format.replaceAll('\\"', '"').replaceAll("\\t", "\t");
  let end = 0;
  for (const match of plain.matchAll(apacheVariable)) {
    yield plain.slice(end, match.index);
    const [whole, argument, letter] = match;
    end = match.index + whole.length;
    if (letter === "%") yield "%";
    else if (argument !== undefined) yield argumentPart(argument, letter!);
    else if (letter === "t") yield* ["[", time, "]"];
    else yield apacheVariables[letter!] ?? word;
  }
  yield plain.slice(end);
}

/** A variable with an argument, such as `%{Referer}i` and `%{%d/%b/%Y:%H:%M:%S %z}t`. */
function argumentPart(argument: string, letter: string): Variable {
  if (letter === "i") return apacheHeaders[argument.toLowerCase()] ?? list;
  if (letter === "a") return apacheVariables.a!;
  if (letter !== "t") return letter === "o" || letter === "C" || letter.startsWith("^") ? list : word;
  const pattern = argument.replace(/^(?:begin|end):/, "");
  // The fraction of a second alone is not a time; microseconds or milliseconds since 1970 are one.
  if (/^[mu]sec_frac$/.test(pattern)) return word;
  if (/^[mu]?sec$/.test(pattern)) return { ...time, shape: "word" };
  // Parsed only to report errors.
  parseTimePattern(pattern);
  return { ...time, pattern };
}
