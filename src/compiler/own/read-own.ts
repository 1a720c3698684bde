/** Reads the file of an own catalogue; every error has its line, and the member that was meant. */
import type { z } from "zod";
import { didYouMean, nearestWord } from "../../text/nearest-word.ts";
import { groupBy } from "../group-by.ts";
import { DataError } from "../sources/data-error.ts";
import { entryMembers } from "../sources/schemas.ts";
import { parseYaml, type TextFile } from "../sources/yaml.ts";
import { changeable, type OwnFile, ownSchema } from "./own-schema.ts";

/** An own catalogue, and where its parts stand. */
export interface ReadOwn {
  readonly value: OwnFile;
  /** `file:line`. */
  at(...path: PropertyKey[]): string;
}

/** The members that each part may have. */
const members: Readonly<Record<string, readonly string[]>> = {
  "": ["crawlers", "change", "remove", "people", "rules", "verification"],
  crawlers: Object.keys(entryMembers),
  change: ["name", ...changeable],
  people: ["words", "examples", "why"],
  rules: ["off"],
  verification: ["crawlers", "ranges", "format", "dns", "agents", "conclusive", "page", "note"],
};

/** Reads an own catalogue; throws DataError with all problems of the file. */
export function readOwn(file: TextFile): ReadOwn {
  const { value: found, at } = parseYaml(file);
  const value = found ?? {};
  if (typeof value !== "object" || Array.isArray(value))
    throw new DataError([
      `${file.path}:1: an own catalogue has the parts ${members[""]!.join(", ")}; entries stand below "crawlers:"`,
    ]);
  const parsed = ownSchema.safeParse(value);
  if (parsed.success) return { value: parsed.data, at: (...path) => at(path) };
  const { issues } = parsed.error;
  const rows = groupBy(issues, ({ path }) => path.slice(0, 2).join());
  throw new DataError([...rows.values()].flatMap(withoutConsequences).flatMap((issue) => toProblems(issue, at)));
}

/** The issues of a row: its unknown members first, and not what follows from them. */
function withoutConsequences(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const unknown = issues.filter((issue) => issue.code === "unrecognized_keys");
  const rest = issues.filter(({ code }) => code !== "unrecognized_keys");
  if (unknown.length === 0) return rest;
  const meant = unknown.flatMap(({ path, keys }) =>
    keys.map((key) => [...path, nearestWord(key, members[String(path[0] ?? "")] ?? [])].join()),
  );
  const places = unknown.map(({ path }) => path.join());
  const follows = ({ code, path }: z.core.$ZodIssue): boolean =>
    meant.includes(path.join()) || (code === "custom" && places.includes(path.join()));
  return [...unknown, ...rest.filter((issue) => !follows(issue))];
}

function toProblems(issue: z.core.$ZodIssue, at: (path: readonly PropertyKey[]) => string): string[] {
  const { path } = issue;
  const part = String(path[0] ?? "");
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => `${at([...path, key])}: ${unknown(part, key)}`);
  const where = path.filter((step) => typeof step === "string").join(".");
  return [`${at(path)}: ${where === "" ? "" : `${where}: `}${issue.message}`];
}

function unknown(part: string, key: string): string {
  if (part === "change" && (key === "pattern" || key === "examples"))
    return `change cannot set ${key}: an entry of the same name below "crawlers:" replaces the crawler`;
  const known = members[part] ?? ["url", "format"];
  const hint = didYouMean(nearestWord(key, known));
  return `${part === "" ? "" : `${part}: `}there is no member ${JSON.stringify(key)}.${hint} There are ${known.join(", ")}.`;
}
