/** Schema errors in a YAML file as readable lines: the position, the member, and the member that was probably meant. */
import type { z } from "zod";
import { didYouMean, nearestWord } from "../../text/nearest-word.ts";

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

/** A schema, and where its values are in a file. */
export interface Checked {
  readonly schema: z.ZodType;
  /** `file:line` of a path. */
  at(path: Path): string;
  /** Why a member that is valid elsewhere is refused here; undefined if there is no special reason. */
  reasonAgainst?(path: Path, key: string): string | undefined;
}

/** Functions that write one line for each issue of a row. Unknown members come first; issues that merely follow from them are omitted. */
export function toProblems(issues: readonly Issue[], { schema, at, reasonAgainst }: Checked): (() => string)[] {
  return withoutConsequences(issues, schema).flatMap((issue) => {
    const { path } = issue;
    const where = path.filter((step) => typeof step === "string").join(".");
    const begin = where === "" ? "" : `${where}: `;
    if (issue.code !== "unrecognized_keys") return [() => `${at(path)}: ${begin}${messageOf(issue)}${hintOf(issue)}`];
    return issue.keys.map((key) => () => {
      const reason = reasonAgainst?.(path, key) ?? `${begin}${describeUnknown(key, membersAt(schema, path))}`;
      return `${at([...path, key])}: ${reason}`;
    });
  });
}

/** The schema's message; for a value of a wrong type, the expected type in the words of YAML. */
function messageOf(issue: Issue): string {
  if (issue.code !== "invalid_type" || !("input" in issue)) return issue.message;
  const expected = typeNames[issue.expected] ?? issue.expected;
  return issue.input === undefined ? `missing; ${expected} is expected` : `${expected} is expected`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
};

/** The word that was probably meant, if a value is not one of the allowed words. */
function hintOf(issue: Issue): string {
  if (issue.code !== "invalid_value" || typeof issue.input !== "string") return "";
  const nearest = nearestWord(issue.input, issue.values.map(String));
  return nearest === undefined ? "" : `.${didYouMean(nearest)}`;
}

function describeUnknown(key: string, members: readonly string[]): string {
  const hint = didYouMean(nearestWord(key, members));
  return `unknown member ${JSON.stringify(key)}.${hint} Members are ${members.join(", ")}.`;
}

/** A mistyped member is also missing, and its row may break rules about the whole. */
function withoutConsequences(issues: readonly Issue[], schema: z.ZodType): readonly Issue[] {
  const unknown = issues.filter((issue) => issue.code === "unrecognized_keys");
  if (unknown.length === 0) return issues;
  const places = unknown.map(({ path }) => path.join());
  const meant = unknown.flatMap(({ path, keys }) =>
    keys.map((key) => [...path, nearestWord(key, membersAt(schema, path))].join()),
  );
  const follows = ({ code, path }: Issue): boolean =>
    meant.includes(path.join()) || (code === "custom" && places.includes(path.join()));
  return [...unknown, ...issues.filter((issue) => issue.code !== "unrecognized_keys" && !follows(issue))];
}

/** The members that an object at a path may have. */
function membersAt(schema: z.core.$ZodType, path: Path): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [step, ...rest] = path;
  switch (def.type) {
    case "object":
      return step === undefined ? Object.keys(def.shape) : membersAt(def.shape[String(step)]!, rest);
    case "array":
      return membersAt(def.element, rest);
    case "union":
      return def.options.flatMap((option) => membersAt(option, path));
    case "pipe":
      return [def.in, def.out].flatMap((part) => membersAt(part, path));
    default:
      return "innerType" in def ? membersAt(def.innerType, path) : [];
  }
}
