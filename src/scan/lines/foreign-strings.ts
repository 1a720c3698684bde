/** How programs other than nginx and Apache write format strings: GoAccess, gunicorn and morgan. */
import { toVariables, type Variable, wordOf } from "./format-variable.ts";

/** How a program writes its variables. */
export interface Dialect {
  /** Whether a format string is the program's. */
  readonly isOf: (format: string) => boolean;
  /** Each variable, with its name in a group. */
  readonly variable: RegExp;
  /** The fields of the names; others are not needed. */
  readonly fields: Readonly<Record<string, Variable>>;
  /** What stands around the value of a variable, such as the brackets of a time. */
  readonly around?: Readonly<Record<string, readonly [string, string]>>;
}

const time: Variable = { field: "time", shape: "time" };
const agent: Variable = { field: "useragent", shape: "text" };
const forwarded: Variable = { field: "forwarded", shape: "list" };
const request: Variable = { field: "request", shape: "request" };
const webDate: Variable = { ...time, pattern: "%a, %d %b %Y %H:%M:%S %Z" };

const gunicorn: Dialect = {
  isOf: (format) => /%\([^()]+\)s/.test(format),
  variable: /%\(([^()]+)\)s/g,
  fields: toVariables([
    ["h", wordOf("address")],
    ["t", time],
    ["r", request],
    ["U", wordOf("path")],
    ["q", wordOf("query")],
    ["s", wordOf("status")],
    ["b B", wordOf("bytes")],
    ["f {referer}i", wordOf("referrer")],
    ["a {user-agent}i", agent],
    ["{x-forwarded-for}i", forwarded],
  ]),
  around: { t: ["[", "]"] },
};

const morgan: Dialect = {
  isOf: (format) => !/[$%]/.test(format) && /:(?:user-agent|req\[user-agent\])/i.test(format),
  variable: /:([a-z][a-z-]+(?:\[[^\]]+\])?)/gi,
  fields: toVariables([
    ["remote-addr", wordOf("address")],
    ["date[clf]", time],
    ["date[iso]", wordOf("time")],
    ["date date[web]", webDate],
    ["url", wordOf("path")],
    ["status", wordOf("status")],
    ["res[content-length]", wordOf("bytes")],
    ["referrer req[referer]", wordOf("referrer")],
    ["user-agent req[user-agent]", agent],
    ["req[x-forwarded-for]", forwarded],
  ]),
};

/** GoAccess has letters that mean something else in Apache, so a format string is its only by what Apache does not have. */
const goaccess: Dialect = {
  isOf: (format) => {
    const plain = format.replace(/%[!\d,<>]*\{[^{}]*\}\^?[A-Za-z]{1,2}/g, "");
    return /%\^(?![A-Za-z]{2})/.test(plain) || (/%d/.test(plain) && /%t/.test(plain));
  },
  // A date and a time of day, with the zone that may follow in brackets, are one time.
  variable: /%(d.%t(?: %\^(?=\]))?|[A-Za-z^~])/g,
  fields: {
    x: time,
    "d:%t": time,
    "d:%t %^": time,
    "dT%t": wordOf("time"),
    "d %t": time,
    "d\t%t": time,
    h: wordOf("address"),
    r: request,
    U: wordOf("path"),
    q: wordOf("query"),
    s: wordOf("status"),
    b: wordOf("bytes"),
    R: wordOf("referrer"),
    u: agent,
    "^": { field: undefined, shape: "list" },
  },
};

export const dialects: readonly Dialect[] = [gunicorn, morgan, goaccess];

/** The dialect of a format string that is neither nginx's nor Apache's. */
export function findDialect(format: string): Dialect | undefined {
  return dialects.find(({ isOf }) => isOf(format));
}
