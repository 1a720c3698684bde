/**
 * The combined log and its relatives: the common log, followed by fields that servers write in any order and number. The values in the
 * first lines tell which one is the user agent.
 */
import type { LogFormat } from "../lines/format.ts";
import { kindOf, type ValueKind } from "../lines/value-kind.ts";
import { type FormatKind, readsMost } from "./format-kind.ts";

export const common = '%h %l %u %t "%r" %>s %b';
/** The same, where the address is a list that proxies have appended to. */
const commonOfProxies = common.replace("%h", "%{X-Forwarded-For}i");
const usualFields = '"%{Referer}i" "%{User-Agent}i"';

interface Row {
  readonly name: string;
  readonly lines: string;
  /** What comes before the fields, in one of these ways. */
  readonly starts: readonly string[];
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
    starts: [common, commonOfProxies],
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
    starts: [`%v ${common}`],
    // The second value is the client's address; in the combined log it is the identity, which is always a hyphen.
    // linear: one repeat behind `^`; recheck cannot prove expressions with a lookahead
    mark: /^\S+ (?!- )/,
    fields: usualFields,
    share: 0.5,
    isMixed: true,
  },
  {
    name: "combined",
    lines:
      "the combined log of nginx and Apache; the user agent and the referrer may be at other places behind the size, and lines of the common log among them count as people's",
    starts: [common, commonOfProxies],
    mark: /^/,
    fields: usualFields,
    share: 0.5,
    isMixed: true,
  },
];

export const combinedKinds: readonly FormatKind[] = rows.map(
  ({ name, lines, starts, mark, fields, share, isMixed, more }) => {
    const toFormat = (fields: string, start = starts[0]!): LogFormat => ({
      name,
      escapes: "backslash",
      template: `${start} ${fields}`,
      ...(isMixed && { shorter: start }),
    });
    const formatsOf = (lines: readonly string[]): readonly LogFormat[] =>
      starts.map((start) => toFormat(fieldsOf(lines, share) ?? fields, start));
    return {
      names: [name],
      lines,
      formatOf: (lines) => (isMixed ? toFormat(fields) : formatsOf(lines)[0]!),
      guess: (lines) => {
        if (!lines.some((line) => valuesOf(line).length > 0) || findMisplaced(lines) !== undefined) return undefined;
        return formatsOf(lines).find((format) => readsMost(format, lines, (line) => mark.test(line)));
      },
      ...more,
    };
  },
);

interface Value {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** The format string of the fields up to the user agent and the referrer; undefined if none is the user agent. */
function fieldsOf(lines: readonly string[], share: number): string | undefined {
  const columns = columnsOf(lines);
  const agent = columns.findIndex((values) => {
    const some = values.filter(({ text }) => text !== "" && text !== "-");
    return values[0]?.isQuoted === true && countOf("agent", some) >= Math.max(1, share * some.length);
  });
  if (agent === -1) return undefined;
  const pages = columns.map((values, index) => (index === agent ? 0 : countOf("page", values)));
  const most = Math.max(...pages);
  // Without any referrer, the user agent alone may be at its usual place.
  const referrer = most === 0 ? (agent === 1 ? 0 : -1) : pages.indexOf(most);
  return columns
    .slice(0, Math.max(agent, referrer) + 1)
    .map((values, index) => {
      const name = index === agent ? "%{User-Agent}i" : index === referrer ? "%{Referer}i" : `%{field${index}}i`;
      return values[0]!.isQuoted ? `"${name}"` : name;
    })
    .join(" ");
}

/** A line whose value at the user agent's usual place is no user agent, if nearly all lines are such; undefined if they are not. */
export function findMisplaced(lines: readonly string[]): string | undefined {
  if (fieldsOf(lines, 0.5) !== undefined) return undefined;
  const isOther = (line: string): boolean => {
    const value = valuesOf(line)[1];
    return value !== undefined && ["page", "number"].includes(kindOf(value.text));
  };
  const some = lines.filter((line) => !["", "-", undefined].includes(valuesOf(line)[1]?.text));
  const others = some.filter(isOther);
  return others.length > 0 && others.length >= 0.9 * some.length ? others[0] : undefined;
}

/** The values of each field of all lines. */
function columnsOf(lines: readonly string[]): readonly (readonly Value[])[] {
  const columns: Value[][] = [];
  for (const line of lines)
    for (const [index, value] of valuesOf(line).entries()) {
      columns[index] ??= [];
      columns[index].push(value);
    }
  return columns;
}

function countOf(kind: ValueKind, values: readonly Value[]): number {
  return values.filter(({ text }) => kindOf(text) === kind).length;
}

/** The values behind the common log: in quotation marks, or without blanks, except in lists such as `0.001, 0.002`. */
function valuesOf(line: string): readonly Value[] {
  // linear: each repeat ends at a character that the repeat does not match
  const start = /^[^[]*\[[^\]]*\] "(?:[^"\\]|\\.)*" \S+ \S+/.exec(line)?.[0].length ?? line.length;
  const values: Value[] = [];
  for (let at = start + 1; at < line.length; ) {
    const isQuoted = line[at] === '"';
    const from = isQuoted ? at + 1 : at;
    let end = isQuoted ? closingQuote(line, from) : endOf(line, from, " ");
    while (!isQuoted && end < line.length && (/[,:]/.test(line[end - 1]!) || line.startsWith(" : ", end)))
      end = endOf(line, end + 1, " ");
    values.push({ text: line.slice(from, end), isQuoted });
    at = end + (isQuoted ? 2 : 1);
  }
  return values;
}

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
