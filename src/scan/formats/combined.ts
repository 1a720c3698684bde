/**
 * The combined log and its relatives: the common log, followed by fields that servers write in any order and number. The values in the
 * first lines tell which one is the user agent.
 */
import { withoutPort } from "../../address/address.ts";
import { isPublicText } from "../lines/client-address.ts";
import type { FieldName } from "../lines/line.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { isBlankText, isOtherField } from "../lines/value-kind.ts";
import { isAddressList, isEvident } from "./field-values.ts";
import { type FormatKind, ofSample } from "./format-kind.ts";

export const common = '%h %l %u %t "%r" %>s %b';
const usualFields = '"%{Referer}i" "%{User-Agent}i"';
const ofVirtualHost = `%v ${common}`;
/** Where the second of two addresses is a proxy's: it is the connection's, if it is private. */
const ofTwoAddresses = {
  first: common.replace("%h", "%{X-Forwarded-For}i %v"),
  list: `%{X-Forwarded-For}i ${common}`,
};

interface Row {
  readonly name: string;
  readonly lines: string;
  /** What comes before the fields. */
  readonly start: string;
  /** What each line contains. */
  readonly mark: RegExp;
  /** The fields if no user agent is among them. */
  readonly fields: string;
  /** The least share of user agents in the values of their column. */
  readonly share: number;
  /** Whether lines of the common log may be among the others. */
  readonly isMixed: boolean;
  readonly more?: Pick<FormatKind, "toLogUserAgents">;
}

/** In the order of the guess. */
const rows: readonly Row[] = [
  {
    name: "haproxy-clf",
    lines: "the HTTP log of HAProxy with `option httplog clf`; the user agent must be among its captured headers",
    start: common,
    // The common log, two empty fields, and HAProxy's own.
    // linear: each repeat ends at a character that the repeat does not match
    mark: /"" "" \d+ \d{3} "/,
    fields: '"%{empty1}i" "%{empty2}i" %{port}i %{ms}i "%{frontend}i" "%{backend}i" "%{server}i"',
    // The values before the captured headers are no user agents.
    share: 0,
    isMixed: false,
    more: { toLogUserAgents: "http-request capture req.hdr(User-Agent) len 512" },
  },
  {
    name: "vhost_combined",
    lines: "the host name, then the combined log",
    start: ofVirtualHost,
    // A host name; a comma would continue a list of addresses, and a number alone is one of lines or a count.
    // linear: each repeat ends at a character that the repeat does not match
    mark: /^(?!\d+ )(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d*)? /i,
    fields: usualFields,
    share: 0.5,
    isMixed: true,
  },
  {
    name: "combined",
    lines:
      "the combined log of nginx and Apache; the user agent and the referrer may be at other places behind the size, and lines without a user agent (the common log) count as people's",
    start: common,
    mark: /^/,
    fields: usualFields,
    share: 0.5,
    isMixed: true,
  },
];

export const combinedKinds: readonly FormatKind[] = rows.map(
  ({ name, lines, start: usual, mark, fields, share, isMixed, more }) => ({
    names: [name],
    lines,
    formatsOf: (lines) => {
      const found = fieldsOf(lines, share);
      const client = usual === ofVirtualHost ? clientOfTwo(lines) : undefined;
      const start = client === "first" || client === "list" ? ofTwoAddresses[client] : usual;
      return (found.length > 0 ? found : [fields]).map((some) => ({
        name,
        escapes: "backslash",
        template: `${start} ${some}`,
        ...(isMixed && { shorter: start }),
      }));
    },
    isLikely: (lines) =>
      valuesOf(lines).some(({ length }) => length > 0) &&
      findMisplaced(lines) === undefined &&
      ((name === "vhost_combined" && clientOfTwo(lines) !== undefined) ||
        matchesMostLines(lines, (line) => mark.test(line))),
    ...more,
  }),
);

/**
 * Which of two addresses in front is the client's: the one that varies; the public one, if both do. It is a forwarded one if the others are
 * private. Undefined if there are no two.
 */
export function clientOfTwo(lines: readonly string[]): "first" | "list" | "second" | "unknown" | undefined {
  // linear: each repeat ends at a character that the repeat does not match
  const pairs = lines.map((line) => /^((?:[^ ]+, )*[^ ]+) ([^ ]+) /.exec(line)?.slice(1) ?? []);
  const isPair = ([first = "", second = ""]: readonly string[]): boolean =>
    isAddressList(second) && (first === "-" || isAddressList(first));
  if (!matchesMostLines(pairs, isPair)) return undefined;
  const [first, second] = ([0, 1] as const).map((place) =>
    pairs.flatMap((pair) => (isPair(pair) && pair[place] !== "-" ? pair[place]! : [])),
  );
  const [isFirstVaried, isSecondVaried] = [first!, second!].map((values) => new Set(values).size > 1);
  const [isFirstPublic, isSecondPublic] = [first!, second!].map(
    (values) => 2 * values.filter(isPublicText).length > values.length,
  );
  const isFirst = isFirstVaried && (!isSecondVaried || (isFirstPublic && !isSecondPublic));
  if (isFirst) return isFirstPublic && !isSecondPublic ? "list" : "first";
  return isSecondVaried && (!isFirstVaried || (isSecondPublic && !isFirstPublic)) ? "second" : "unknown";
}

