/** How programs other than nginx and Apache write format strings: GoAccess, gunicorn and morgan. */
import type { Variable } from "./format-variable.ts";
import type { FieldName } from "./line.ts";

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

const of = (field: FieldName | undefined, shape: Variable["shape"] = "word"): Variable => ({ field, shape });
const time = of("time", "time");
const agent = of("useragent", "text");
const forwarded = of("forwarded", "list");

const gunicorn: Dialect = {
  isOf: (format) => /%\([^()]+\)s/.test(format),
  variable: /%\(([^()]+)\)s/g,
  fields: {
    h: of("address"),
    t: time,
    r: of("request", "request"),
    U: of("path"),
    q: of("query"),
    s: of("status"),
    b: of("bytes"),
    B: of("bytes"),
    f: of("referrer"),
    a: agent,
    "{referer}i": of("referrer"),
    "{user-agent}i": agent,
    "{x-forwarded-for}i": forwarded,
  },
  around: { t: ["[", "]"] },
};

const morgan: Dialect = {
  isOf: (format) => !/[$%]/.test(format) && /:(?:user-agent|req\[user-agent\])/i.test(format),
  variable: /:([a-z][a-z-]+(?:\[[^\]]+\])?)/gi,
  fields: {
    "remote-addr": of("address"),
    "date[clf]": time,
    "date[iso]": of("time"),
    date: { ...time, pattern: "%a, %d %b %Y %H:%M:%S %Z" },
    "date[web]": { ...time, pattern: "%a, %d %b %Y %H:%M:%S %Z" },
    url: of("path"),
    status: of("status"),
    "res[content-length]": of("bytes"),
    referrer: of("referrer"),
    "req[referer]": of("referrer"),
    "user-agent": agent,
    "req[user-agent]": agent,
    "req[x-forwarded-for]": forwarded,
  },
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
    "dT%t": of("time"),
    "d %t": time,
    "d\t%t": time,
    h: of("address"),
    r: of("request", "request"),
    U: of("path"),
    q: of("query"),
    s: of("status"),
    b: of("bytes"),
    R: of("referrer"),
    u: agent,
    "^": of(undefined, "list"),
  },
};

export const dialects: readonly Dialect[] = [gunicorn, morgan, goaccess];

/** The dialect of a format string that is neither nginx's nor Apache's. */
export function findDialect(format: string): Dialect | undefined {
  return dialects.find(({ isOf }) => isOf(format));
}
