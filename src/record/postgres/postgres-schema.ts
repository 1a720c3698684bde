/** The PostgreSQL schema of the record, as migrations from one version to the next. */

import { StoreError } from "../store.ts";
import type { Ask, Connections } from "./postgres-connections.ts";

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
  // `folded` is what a search compares where `lower`, which knows ASCII only, would not do; rows have it once they are
  // seen again. A writer's batches make a transaction whose answer was lost count once.
  `ALTER TABLE whocrawls_strings ADD COLUMN folded text COLLATE "C";
   ALTER TABLE whocrawls_strings RENAME COLUMN cut TO truncated;
   ALTER TABLE whocrawls_meta DROP COLUMN total;
   CREATE TABLE whocrawls_writers (writer uuid PRIMARY KEY, batch bigint NOT NULL, at timestamptz NOT NULL);`,
  `CREATE TABLE whocrawls_traffic (
     hour bigint NOT NULL,
     dimension text NOT NULL,
     value text COLLATE "C" NOT NULL,
     count bigint NOT NULL,
     PRIMARY KEY (hour, dimension, value)
   );`,
];

/** A number that no other program is likely to lock with: "whoCrawl" in ASCII. */
const lockKey = "8604249423563814764";

/**
 * Brings the database to the newest version. Instances that start together wait for one another at an advisory lock.
 * Throws StoreError for a schema that a newer version has written, and for a database that is not UTF-8.
 */
export async function migratePostgres(connections: Connections): Promise<void> {
  // Looks before it locks: an instance whose role may not create tables can then use those that are there.
  const current = await connections.use(async (ask) => {
    const { rows } = await ask("SELECT current_setting('server_encoding') AS encoding");
    if (rows[0]?.encoding !== "UTF8") throw new StoreError(`the database's encoding is ${rows[0]?.encoding}, not UTF8`);
    return versionOf(ask);
  });
  if (current === migrations.length) return;
  await connections.transaction(async (ask) => {
    await ask("SELECT pg_advisory_xact_lock($1::bigint)", [lockKey]);
    const version = await versionOf(ask);
    if (version > migrations.length)
      throw new StoreError(`the schema is version ${version}; this program knows up to ${migrations.length}`);
    for (const step of migrations.slice(version)) await ask(step);
    await ask("UPDATE whocrawls_meta SET version = $1", [migrations.length]);
  });
}

/** 0 if there are no tables yet. */
async function versionOf(ask: Ask): Promise<number> {
  // Not to_regclass: a connection remembers its answer, also when another instance has made the tables meanwhile.
  const present = "SELECT 1 FROM pg_class WHERE relname = 'whocrawls_meta' AND pg_table_is_visible(oid)";
  if ((await ask(present)).rowCount === 0) return 0;
  const meta = await ask("SELECT version FROM whocrawls_meta");
  return Number(meta.rows[0]?.version ?? 0);
}
