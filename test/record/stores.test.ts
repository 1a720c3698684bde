/** Every store against the one suite: memory, SQLite, and PostgreSQL for real. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { createMemoryStore } from "../../src/record/memory-store.ts";
import { createPostgresStore } from "../../src/record/postgres-store.ts";
import { createSqliteStore } from "../../src/record/sqlite-store.ts";
import { runSql, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { batchOf, listAll, row, testStore } from "./store-suite.ts";
import { temporaryFolder } from "./temporary.ts";

const folder = temporaryFolder();
let files = 0;
// Not in a hook: those have less time than a busy machine needs to start a server.
let starting: Promise<TestPostgres | undefined> | undefined;
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await (await starting)?.close();
});

testStore("memory", async () => ({ store: createMemoryStore() }));

test("memory: its strings are bounded by their bytes at any time", async () => {
  const store = createMemoryStore({ maxBytes: 10_000 });
  const rows = Array.from({ length: 100 }, (_, n) => row(`${n} ${"x".repeat(340)}`));
  for (const each of rows) {
    await store.write(batchOf([each]));
    assert.ok((await store.count({}))! <= 10);
  }
  assert.equal((await listAll(store))[0]?.useragent, rows.at(-1)?.useragent);
});

testStore("sqlite", async () => {
  const path = join(folder, `${files++}`, "record.sqlite");
  const another = () => createSqliteStore({ path });
  return { store: another(), another };
});

let url: string | undefined;
testStore("postgres", async () => {
  starting ??= startPostgres();
  const server = await starting;
  if (!server) return undefined;
  url ??= await server.createDatabase();
  // An empty place for each test; a new database each time would take ten times as long.
  await runSql(url, "DROP TABLE IF EXISTS whocrawls_strings, whocrawls_meta, whocrawls_writers, whocrawls_traffic");
  const address = url;
  const another = () => createPostgresStore({ url: address });
  return { store: another(), another };
});
