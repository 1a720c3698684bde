/** A PostgreSQL database does what every store does, and survives what happens to its server and to the network. */
import assert from "node:assert/strict";
import { createServer, connect as openSocket, type Socket } from "node:net";
import { after, test } from "node:test";
import pg from "pg";
import { createPostgresDriver } from "../../src/record/postgres-driver.ts";
import { createSqlStore } from "../../src/record/sql-store.ts";
import { type Store, StoreError } from "../../src/record/store.ts";
import { needsPostgres, runSql, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { batchOf, keepTraffic, listAll, row, testStore } from "./store-suite.ts";

/** Waits for a busy machine, where no time is given. */
const createStore = (url: string, timeoutMs = 600_000) => createSqlStore(createPostgresDriver(url, timeoutMs));

// Not in a hook: those have less time than a busy machine needs to start a server.
let starting: Promise<TestPostgres> | undefined;
const skip = needsPostgres();
after(async () => (await starting)?.close());

let url: string | undefined;
const dropTables = (address: string) =>
  runSql(address, "DROP TABLE IF EXISTS whocrawls_strings, whocrawls_meta, whocrawls_writers, whocrawls_traffic");
/** The address of a database without tables; a new database each time would take ten times as long. */
async function emptyDatabase(): Promise<string> {
  starting ??= startPostgres();
  const server = await starting;
  url ??= await server.createDatabase();
  await dropTables(url);
  return url;
}

/** Runs a statement in a transaction that lasts until the returned function is called. */
async function hold(address: string, sql: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query("BEGIN");
  await client.query(sql);
  return () => client.end();
}

testStore("postgres", { skip, faults: ["strings locked", "database away"] }, async () => {
  const address = await emptyDatabase();
  const name = new URL(address).pathname.slice(1);
  const another = (timeoutMs?: number) => createStore(address, timeoutMs);
  const allow = async (isAllowed: boolean) =>
    runSql((await starting)!.address, `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isAllowed}`);
  return {
    store: another(),
    lasting: {
      address,
      another,
      remove: () => dropTables(address),
      run: (sql) => runSql(address, sql),
      setVersion: (version) => runSql(address, `UPDATE whocrawls_meta SET version = ${version}`),
      refusal: (version) =>
        `the database ${name} has tables of schema version ${version}, and this program uses version 4: ${version > 4 ? "start the newer version of whocrawls, or " : ""}set record to another database`,
      faults: {
        "strings locked": {
          isOpen: true,
          reason: /^(?:Query read timeout|canceling statement due to statement timeout)$/,
          begin: () => hold(address, "LOCK TABLE whocrawls_strings"),
        },
        "database away": {
          isOpen: false,
          reason: /is not currently accepting connections$/,
          async begin() {
            await allow(false);
            return () => allow(true);
          },
        },
      },
    },
  };
});

/** Runs `body` with the address of an empty database and a store in it. */
const check = (what: string, body: (address: string, store: Store) => Promise<void>) =>
  test(`postgres: ${what}`, { skip }, async () => {
    const address = await emptyDatabase();
    const store = createStore(address);
    await store.open();
    await body(address, store).finally(() => store.close());
  });

check(
  "a batch counts once, an earlier one no more, and those of writers that are gone are forgotten",
  async (address, store) => {
    const [early, late] = [batchOf([row("A")]), batchOf([row("A")])];
    for (const batch of [late, late, early]) await store.write(batch);
    const other = createStore(address);
    await other.write(early);
    await other.close();
    assert.deepEqual(await listAll(store), [row("A", { count: 2 })]);
    for (const [hours, left] of [
      [23, [early.id, late.id]],
      [25, [late.id]],
    ] as const) {
      const age = `UPDATE whocrawls_writers SET at = ${Date.now() - hours * 3_600_000} WHERE batch = ${early.id}`;
      await runSql(address, age);
      await store.tidy({ ...keepTraffic, limit: 10 });
      const writers = await runSql(address, "SELECT batch::int FROM whocrawls_writers ORDER BY batch");
      assert.deepEqual(
        writers.map(({ batch }) => batch),
        left,
      );
    }
  },
);

check("tidying removes so many strings at a time, and waits for none that is locked", async (address, store) => {
  await runSql(
    address,
    `INSERT INTO whocrawls_strings (digest, useragent, truncated, crawler, count, first_seen, last_seen)
     SELECT md5(n::text), 'UA ' || n, 0, 0, 1, 1, 100000 - n FROM generate_series(1, 20003) n`,
  );
  assert.equal(await store.tidy({ ...keepTraffic, limit: 1 }), 20_000);
  const release = await hold(address, "SELECT 1 FROM whocrawls_strings WHERE useragent = 'UA 20003' FOR UPDATE");
  assert.equal(await store.tidy({ ...keepTraffic, limit: 1 }), 1);
  await release();
  assert.equal(await store.tidy({ ...keepTraffic, limit: 1 }), 1);
  assert.deepEqual(
    (await listAll(store)).map(({ useragent }) => useragent),
    ["UA 1"],
  );
});

check("one connection writes and two read, and closing ends them", async (address, store) => {
  const connected = async (): Promise<unknown[]> => {
    const sql = `SELECT pid FROM pg_stat_activity
      WHERE application_name = 'whocrawls' AND datname = current_database()`;
    return (await runSql(address, sql)).map(({ pid }) => pid);
  };
  // This store has opened the connection that writes; others belong to other stores, and may end.
  const before = await connected();
  await Promise.all(Array.from({ length: 10 }, () => store.page({}, 0, 1)));
  const readers = (await connected()).filter((pid) => !before.includes(pid));
  assert.equal(readers.length, 2);
  await store.close();
  await until(async () => !(await connected()).some((pid) => readers.includes(pid)));
  assert.equal(await store.count({}), 0);
});

/** A way to the server that tests disturb. */
async function startProxy(address: string) {
  const target = new URL(address);
  const sockets = new Set<Socket>();
  /** Whether what a client or the server sends is passed on. */
  const proxy = { url: "", onSend: (_bytes: Buffer) => true, onAnswer: () => true, cut, stop, start };
  const server = createServer((client) => {
    const upstream = openSocket(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.end();
      });
    }
    client.on("data", (bytes) => proxy.onSend(bytes) && upstream.write(bytes));
    upstream.on("data", (bytes) => proxy.onAnswer() && client.write(bytes));
  });
  let port = 0;
  function start() {
    return new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  }
  function cut() {
    for (const socket of sockets) socket.destroy();
  }
  function stop() {
    server.close();
    cut();
  }
  await start();
  port = (server.address() as { port: number }).port;
  proxy.url = Object.assign(new URL(address), { hostname: "127.0.0.1", port: `${port}` }).href;
  return proxy;
}

