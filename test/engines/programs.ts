/** Engines that are asked neither by a script nor line by line: DuckDB and jq. */
import { DuckDBInstance } from "@duckdb/node-api";
import { runBeside } from "./engine.ts";

/** RE2 itself: the engine of DuckDB. */
export async function matchInDuckdb(expression: string, strings: readonly string[]): Promise<boolean[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    // As JSON, so that any character can be in a string.
    const rows = await connection.runAndReadAll(
      "SELECT regexp_matches(text, $expression) FROM (SELECT unnest(from_json($strings, '[\"VARCHAR\"]')) AS text)",
      { expression, strings: JSON.stringify(strings) },
    );
    return rows.getRows().map(([matches]) => matches === true);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** jq compiles the expression anew for each string: hence several at once, and a part of the strings only. */
export async function matchInJq(expression: string, strings: readonly string[]): Promise<boolean[]> {
  const size = Math.ceil(strings.length / 4);
  const parts = [0, 1, 2, 3].map((part) => strings.slice(part * size, (part + 1) * size));
  const filter = ".expression as $e | [.strings[] | test($e)]";
  const answers = await Promise.all(
    parts.map((part) => runBeside(["jq", "-c", filter], JSON.stringify({ expression, strings: part }))),
  );
  return answers.flatMap((answer) => JSON.parse(answer) as boolean[]);
}
