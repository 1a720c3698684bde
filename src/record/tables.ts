/** The record's tables in SQL: makes them, brings those of the version before to this one, and refuses others. */
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

/**
 * The statements that bring tables to this version, by the version before. In it, each database had its own names and types, and the order
 * of columns differed.
 */
const migrations: Readonly<Record<number, (driver: Driver) => readonly string[]>> = {
  3: ({ kind, text }) => [
    ...(kind === "sqlite"
      ? ["ALTER TABLE strings RENAME TO whocrawls_strings_3", "ALTER TABLE traffic RENAME TO whocrawls_traffic_3"]
      : [
          "ALTER TABLE whocrawls_strings RENAME TO whocrawls_strings_3",
          "ALTER TABLE whocrawls_strings_3 DROP CONSTRAINT whocrawls_strings_pkey",
          "DROP INDEX whocrawls_strings_last_seen",
          "ALTER TABLE whocrawls_traffic RENAME TO whocrawls_traffic_3",
          "ALTER TABLE whocrawls_traffic_3 DROP CONSTRAINT whocrawls_traffic_pkey",
          "DROP TABLE whocrawls_writers",
        ]),
    ...toTables(text),
    // In parts: each statement of PostgreSQL has a deadline.
    ...[..."0123456789abcdef"].map((digit) => {
      const digest = kind === "sqlite" ? "lower(hex(digest))" : "encode(digest, 'hex')";
      return `INSERT INTO whocrawls_strings SELECT ${digest}, useragent, folded, CAST(truncated AS integer),
        CAST(crawler AS integer), name, operator, category, count, first_seen, last_seen
        FROM whocrawls_strings_3 WHERE ${digest} LIKE '${digit}%' ORDER BY digest`;
    }),
    "INSERT INTO whocrawls_traffic SELECT hour, dimension, value, count FROM whocrawls_traffic_3",
    "DROP TABLE whocrawls_strings_3",
    "DROP TABLE whocrawls_traffic_3",
  ],
};

/**
 * Makes the tables where there are none, and brings older ones to this version. Call it in a transaction. Throws StoreError for tables of a
 * newer version, and of one that is too old.
 */
export async function openTables(driver: Driver, ask: Ask): Promise<void> {
  const found = await driver.versionOf(ask);
  if (found === schemaVersion) return;
  const statements = found === undefined ? toTables(driver.text) : migrations[found]?.(driver);
  if (statements === undefined) {
    const fault = `has tables of schema version ${found}, and this program uses version ${schemaVersion}`;
    const remedy = found! > schemaVersion ? `start the newer version of whocrawls, or ${driver.remedy}` : driver.remedy;
    throw new StoreError(`${driver.place} ${fault}: ${remedy}`);
  }
  for (const statement of [...statements, ...driver.setVersion(schemaVersion)]) await ask(statement);
}