/** A field behind the common log; `name` is what is before it, as in `forwarded_for="192.0.2.1"`. */
interface Value {
  readonly name: string;
  readonly text: string;
  readonly isQuoted: boolean;
}

/** The format strings of the fields up to the last one that is needed, from the longest; none if no field is the user agent. */
function fieldsOf(lines: readonly string[], share: number): readonly string[] {
  const columns = columnsOf(lines);
  const agent = columns.findIndex((values) => {
    const some = values.filter(({ text }) => !isBlankText(text));
    return values[0]?.isQuoted === true && countOf("useragent", some) >= Math.max(1, share * some.length);
  });
  if (agent === -1) return [];
  const pages = columns.map((values, index) => (index === agent ? 0 : countOf("referrer", values)));
  const most = Math.max(...pages);
  // Without any referrer, the user agent alone may be at its usual place.
  const referrer = most === 0 ? (agent === 1 ? 0 : -1) : pages.indexOf(most);
  const forwarded = columns.findIndex((values, index) => ![agent, referrer].includes(index) && areForwarded(values));
  const write = (last: number): string =>
    columns
      .slice(0, last + 1)
      .map(([first, ...others], index) => {
        const header = index === agent ? "User-Agent" : index === referrer ? "Referer" : undefined;
        const variable = `%{${header ?? (index === forwarded ? "X-Forwarded-For" : `field${index}`)}}i`;
        const { name, isQuoted } = first!;
        const isNamed = others.every((value) => value.name === name);
        return `${isNamed ? name : ""}${isQuoted ? `"${variable}"` : variable}`;
      })
      .join(" ");
  const needed = Math.max(agent, referrer);
  return [...(forwarded > needed ? [write(forwarded)] : []), write(needed)];
}

/** Whether values are lists of forwarded addresses: those of servers have no quotes and names, or ports, or are the same in all lines. */
function areForwarded(values: readonly Value[]): boolean {
  const texts = values.map(({ text }) => text).filter((text) => !isBlankText(text));
  const isWithoutPorts = (text: string) => text.split(/, ?/).every((part) => part === withoutPort(part));
  return (
    values.every(({ name, isQuoted }) => isQuoted || name !== "") &&
    // Some clients send other text in the header.
    matchesMostLines(texts, (text) => isAddressList(text) && isWithoutPorts(text)) &&
    (new Set(texts).size > 1 || values.length === 1)
  );
}

/** A line whose value at the user agent's usual place is no user agent, if nearly all lines are such; undefined if they are not. */
export function findMisplaced(lines: readonly string[]): string | undefined {
  if (fieldsOf(lines, 0.5).length > 0) return undefined;
  const some = valuesOf(lines).flatMap((values, index) =>
    isBlankText(values[1]?.text ?? "") ? [] : [{ line: lines[index]!, isOther: isOtherField(values[1]!.text) }],
  );
  const others = some.filter(({ isOther }) => isOther);
  return others.length > 0 && others.length >= 0.9 * some.length ? others[0]!.line : undefined;
}

/** The values of each field of all lines. */
function columnsOf(lines: readonly string[]): readonly (readonly Value[])[] {
  const columns: Value[][] = [];
  for (const values of valuesOf(lines))
    for (const [index, value] of values.entries()) {
      columns[index] ??= [];
      columns[index].push(value);
    }
  return columns;
}

function countOf(name: FieldName, values: readonly Value[]): number {
  return values.filter(({ text }) => isEvident(name, text)).length;
}

/** The values of each line. */
const valuesOf = ofSample((lines) => lines.map(valuesOfLine));

/** The values behind the common log: in quotation marks, or without blanks, except in lists such as `0.001, 0.002`. */
function valuesOfLine(line: string): readonly Value[] {
  // linear: each repeat ends at a character that the repeat does not match
  const start = /^[^[]*\[[^\]]*\] "(?:[^"\\]|\\.)*" \S+ \S+/.exec(line)?.[0].length ?? line.length;
  const values: Value[] = [];
  for (let at = start + 1; at < line.length; ) {
    const name = /^[\w.-]+=/.exec(line.slice(at, at + maxName))?.[0] ?? "";
    const isQuoted = line[at + name.length] === '"';
    const from = at + name.length + (isQuoted ? 1 : 0);
    let end = isQuoted ? closingQuote(line, from) : endOf(line, from, " ");
    while (!isQuoted && end < line.length && (/[,:]/.test(line[end - 1]!) || line.startsWith(" : ", end)))
      end = endOf(line, end + 1, " ");
    values.push({ name, text: line.slice(from, end), isQuoted });
    at = end + (isQuoted ? 2 : 1);
  }
  return values;
}

/** Longer names do not occur. */
const maxName = 64;

/** The quotation mark that ends a value: one without a backslash, before a blank or the end. */
function closingQuote(line: string, from: number): number {
  let at = from;
  while (at < line.length && !(line[at] === '"' && (at + 1 === line.length || line[at + 1] === " ")))
    at += line[at] === "\\" ? 2 : 1;
  return Math.min(at, line.length);
}

function endOf(line: string, from: number, text: string): number {
  const end = line.indexOf(text, from);
  return end === -1 ? line.length : end;
}
