/** The record's tables in SQL: makes them, and refuses those of another version. */
import type { Ask, Driver } from "./sql-driver.ts";
import { StoreError } from "./store.ts";

const schemaVersion = 4;

/**
 * The statements that make the tables. `folded` is what a search compares if `lower`, which handles only ASCII letters, is not
 * sufficient. Storing each writer's last batch ensures that a batch whose response was lost counts only once. Types are PostgreSQL's;
 * SQLite knows them, too.
 */
const toTables = (text: string): readonly string[] => [
  `CREATE TABLE whocrawls_strings (
    digest ${text} PRIMARY KEY,
    useragent ${text} NOT NULL,
    folded ${text},
    truncated integer NOT NULL,
    crawler integer NOT NULL,
    name ${text},
    operator ${text},
    category ${text},
    count bigint NOT NULL,
    first_seen bigint NOT NULL,
    last_seen bigint NOT NULL
  )`,
  "CREATE INDEX whocrawls_strings_last_seen ON whocrawls_strings (last_seen, digest)",
  `CREATE TABLE whocrawls_traffic (
    hour bigint NOT NULL,
    dimension ${text} NOT NULL,
    value ${text} NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (hour, dimension, value)
  )`,
  `CREATE TABLE whocrawls_writers (writer ${text} PRIMARY KEY, batch bigint NOT NULL, at bigint NOT NULL)`,
];

/** Makes the tables where there are none. Call it in a transaction. Throws StoreError for tables of another version. */
export async function openTables(driver: Driver, ask: Ask): Promise<void> {
  const found = await driver.versionOf(ask);
  if (found === schemaVersion) return;
  if (found !== undefined) {
    const fault = `has tables of schema version ${found}, and this program uses version ${schemaVersion}`;
    const remedy = found > schemaVersion ? `start the newer version of whocrawls, or ${driver.remedy}` : driver.remedy;
    throw new StoreError(`${driver.place} ${fault}: ${remedy}`);
  }
  for (const statement of [...toTables(driver.text), ...driver.setVersion(schemaVersion)]) await ask(statement);
}
