/** Searches that look at every string of a large record all the time do not hold up recording. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createPostgresStore } from "../../src/record/postgres/postgres-store.ts";
import { createSqliteStore } from "../../src/record/sqlite/sqlite-store.ts";
import type { Store } from "../../src/record/store.ts";
import { runSql, startPostgres } from "../support/postgres.ts";
import { notedASecondBefore, startRecording } from "./processes.ts";
import { listAll } from "./store-suite.ts";
import { temporaryFolder } from "./temporary.ts";

/** Of 2 kB each, so that twenty searches at a time take a second. */
const strings = 5_000;
const text = "long ".repeat(400);

async function makeTables(store: Store): Promise<void> {
  await store.open();
  await store.close();
}

/** Kills a process that records while it runs twenty searches; the record has all but its last second. */
async function killWhileSearching(place: string, store: Store): Promise<void> {
  const recording = startRecording(place, { searches: 20 });
  const { noted } = await recording.until(({ searched }) => searched >= 1);
  await recording.until((report) => report.searched >= 20 && report.noted > noted + 2000);
  await recording.end("SIGKILL");
  await store.open();
  const found = await listAll(store, { q: `UA ${notedASecondBefore(recording) - 1}` });
  await store.close();
  assert.equal(found[0]?.count, 1);
}

test("sqlite: twenty searches at a time, and kill -9", { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  try {
    const path = join(folder, "record.sqlite");
    await makeTables(createSqliteStore({ path }));
    const db = new (process.getBuiltinModule("node:sqlite").DatabaseSync)(path);
    db.exec(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${strings})
      INSERT INTO strings (digest, useragent, truncated, crawler, count, first_seen, last_seen)
      SELECT randomblob(16), n || ' ${text}', 0, 0, 1, 1, n FROM numbers`);
    db.close();
    await killWhileSearching(path, createSqliteStore({ path }));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("postgres: twenty searches at a time, and kill -9", { timeout: 60_000 }, async (t) => {
  const server = await startPostgres();
  if (!server) return t.skip("no server");
  try {
    const url = await server.createDatabase();
    await makeTables(createPostgresStore({ url }));
    await runSql(
      url,
      `INSERT INTO whocrawls_strings (digest, useragent, truncated, crawler, count, first_seen, last_seen)
       SELECT decode(md5(n::text), 'hex'), n || ' ${text}', false, false, 1, 1, n FROM generate_series(1, ${strings}) n`,
    );
    await killWhileSearching(url, createPostgresStore({ url }));
  } finally {
    await server.close();
  }
});
