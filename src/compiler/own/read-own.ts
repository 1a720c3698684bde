/** Reads the file of an own catalogue; every error has its line, and the member that was meant. */
import { groupBy } from "../../text/group-by.ts";
import { DataError, firstOf } from "../sources/data-error.ts";
import { toProblems } from "../sources/issues.ts";
import { parseYaml, type TextFile } from "../sources/yaml.ts";
import { type OwnCounts, tooMany } from "./own-limits.ts";
import { type OwnFile, ownSchema } from "./own-schema.ts";

/** An own catalogue, and where its parts stand. */
export interface ReadOwn {
  readonly value: OwnFile;
  /** `file:line`. */
  at(...path: PropertyKey[]): string;
}

/** Reads an own catalogue, and adds to `counts`; throws DataError with the first problems of the file. */
export function readOwn(file: TextFile, counts: OwnCounts): ReadOwn {
  const { value: found, at } = parseYaml(file);
  const value = found ?? {};
  if (typeof value !== "object" || Array.isArray(value))
    throw new DataError([
      `${file.path}:1: an own catalogue has the parts ${Object.keys(ownSchema.shape).join(", ")}; entries stand below "crawlers:"`,
    ]);
  const over = tooMany(value, counts);
  if (over !== undefined) throw new DataError([`${at(over.path)}: ${over.problem}`]);
  const parsed = ownSchema.safeParse(value, { reportInput: true });
  if (parsed.success) return { value: parsed.data, at: (...path) => at(path) };
  const rows = groupBy(parsed.error.issues, ({ path }) => path.slice(0, 2).join());
  const checked = { schema: ownSchema, at, reasonAgainst };
  throw new DataError(firstOf([...rows.values()].flatMap((issues) => toProblems(issues, checked))));
}

function reasonAgainst([part]: readonly PropertyKey[], key: string): string | undefined {
  return part === "change" && (key === "pattern" || key === "examples")
    ? `change cannot set ${key}: an entry of the same name below "crawlers:" replaces the crawler`
    : undefined;
}
