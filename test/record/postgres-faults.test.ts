/** What happens to a PostgreSQL record when its server, its network or its tables go away: each fault is a real one. */
import assert from "node:assert/strict";
import { createServer, connect as openSocket, type Socket } from "node:net";
import { after, type TestContext, test } from "node:test";
import pg from "pg";
import { createPostgresStore } from "../../src/record/postgres/postgres-store.ts";
import { createRecord, type UserAgentRecord } from "../../src/record/record.ts";
import { runSql, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { notedASecondBefore, startRecording } from "./processes.ts";
import { batchOf, listAll } from "./store-suite.ts";

// Not in a hook: those have less time than a busy machine needs to start a server.
let starting: Promise<TestPostgres | undefined> | undefined;
after(async () => (await starting)?.close());

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Runs `body` with the server and an empty database; skips where there is no server. */
const check = (what: string, body: (server: TestPostgres, url: string, t: TestContext) => Promise<void>) =>
  test(what, { timeout: 60_000 }, async (t) => {
    starting ??= startPostgres({ own: true });
    const server = await starting;
    if (!server) return t.skip("no server");
    await body(server, await server.createDatabase(), t);
  });

function make(url: string, timeoutMs = 2000) {
  const logged: string[] = [];
  const log = (level: string, message: string) => void logged.push(`${level}: ${message}`);
  const store = createPostgresStore({ url, timeoutMs });
  return { record: createRecord({ store, clock: Date.now, flushIntervalMs: 20, log }), logged };
}

const note = (record: UserAgentRecord, from: number, to: number) => {
  for (let n = from; n < to; n++) record.note({ useragent: `UA ${n}`, crawler: false });
};

const listed = (record: UserAgentRecord) => listAll(record);

/** A way to the server that can be cut, or fall silent, at a chosen moment. */
async function startProxy(url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = {
    url: "",
    /** Called with what a client sends, before it is passed on. */
    onSend: (_bytes: Buffer) => {},
    /** While true nothing comes back from the server. */
    silent: false,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    close: () => {},
  };
  const listening = createServer((client) => {
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
    client.on("data", (bytes) => {
      upstream.write(bytes);
      proxy.onSend(bytes);
    });
    upstream.on("data", (bytes) => {
      if (!proxy.silent) client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const address = new URL(url);
  address.hostname = "127.0.0.1";
  address.port = String((listening.address() as { port: number }).port);
  proxy.url = address.href;
  proxy.close = () => {
    proxy.cut();
    listening.close();
  };
  return proxy;
}

for (const how of ["crash", "orderly"] as const)
  check(`a server that stops (${how}) and starts again pauses recording and loses nothing`, async (server, url, t) => {
    if (!server.stop || !server.start) return t.skip("this server is not ours to stop");
    const { record, logged } = make(url);
    note(record, 0, 100);
    await until(() => record.status().written === 100);
    await server.stop(how);
    note(record, 50, 150);
    await until(() => record.status().state === "paused");
    assert.ok(record.status().reason);
    await assert.rejects(record.count());
    note(record, 150, 200);
    assert.equal(record.status().queued, 150);
    await sleep(300);
    await server.start();
    await until(() => record.status().queued === 0 && record.status().state === "recording");
    const rows = await listed(record);
    assert.equal(rows.length, 200);
    for (const row of rows) {
      const n = Number(row.useragent.slice(3));
      assert.equal(row.count, n >= 50 && n < 100 ? 2 : 1, row.useragent);
    }
    assert.equal(logged.at(-1), "info: recording goes on");
    await record.close();
  });

check("a record begins without its server, and catches up", async (server, url, t) => {
  if (!server.stop || !server.start) return t.skip("this server is not ours to stop");
  await server.stop();
  const { record } = make(url);
  note(record, 0, 10);
  await until(() => record.status().state === "paused");
  await server.start();
  await until(() => record.status().written === 10);
  assert.equal((await listed(record)).length, 10);
  await record.close();
});

check("a connection that is cut before the answer to COMMIT counts nothing twice and nothing never", async (_, url) => {
  const proxy = await startProxy(url);
  const { record } = make(proxy.url);
  await record.flush();
  let commits = 0;
  let cuts = 0;
  proxy.onSend = (bytes) => {
    // Every second one, since each failure in a row would double the wait for the next attempt.
    if (!/\bcommit\b/i.test(bytes.toString("latin1")) || commits++ % 2 || cuts >= 6) return;
    cuts++;
    // Half of the times after the server has had it, half of the times in the midst of it.
    proxy.silent = true;
    setTimeout(
      () => {
        proxy.cut();
        proxy.silent = false;
      },
      cuts % 2 ? 50 : 0,
    );
  };
  for (let round = 1; round <= 10; round++) {
    note(record, 0, 50);
    await until(() => record.status().written === round * 50);
  }
  assert.equal(cuts, 6);
  const rows = await listed(record);
  assert.equal(rows.length, 50);
  for (const row of rows) assert.equal(row.count, 10);
  await record.close();
  proxy.close();
});

check("a server that falls silent is given up, and written to when it answers again", async (_, url) => {
  const proxy = await startProxy(url);
  const { record } = make(proxy.url, 500);
  note(record, 0, 10);
  await until(() => record.status().written === 10);
  proxy.silent = true;
  note(record, 0, 10);
  await until(() => record.status().state === "paused");
  proxy.silent = false;
  await until(() => record.status().written === 20);
  assert.ok((await listed(record)).every((row) => row.count === 2));
  await record.close();
  proxy.close();
});

check("tables that are dropped while recording are made again", async (_, url) => {
  const { record } = make(url);
  note(record, 0, 10);
  await until(() => record.status().written === 10);
  await runSql(url, "DROP TABLE whocrawls_strings, whocrawls_meta, whocrawls_writers, whocrawls_traffic");
  note(record, 0, 5);
  await until(() => record.status().written === 15);
  assert.equal(await record.count(), 5);
  await record.close();
});

check("rows that an operator deletes are counted no more", async (_, url) => {
  const store = createPostgresStore({ url });
  await store.open();
  const rows = ["A", "B", "C"].map((useragent) => ({ useragent, crawler: false, count: 1, firstSeen: 1, lastSeen: 1 }));
  await store.write(batchOf(rows));
  await runSql(url, "DELETE FROM whocrawls_strings WHERE useragent = 'B'");
  assert.equal(await store.count({}), 2);
  await store.close();
});

check("processes that start together on an empty database make its tables once", async (_, url) => {
  for (let round = 0; round < 5; round++) {
    await runSql(url, "DROP TABLE IF EXISTS whocrawls_strings, whocrawls_meta, whocrawls_writers, whocrawls_traffic");
    const stores = [1, 2, 3].map(() => createPostgresStore({ url }));
    await Promise.all(stores.map((store) => store.open()));
    await Promise.all(stores.map((store) => store.close()));
  }
});

check("a row that somebody else holds locked pauses recording for no longer than it is held", async (_, url) => {
  const { record } = make(url, 500);
  note(record, 0, 10);
  await until(() => record.status().written === 10);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT * FROM whocrawls_strings FOR UPDATE");
  note(record, 0, 10);
  await until(() => record.status().state === "paused");
  await holder.end();
  await until(() => record.status().written === 20);
  assert.ok((await listed(record)).every((row) => row.count === 2));
  await record.close();
});

check("a database that is not UTF-8 is refused", async (_, url) => {
  const name = `latin_${Math.random().toString(36).slice(2)}`;
  await runSql(url, `CREATE DATABASE ${name} ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
  const address = new URL(url);
  address.pathname = `/${name}`;
  const latin = make(address.href).record;
  await until(() => latin.status().state === "paused");
  assert.equal(
    latin.status().reason,
    `the database ${name} has the encoding LATIN1, not UTF8: set record to another database`,
  );
  await latin.close(10);
  await runSql(url, `DROP DATABASE ${name} WITH (FORCE)`);
});

check("after kill -9 at most the last second is missing; several processes' counts add up", async (_, url) => {
  const killed = startRecording(url);
  await killed.until(({ status }) => (status?.written ?? 0) > 300);
  // More than the second that may be missing.
  await sleep(1200);
  await killed.end("SIGKILL");
  const { record } = make(url);
  const found = new Map((await listed(record)).map((row) => [row.useragent, row.count]));
  assert.ok(found.size >= notedASecondBefore(killed));
  for (let n = 0; n < found.size; n++) assert.equal(found.get(`UA ${n}`), 1);

  const others = [1, 2, 3].map(() => startRecording(url, { most: 500 }));
  await Promise.all(others.map((each) => each.until((report) => report.closed?.lost === 0)));
  for (const row of await listed(record)) {
    const n = Number(row.useragent.slice(3));
    assert.equal(row.count, (n < found.size ? 1 : 0) + (n < 500 ? 3 : 0));
  }
  await record.close();
});
