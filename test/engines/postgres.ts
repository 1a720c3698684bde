/** PostgreSQL as an engine: a server of its own for the time of the test. */
import pg from "pg";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";

let server: TestPostgres | undefined;
let client: pg.Client | undefined;

/** Starts the server. */
export async function postgresVersion(): Promise<string> {
  server ??= await startPostgres();
  if (!client) {
    client = new pg.Client(await server.createDatabase());
    await client.connect();
  }
  const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
  return rows[0]!.server_version.split(" ")[0]!;
}

/** Matches within the server; `~*` in place of `~` ignores case. */
export async function matchInPostgres(
  expression: string,
  strings: readonly string[],
  operator: "~" | "~*" = "~",
): Promise<boolean[]> {
  const { rows } = await client!.query<{ matches: boolean }>(
    `SELECT text ${operator} $1 AS matches FROM unnest($2::text[]) WITH ORDINALITY AS given(text, n) ORDER BY n`,
    [expression, strings],
  );
  return rows.map(({ matches }) => matches);
}

/** Ends the server. */
export async function stopPostgres(): Promise<void> {
  await client?.end();
  await server?.close();
}
