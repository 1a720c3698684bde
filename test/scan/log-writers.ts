/** The same requests, written as each format of log-writers.txt writes them: what the tests of scanning read. */
import { readFileSync } from "node:fs";

/** A request; the time is in seconds since 1970. */
export interface LoggedRequest {
  readonly useragent: string;
  readonly time: number;
  readonly status: number;
  readonly bytes: number;
  readonly path: string;
  readonly address: string;
}

export interface LogWriter {
  /** The format as it is guessed. */
  readonly name: string;
  readonly write: (requests: readonly LoggedRequest[]) => string;
  /** What is put around each line. */
  readonly envelope?: "syslog" | "json" | "kubernetes";
  /** What the format loses. */
  readonly without?: readonly ("useragent" | "time" | "status" | "bytes" | "path")[];
  /** What has to be said of the format: it cannot be guessed. */
  readonly options?: readonly string[];
}

const iso = (time: number): string => new Date(time * 1000).toISOString();
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** In a zone of its own, for what is in UTC needs no care. */
export function toClf(time: number, zone = "+0530", zoneSeconds = 19_800): string {
  const [date = "", clock = ""] = iso(time + zoneSeconds).split("T");
  const [year, month, day] = date.split("-");
  return `${day}/${months[Number(month) - 1]}/${year}:${clock.slice(0, 8)} ${zone}`;
}

/** Each byte of what an expression finds, behind a sign. */
const toBytes = (text: string, found: RegExp, sign: string): string =>
  text.replace(found, (c) =>
    [...Buffer.from(c)].map((byte) => sign + byte.toString(16).toUpperCase().padStart(2, "0")).join(""),
  );
const orDash = (text: string): string => text || "-";

const escapes: Readonly<Record<string, (text: string) => string>> = {
  "\\": (text) =>
    orDash(text)
      .replace(/["\\]/g, "\\$&")
      .replace(/[\x00-\x1f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`),
  nginx: (text) => toBytes(orDash(text), /["\\\x00-\x1f\x7f-\uffff]/gu, "\\x"),
  "#": (text) => toBytes(text, /[#{|}"\x00-\x1f\x7f-\uffff]/gu, "#"),
  quotes: (text) => text.replaceAll('"', '""'),
  csv: (text) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text),
  "+": (text) => orDash(text).replaceAll(" ", "+"),
  "%": (text) => orDash(encodeURIComponent(text)),
  json: (text) => JSON.stringify(text).slice(1, -1),
};

/** What stands in a line for a request, by its name in the table. */
const values: Readonly<Record<string, (request: LoggedRequest) => string>> = {
  agent: ({ useragent }) => useragent,
  path: ({ path }) => path,
  address: ({ address }) => address,
  status: ({ status }) => `${status}`,
  bytes: ({ bytes }) => `${bytes}`,
  size: ({ bytes }) => `${bytes || "-"}`,
  time: ({ time }) => `${time}`,
  iso: ({ time }) => iso(time),
  iso6: ({ time }) => iso(time).replace("Z", "000Z"),
  day: ({ time }) => iso(time).slice(0, 10),
  clock: ({ time }) => iso(time).slice(11, 19),
  dmy: ({ time }) => iso(time).slice(0, 10).split("-").reverse().join("."),
  clf: ({ time }) => toClf(time),
  clfutc: ({ time }) => toClf(time, "+0000", 0),
  clfdate: ({ time }) => toClf(time, "+0000", 0).slice(0, 20),
};

/** Writes a part of a line: `<agent csv>` is a value with its escapes, other text is as it is. */
function toPart(part: string): (request: LoggedRequest) => string {
  const [, name = "", how = ""] = /^<([a-z]+6?)((?: [^\s>]+)*)>$/.exec(part) ?? [];
  const value = values[name];
  if (value === undefined) return () => part;
  const ways = how.split(" ").slice(1);
  return (request) => ways.reduce((text, way) => escapes[way]!(text), value(request));
}

function toWriter(block: string): LogWriter {
  const [title = "", ...lines] = block.split("\n");
  const of = (sign: string): string[] =>
    lines.flatMap((line) => (line.startsWith(sign) ? line.replace(/^[\^>] /, "") : []));
  const head = of("^").map((line) => `${line}\n`);
  const template = `${of(">")[0]}\n`.replace("\\r\n", "\r\n").replace("\\ufeff", "\ufeff");
  const options = of("--").flatMap((line) => [line.split(" ", 1)[0]!, line.replace(/^\S+ /, "").replace("\\n", "\n")]);
  const [, without] = /, without (.*)/.exec(title) ?? [];
  const [, envelope] = /, in (.*)/.exec(title) ?? [];
  const parts = template.split(/(<[a-z]+6?(?: [^\s>]+)*>)/).map(toPart);
  const toLine = (request: LoggedRequest): string => parts.map((part) => part(request)).join("");
  return {
    name: title.replace(/,.*/, ""),
    write: (requests) => head.join("") + requests.map(toLine).join(""),
    ...(options.length > 0 && { options }),
    ...(without !== undefined && { without: without.split(" ") as NonNullable<LogWriter["without"]> }),
    ...(envelope !== undefined && { envelope: envelope as NonNullable<LogWriter["envelope"]> }),
  };
}

const text = readFileSync(new URL("log-writers.txt", import.meta.url), "utf8");
export const logWriters: readonly LogWriter[] = text.trimEnd().split("\n\n").slice(1).map(toWriter);
