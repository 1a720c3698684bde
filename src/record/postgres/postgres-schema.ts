/** The tables of the record in a PostgreSQL database: makes them, and refuses those of another version. */
import { StoreError } from "../store.ts";
import type { Ask, Connections } from "./postgres-connections.ts";

const schemaVersion = 3;

// `folded` is what a search compares where `lower`, which knows the letters of ASCII only, would not do. A writer's
// batches make a transaction whose answer was lost count once.
const schema = `
  CREATE TABLE whocrawls_strings (
    digest bytea PRIMARY KEY,
    useragent text COLLATE "C" NOT NULL,
    truncated boolean NOT NULL,
    crawler boolean NOT NULL,
    name text,
    operator text,
    category text,
    count bigint NOT NULL,
    first_seen bigint NOT NULL,
    last_seen bigint NOT NULL,
    folded text COLLATE "C"
  );
  CREATE INDEX whocrawls_strings_last_seen ON whocrawls_strings (last_seen, digest);
  CREATE TABLE whocrawls_writers (writer uuid PRIMARY KEY, batch bigint NOT NULL, at timestamptz NOT NULL);
  CREATE TABLE whocrawls_traffic (
    hour bigint NOT NULL,
    dimension text NOT NULL,
    value text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (hour, dimension, value)
  );
  CREATE TABLE whocrawls_meta (version integer NOT NULL);
  INSERT INTO whocrawls_meta VALUES (${schemaVersion});`;

/** A number that no other program is likely to lock with: "whoCrawl" in ASCII. */
const lockKey = "8604249423563814764";

/**
 * Makes the tables where there are none. Instances that start together wait for one another at an advisory lock. Throws
 * StoreError for tables of another version, and for a database that is not UTF-8.
 */
export async function openTables(connections: Connections): Promise<void> {
  // Looks before it locks: an instance whose role may not create tables can then use those that are there.
  if (await connections.use(hasTables)) return;
  await connections.transaction(async (ask) => {
    await ask("SELECT pg_advisory_xact_lock($1::bigint)", [lockKey]);
    if (!(await hasTables(ask))) await ask(schema);
  });
}

async function hasTables(ask: Ask): Promise<boolean> {
  // Not to_regclass: a connection remembers its answer, also when another instance has made the tables meanwhile.
  const { rows } = await ask(
    `SELECT current_database() AS name, current_setting('server_encoding') AS encoding,
       EXISTS (SELECT 1 FROM pg_class WHERE relname = 'whocrawls_meta' AND pg_table_is_visible(oid)) AS present`,
  );
  const { name, encoding, present } = rows[0] ?? {};
  const refuse = (fault: string) => {
    throw new StoreError(`the database ${name} ${fault}: set record to another database`);
  };
  if (encoding !== "UTF8") refuse(`has the encoding ${encoding}, not UTF8`);
  if (!present) return false;
  const version = (await ask("SELECT version FROM whocrawls_meta")).rows[0]?.version;
  if (version !== schemaVersion)
    refuse(`has tables of schema version ${version}, and this program uses version ${schemaVersion}`);
  return true;
}
