/** A PostgreSQL database does what every store does, for real. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { createPostgresStore } from "../../src/record/postgres/postgres-store.ts";
import { StoreError } from "../../src/record/store.ts";
import { runSql, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { batchOf, keepTraffic, listAll, row, testStore } from "./store-suite.ts";

// Not in a hook: those have less time than a busy machine needs to start a server.
let starting: Promise<TestPostgres | undefined> | undefined;
after(async () => (await starting)?.close());

let url: string | undefined;
/** The address of a database without tables; a new database each time would take ten times as long. */
async function emptyDatabase(): Promise<string | undefined> {
  starting ??= startPostgres();
  const server = await starting;
  if (!server) return undefined;
  url ??= await server.createDatabase();
  await runSql(url, "DROP TABLE IF EXISTS whocrawls_strings, whocrawls_meta, whocrawls_writers, whocrawls_traffic");
  return url;
}

testStore("postgres", async () => {
  const address = await emptyDatabase();
  if (address === undefined) return undefined;
  const another = () => createPostgresStore({ url: address });
  return { store: another(), another };
});

type Ask = (sql: string) => Promise<Record<string, unknown>[]>;
/** Runs `body` with a store in an empty database, and a way to look at that. */
const check = (what: string, body: (make: () => ReturnType<typeof createPostgresStore>, ask: Ask) => Promise<void>) =>
  test(`postgres: ${what}`, { timeout: 60_000 }, async (t) => {
    const address = await emptyDatabase();
    if (address === undefined) return t.skip("no server");
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    const stores: ReturnType<typeof createPostgresStore>[] = [];
    const make = () => {
      stores.push(createPostgresStore({ url: address, timeoutMs: 1000 }));
      return stores.at(-1)!;
    };
    try {
      await body(make, async (sql) => (await client.query(sql)).rows);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
      await client.end();
    }
  });

check("tables of another schema version are refused, told what to do about, and not changed", async (make, ask) => {
  const [database] = await ask("SELECT current_database() AS name");
  for (const version of [2, 4]) {
    await ask(`CREATE TABLE whocrawls_meta AS SELECT ${version} AS version`);
    const fault = `has tables of schema version ${version}, and this program uses version 3`;
    const message = `the database ${database?.name} ${fault}: set record to another database`;
    await assert.rejects(make().open(), new StoreError(message));
    assert.deepEqual(await ask("SELECT * FROM whocrawls_meta"), [{ version }]);
    await ask("DROP TABLE whocrawls_meta");
  }
});

check(
  "a batch counts once, an earlier one no more, and those of writers that are gone are forgotten",
  async (make, ask) => {
    const store = make();
    await store.open();
    const [early, late] = [batchOf([row("A")]), batchOf([row("A")])];
    for (const batch of [late, late, early]) await store.write(batch);
    await make().write(early);
    assert.deepEqual(await listAll(store), [row("A", { count: 2 })]);
    const writers = () => ask("SELECT batch::int FROM whocrawls_writers ORDER BY batch");
    assert.deepEqual(await writers(), [{ batch: early.id }, { batch: late.id }]);
    await ask(`UPDATE whocrawls_writers SET at = now() - interval '23 hours' WHERE batch = ${early.id}`);
    await store.tidy({ ...keepTraffic, limit: 10 });
    assert.equal((await writers()).length, 2);
    await ask(`UPDATE whocrawls_writers SET at = now() - interval '25 hours' WHERE batch = ${early.id}`);
    await store.tidy({ ...keepTraffic, limit: 10 });
    assert.deepEqual(await writers(), [{ batch: late.id }]);
  },
);

check("pages, counts and removals look at so many strings at most", async (make, ask) => {
  const store = make();
  await store.open();
  const fill = (from: number, to: number) =>
    ask(`INSERT INTO whocrawls_strings (digest, useragent, truncated, crawler, count, first_seen, last_seen)
      SELECT decode(md5(n::text), 'hex'), 'UA ' || n, false, false, 1, 1, 100000 - n FROM generate_series(${from}, ${to}) n`);
  await fill(1, 10_000);
  const first = await store.page({ q: "ua 5000" }, 0, 250);
  assert.equal(first.rows[0]?.useragent, "UA 5000");
  assert.deepEqual((await store.page({ q: "ua 5000" }, first.next!, 250)).rows, []);
  assert.deepEqual((await store.page({ q: "ua 5001" }, 0, 250)).rows, []);
  assert.equal((await store.page({ q: "ua 5001" }, first.next!, 250)).rows.length, 1);
  assert.equal(await store.count({ q: "ua 9999" }), 1);
  await fill(10_001, 20_002);
  assert.equal(await store.count({ q: "ua 9999" }), undefined);
  assert.equal(await store.count({}), 20_002);
  assert.equal(await store.tidy({ ...keepTraffic, limit: 1 }), 20_000);
  assert.equal(await store.tidy({ ...keepTraffic, limit: 1 }), 1);
  assert.deepEqual(
    (await listAll(store)).map(({ useragent }) => useragent),
    ["UA 1"],
  );
});

check("one connection writes and two read, each statement has a deadline, and closing ends them", async (make, ask) => {
  const store = make();
  await store.open();
  await store.write(batchOf([row("A")]));
  await Promise.all(Array.from({ length: 10 }, () => store.page({}, 0, 1)));
  const connected = async () => {
    const found = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'whocrawls'";
    return (await ask(`${found} AND datname = current_database()`))[0]?.n;
  };
  assert.equal(await connected(), 3);
  await ask("BEGIN");
  await ask("LOCK TABLE whocrawls_strings");
  const timeouts = /^(?:Query read timeout|canceling statement due to statement timeout)$/;
  const began = performance.now();
  for (const work of [store.page({}, 0, 1), store.write(batchOf([row("B")]))])
    await assert.rejects(work, (error) => error instanceof StoreError && timeouts.test(error.message));
  assert.ok(performance.now() - began >= 900);
  await ask("COMMIT");
  assert.deepEqual(await listAll(store), [row("A")]);
  await store.close();
  const deadline = performance.now() + 10_000;
  while ((await connected()) !== 0) assert.ok(performance.now() < deadline);
  assert.equal(await store.count({}), 1);
});

test("postgres: why a server cannot be reached is told, by name and by number", async () => {
  for (const host of ["127.0.0.1", "localhost"]) {
    const store = createPostgresStore({ url: `postgres://user:secret@${host}:1/x` });
    await assert.rejects(store.open(), (error: Error) => {
      assert.equal(error.name, "StoreError");
      assert.match(error.message, /ECONNREFUSED/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
    await store.close();
  }
});
