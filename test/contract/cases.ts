/** The rows of contract.txt, which says how they are written, as requests and what must come back. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { ProblemName } from "../../src/http/problems.ts";
import { rowsOf } from "../support/table.ts";
import { firefox, googlebot } from "../support/user-agents.ts";

export interface Case {
  /** The row, as far as it distinguishes this case. */
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly status: number;
  /** The `Content-Type`; null for none. */
  readonly type: string | null;
  readonly problem: ProblemName | undefined;
  /** What else the answer has, as it is written. */
  readonly also: readonly string[];
}

const types: Readonly<Record<string, string | null>> = {
  "-": null,
  json: "application/json",
  xml: "application/xml; charset=utf-8",
  plain: "text/plain; charset=utf-8",
  ndjson: "application/x-ndjson",
  html: "text/html; charset=utf-8",
};
const problemTypes = { json: "application/problem+json", xml: "application/problem+xml" } as const;

/** Every case, by the sections of the file. */
export const contract = readContract(readFileSync(new URL("contract.txt", import.meta.url), "utf8"));

function readContract(text: string): Readonly<Record<string, readonly Case[]>> {
  const sections = text.replace(/^\/\/.*\n/gm, "").split(/^# /m);
  return Object.fromEntries(
    sections.slice(1).map((section) => {
      const [title = "", ...lines] = section.trim().split("\n");
      return [title, rowsOf(lines.join("\n")).flatMap(toCases)];
    }),
  );
}

function toCases([request = "", fields = "", bodies = "", outcome = "", ...also]: readonly string[]): Case[] {
  const [methods = "", paths = ""] = request.startsWith("Check")
    ? ["POST", `/RestService/${request}`]
    : request.split(" ");
  const [status = "", answer = "", format = "json"] = outcome.split(" ");
  const problem = answer in types ? undefined : (answer as ProblemName);
  const type = problem ? problemTypes[format as keyof typeof problemTypes] : types[answer]!;
  const common = fields.split(" & ");
  const [, name = "", values = ""] = /^([^:]*):? *(.*)$/.exec(common.pop()!)!;
  const isCheck = request.startsWith("Check") && !request.startsWith("CheckMany");
  return cross(methods.split(","), paths.split(","), values.split("  "), bodies.split("  ")).map(
    ([method = "", path = "", value = "", body = ""]) => ({
      title: [method, path, name && `${fields.replace(values, "")}${value}`, body.slice(0, 60), outcome].join(" "),
      method,
      path: fill(path, encodeURIComponent),
      headers: toHeaders([...(isCheck ? ["type: application/json"] : []), ...common, name && `${name}: ${value}`]),
      body: body ? toBody(body) : isCheck ? toBody('{"useragent":"{googlebot}"}') : undefined,
      status: Number(status),
      type,
      problem,
      also: also.map((text) => toText(fill(text))),
    }),
  );
}

/** Every choice of one item of each list. */
function cross(...lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>((all, list) => all.flatMap((one) => list.map((item) => [...one, item])), [[]]);
}

function toHeaders(fields: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const field of fields.filter((each) => each !== "")) {
    const [written = "", ...value] = field.split(": ");
    const name = written === "type" ? "content-type" : written;
    headers[name] = toText(fill(value.join(": ")));
    if (headers[name] === "-") delete headers[name];
  }
  return headers;
}

function fill(text: string, as: (useragent: string) => string = String): string {
  return text.replaceAll("{googlebot}", as(googlebot)).replaceAll("{firefox}", as(firefox));
}

function toBody(text: string): Uint8Array<ArrayBuffer> {
  const [, most, plain = ""] = /^(?:gzip(\d*):)?(.*)$/s.exec(fill(text))!;
  const bytes = toBytes(plain);
  return new Uint8Array(most === undefined ? bytes : gzipSync(bytes).subarray(0, Number(most) || undefined));
}

function toBytes(text: string): Buffer {
  const pieces = text.split(/(<(?:[0-9a-f]{2})*(?:\*\d+)?>)/);
  return Buffer.concat(
    pieces.map((piece) => {
      const [, hex, times = "1"] = /^<([0-9a-f]*)(?:\*(\d+))?>$/.exec(piece) ?? [];
      return hex === undefined ? Buffer.from(piece) : Buffer.from(hex.repeat(Number(times)), "hex");
    }),
  );
}

function toText(text: string): string {
  return toBytes(text).toString();
}
