/** The SQLite schema of the record, as migrations from one version to the next. */
import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../store.ts";

/** Marks the file as a record of this program; "whoC" in ASCII. */
const applicationId = 0x77686f43;

/** `migrations[n]` brings version n to n + 1. Only ever append. */
const migrations = [
  `CREATE TABLE strings (
     id INTEGER PRIMARY KEY,
     digest BLOB NOT NULL UNIQUE,
     useragent TEXT NOT NULL,
     cut INTEGER NOT NULL,
     crawler INTEGER NOT NULL,
     name TEXT,
     operator TEXT,
     category TEXT,
     count INTEGER NOT NULL,
     first_seen INTEGER NOT NULL,
     last_seen INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX strings_last_seen ON strings (last_seen, id);
   CREATE TABLE meta (total INTEGER NOT NULL) STRICT;
   INSERT INTO meta VALUES (0);`,
  // `folded` is what a search compares where `lower`, which knows ASCII only, would not do; rows have it once they are
  // seen again.
  `ALTER TABLE strings ADD COLUMN folded TEXT;
   ALTER TABLE strings RENAME COLUMN cut TO truncated;
   DROP TABLE meta;`,
  `CREATE TABLE traffic (
     hour INTEGER NOT NULL,
     dimension TEXT NOT NULL,
     value TEXT NOT NULL,
     count INTEGER NOT NULL,
     PRIMARY KEY (hour, dimension, value)
   ) STRICT, WITHOUT ROWID;`,
];

/** Throws StoreError for a file of another program and for one that a newer version of this one has written. */
export function refuseForeign(db: DatabaseSync): void {
  const tables = db.prepare("SELECT count(*) AS n FROM sqlite_schema").get() as { n: number };
  if (tables.n > 0 && pragma(db, "application_id") !== applicationId)
    throw new StoreError("the file is a SQLite database of another program");
  const version = pragma(db, "user_version");
  if (version > migrations.length)
    throw new StoreError(`the file's schema is version ${version}; this program knows up to ${migrations.length}`);
}

/** Brings the file to the newest version, under its write lock, so that several processes can do it at once. */
export function migrateSqlite(db: DatabaseSync): void {
  if (pragma(db, "user_version") === migrations.length) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    // Again, now that no other process can write.
    refuseForeign(db);
    for (const step of migrations.slice(pragma(db, "user_version"))) db.exec(step);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

function pragma(db: DatabaseSync, name: string): number {
  const row = db.prepare(`PRAGMA ${name}`).get() as { [name: string]: number };
  return row[name] ?? 0;
}
