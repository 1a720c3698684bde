/** The PostgreSQL schema of the record, as migrations from one version to the next. */
import type { Connections, Query } from "./postgres-connections.ts";
import { StoreError } from "./store.ts";

/** `migrations[n]` brings version n to n + 1. Only ever append. */
const migrations = [
  `CREATE TABLE whocrawls_strings (
     digest bytea PRIMARY KEY,
     useragent text COLLATE "C" NOT NULL,
     cut boolean NOT NULL,
     crawler boolean NOT NULL,
     name text,
     operator text,
     category text,
     count bigint NOT NULL,
     first_seen bigint NOT NULL,
     last_seen bigint NOT NULL
   );
   CREATE INDEX whocrawls_strings_last_seen ON whocrawls_strings (last_seen, digest);
   CREATE TABLE whocrawls_meta (version integer NOT NULL, total bigint NOT NULL);
   INSERT INTO whocrawls_meta VALUES (0, 0);`,
];

/** Any number nobody else is likely to lock with: "whoCrawl" in ASCII. */
const lockKey = "8604249423563814764";

/**
 * Brings the database to the newest version. Instances that start together wait for one another at an advisory lock.
 * Throws StoreError for a schema that a newer version has written, and for a database that is not UTF-8.
 */
export async function migratePostgres(connections: Connections): Promise<void> {
  // Looks before it locks: an instance whose role may not create tables can then use those that are there.
  const current = await connections.use(async (query) => {
    const { rows } = await query<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
    const encoding = rows[0]?.encoding;
    if (encoding !== "UTF8") throw new StoreError(`the database's encoding is ${encoding}, not UTF8`);
    return versionOf(query);
  });
  if (current === migrations.length) return;
  await connections.transaction(async (query) => {
    await query("SELECT pg_advisory_xact_lock($1::bigint)", [lockKey]);
    const version = await versionOf(query);
    if (version > migrations.length)
      throw new StoreError(`the schema is version ${version}; this program knows up to ${migrations.length}`);
    for (const step of migrations.slice(version)) await query(step);
    await query("UPDATE whocrawls_meta SET version = $1", [migrations.length]);
  });
}

/** 0 where there are no tables yet. */
async function versionOf(query: Query): Promise<number> {
  const found = await query<{ present: boolean }>("SELECT to_regclass('whocrawls_meta') IS NOT NULL AS present");
  if (!found.rows[0]?.present) return 0;
  const meta = await query<{ version: number }>("SELECT version FROM whocrawls_meta");
  return meta.rows[0]?.version ?? 0;
}