check(
  "a connection that is cut before the answer to COMMIT counts nothing twice and nothing never",
  async (address) => {
    const proxy = await startProxy(address);
    const store = createStore(proxy.url);
    await store.open();
    for (let round = 1; round <= 4; round++) {
      // Half of the times the server has had it.
      const isReceived = round % 2 === 0;
      let isSent = false;
      proxy.onSend = (bytes) => {
        if (!/\bcommit\b/i.test(bytes.toString("latin1"))) return true;
        isSent = true;
        if (!isReceived) proxy.cut();
        return isReceived;
      };
      proxy.onAnswer = () => {
        if (isSent) proxy.cut();
        return !isSent;
      };
      const batch = batchOf([row("A"), row("B")]);
      await assert.rejects(store.write(batch), { name: "StoreError" });
      assert.ok(isSent);
      proxy.onSend = proxy.onAnswer = () => true;
      await store.write(batch);
      assert.deepEqual(
        (await listAll(store)).map(({ count }) => count),
        [round, round],
      );
    }
    await store.close();
    proxy.stop();
  },
);

check("a server that falls silent is given up, and written to when it answers again", async (address) => {
  const proxy = await startProxy(address);
  const store = createStore(proxy.url, 500);
  const untilDone = (act: () => Promise<unknown>) =>
    until(() =>
      act().then(
        () => true,
        () => false,
      ),
    );
  await untilDone(() => store.open());
  const batch = batchOf([row("A")]);
  proxy.onAnswer = () => false;
  await assert.rejects(store.write(batch), new StoreError("Query read timeout"));
  proxy.onAnswer = () => true;
  await untilDone(() => store.write(batch));
  await store.close();
  proxy.stop();
  const later = createStore(address);
  await later.open();
  assert.deepEqual(await listAll(later), [row("A")]);
  await later.close();
});

check(
  "a server that goes away while connections are idle is written to and read again when it is back",
  async (address) => {
    const proxy = await startProxy(address);
    const store = createStore(proxy.url);
    await store.open();
    await store.write(batchOf([row("A")]));
    assert.equal(await store.count({}), 1);
    proxy.stop();
    const batch = batchOf([row("A"), row("B")]);
    for (let twice = 0; twice < 2; twice++) {
      await assert.rejects(store.write(batch), { name: "StoreError" });
      await assert.rejects(store.count({}), { name: "StoreError" });
    }
    await proxy.start();
    await store.write(batch);
    assert.deepEqual(new Set(await listAll(store)), new Set([row("A", { count: 2 }), row("B")]));
    await store.close();
    proxy.stop();
  },
);

check("a database that is not UTF-8 is refused", async (address) => {
  const latin = Object.assign(new URL(address), { pathname: `${new URL(address).pathname}_latin` });
  const name = latin.pathname.slice(1);
  await runSql(address, `CREATE DATABASE ${name} ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
  const store = createStore(latin.href);
  const fault = `the database ${name} has the encoding LATIN1, not UTF8: set record to another database`;
  await assert.rejects(store.open(), new StoreError(fault));
  await store.close();
  await runSql(address, `DROP DATABASE ${name} WITH (FORCE)`);
});

test("postgres: why a server cannot be reached is told, by name and by number, without the password", async () => {
  for (const host of ["127.0.0.1", "localhost"]) {
    const store = createStore(`postgres://user:secret@${host}:1/x`);
    await assert.rejects(store.open(), { name: "StoreError", message: /^(?!.*secret).*ECONNREFUSED/ });
    await store.close();
  }
});
