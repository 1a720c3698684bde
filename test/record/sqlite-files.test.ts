/** SQLite files as the threads see them: making, opening, reading and refusing them, and what is said of failures. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { inodeOf, isCorruption, SqliteConnection, toStoreError } from "../../src/record/sqlite/sqlite-connection.ts";
import { makeFile, quarantine, whileOpening } from "../../src/record/sqlite/sqlite-file.ts";
import { SqliteReader } from "../../src/record/sqlite/sqlite-reader.ts";
import { createSqliteStore } from "../../src/record/sqlite/sqlite-store.ts";
import { createThread } from "../../src/record/sqlite/sqlite-thread.ts";
import { SqliteWriter } from "../../src/record/sqlite/sqlite-writer.ts";
import { StoreError } from "../../src/record/store.ts";
import { batchOf, keepTraffic, row } from "./store-suite.ts";
import { temporaryFolder } from "./temporary.ts";

const root = realpathSync(temporaryFolder());
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const newPath = () => {
  const folder = join(root, `${folders++}`);
  mkdirSync(folder);
  return join(folder, "record.sqlite");
};
const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
function query(path: string, sql: string): unknown[] {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}
function run(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

function openWriter(path = newPath()) {
  const logged: string[] = [];
  const writer = new SqliteWriter(path, (level, message) => void logged.push(`${level}: ${message}`));
  writer.open(false);
  return { path, writer, logged };
}

test("failures are told in an operator's words", () => {
  const locked = "the file is locked by another process";
  const readOnly = "the file or its folder is read-only";
  const full = "the disk is full";
  const taken = "the folder's name is taken by a file";
  const rows: [object, string][] = [
    [{ errcode: 5 }, locked],
    [{ errcode: 5 | (2 << 8) }, locked],
    [{ errcode: 6 }, locked],
    [{ errcode: 8 }, readOnly],
    [{ errcode: 10 | (3 << 8) }, "the disk reports an error"],
    [{ errcode: 11 }, "the file is corrupt"],
    [{ errcode: 13 }, full],
    [{ errcode: 14 }, "the file cannot be opened"],
    [{ errcode: 26 }, "the file is not a SQLite database"],
    ...["EACCES", "EPERM", "EROFS"].map((code): [object, string] => [{ code }, readOnly]),
    ...["ENOSPC", "EDQUOT"].map((code): [object, string] => [{ code }, full]),
    ...["EEXIST", "ENOTDIR"].map((code): [object, string] => [{ code }, taken]),
    [{ code: "ERR_SQLITE_ERROR", errcode: 1 }, "as it was"],
    [{}, "as it was"],
  ];
  for (const [facts, message] of rows) {
    const cause = Object.assign(new Error("as it was"), facts);
    const error = toStoreError(cause);
    assert.ok(error instanceof StoreError);
    assert.deepEqual([error.message, error.cause, error.name], [message, cause, "StoreError"]);
    assert.equal(toStoreError(error), error);
    const { errcode } = facts as { errcode?: number };
    assert.equal(isCorruption(cause), errcode === 11 || errcode === 26);
    assert.equal(isCorruption(error), isCorruption(cause));
  }
  assert.equal(isCorruption(undefined), false);
  assert.equal(isCorruption(new StoreError("no cause")), false);
});

test("a file is made for its owner only, with its folder, and found behind a link", () => {
  const path = join(newPath(), "a", "b", "record.sqlite");
  assert.equal(makeFile(path), path);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  writeFileSync(path, "content");
  const link = newPath();
  symlinkSync(path, link);
  assert.equal(makeFile(link), path);
  assert.equal(readFileSync(path, "utf8"), "content");
  assert.equal(inodeOf(join(path, "..", "none")), undefined);
});

test("one opens a file at a time, and the next as soon as that is over, however it ended", () => {
  const path = newPath();
  const enter = () => run(`${path}.lock`, "BEGIN EXCLUSIVE");
  assert.equal(
    whileOpening(path, () => {
      assert.throws(enter, (error) => toStoreError(error).message === "the file is locked by another process");
      return "done";
    }),
    "done",
  );
  enter();
  const failed = () =>
    whileOpening(path, () => {
      throw new Error("failed");
    });
  assert.throws(failed, new Error("failed"));
  enter();
});

test("files in quarantine have the time in their names, and none takes another's", (t) => {
  const path = newPath();
  t.mock.method(Date.prototype, "toISOString", () => "2026-01-02T03:04:05.678Z");
  const names = ["", "-2", "-3"].map((end) => `${path}.corrupt-20260102T030405678Z${end}`);
  for (const name of names) {
    for (const suffix of ["", "-wal", "-shm"]) writeFileSync(path + suffix, `${name}${suffix}`);
    assert.equal(quarantine(path), name);
    for (const suffix of ["", "-wal", "-shm"]) assert.equal(readFileSync(name + suffix, "utf8"), `${name}${suffix}`);
  }
  writeFileSync(path, "alone");
  assert.ok(!existsSync(`${quarantine(path)}-wal`));
});

test("a new file is a record of the newest version, in WAL mode", () => {
  const { path, writer, logged } = openWriter();
  writer.write(batchOf([row("A")], [{ hour: 1, dimension: "name", value: "N\0", count: 2 }]));
  assert.deepEqual(
    ["application_id", "user_version", "journal_mode"].flatMap((name) =>
      Object.values(query(path, `PRAGMA ${name}`)[0] as object),
    ),
    [0x77686f43, 3, "wal"],
  );
  assert.deepEqual(readdirSync(join(path, "..")).sort(), [
    "record.sqlite",
    "record.sqlite-shm",
    "record.sqlite-wal",
    "record.sqlite.lock",
  ]);
  const indexes = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";
  assert.deepEqual(
    query(path, indexes).map((each) => ({ ...(each as object) })),
    [{ name: "strings_last_seen" }],
  );
  writer.close();
  assert.deepEqual(readdirSync(join(path, "..")).sort(), ["record.sqlite", "record.sqlite.lock"]);
  assert.deepEqual(logged, []);
});

test("files of other programs and schema versions are refused, told what to do about, and not written to", () => {
  const ours = `CREATE TABLE t (a); PRAGMA application_id = ${0x77686f43}`;
  const version = (number: number) => `has schema version ${number}, and this program uses version 3`;
  const rows: [sql: string, fault: string][] = [
    ["CREATE TABLE t (a)", "is a SQLite database of another program"],
    ["CREATE TABLE t (a); PRAGMA user_version = 3", "is a SQLite database of another program"],
    [ours, version(0)],
    [`${ours}; PRAGMA user_version = 2`, version(2)],
    [`${ours}; PRAGMA user_version = 4`, version(4)],
    ["PRAGMA user_version = 99", version(99)],
  ];
  for (const [sql, fault] of rows) {
    const path = newPath();
    run(path, sql);
    const bytes = readFileSync(path);
    const message = `record.sqlite ${fault}: move the file away, or set record to another file`;
    assert.throws(() => openWriter(path), new StoreError(message));
    assert.ok(readFileSync(path).equals(bytes));
  }
});

test("a batch is written whole or not at all, and what follows it is written", () => {
  const { path, writer } = openWriter();
  const bad = { ...row("B"), count: null as unknown as number };
  assert.throws(() => writer.write(batchOf([row("A"), bad, row("C")])), /NOT NULL/);
  writer.write(batchOf([row("D")]));
  // Nor is a failure of the batch one of the file.
  writer.open(false);
  const reader = new SqliteReader(path);
  assert.deepEqual(reader.page({}, 0, 10).rows, [row("D")]);
  reader.close();
  writer.close();
});

test("a file that is not open, or is gone or replaced, is not written to", () => {
  const { path, writer } = openWriter();
  writer.close();
  assert.throws(() => writer.write(batchOf([])), new StoreError("the file is not open"));
  for (const away of [() => rmSync(path), () => renameSync(path, `${path}.away`)]) {
    writer.open(false);
    writer.write(batchOf([row("A")]));
    away();
    assert.throws(() => writer.write(batchOf([])), new StoreError("the file was removed or replaced"));
    makeFile(path);
    assert.throws(() => writer.tidy({ ...keepTraffic, limit: 1 }), new StoreError("the file was removed or replaced"));
    for (const name of readdirSync(join(path, ".."))) rmSync(join(path, "..", name));
  }
  writer.open(false);
  writer.write(batchOf([row("B")]));
  writer.close();
});

test("a runtime without SQLite is told which ones have it", (t) => {
  t.mock.method(process, "getBuiltinModule", () => undefined);
  const message = "a SQLite record needs Bun 1.4 or Node from 22.13 on";
  assert.throws(() => new SqliteReader(makeFile(newPath())).total(), new StoreError(message));
});

test("a file that a reader found corrupt is kept aside once; one that was exchanged meanwhile is used", () => {
  const { path, writer, logged } = openWriter();
  writer.write(batchOf([row("A")]));
  writer.open(true);
  const kept = readdirSync(join(path, "..")).filter((name) => /corrupt-\w+$/.test(name));
  assert.equal(kept.length, 1);
  assert.deepEqual(logged, [
    `error: the record was corrupt; it is kept as ${join(path, "..", kept[0]!)} and a new one has begun`,
  ]);
  writer.write(batchOf([row("B")]));
  writer.open(false);
  const reader = new SqliteReader(path);
  assert.deepEqual(reader.page({}, 0, 10).rows, [row("B")]);
  reader.close();
  writer.close();
  assert.equal(logged.length, 1);
});

/** Rows that a test needs many of, each as old as its number is high. */
function fill(path: string, rows: number): void {
  run(
    path,
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
     INSERT INTO strings (digest, useragent, truncated, crawler, count, first_seen, last_seen)
     SELECT CAST(n AS BLOB), 'UA ' || n, 0, 0, 1, 1, ${rows} - n FROM numbers`,
  );
}

test("a page with a filter looks at five thousand strings, and ten thousand are counted", () => {
  const { path, writer } = openWriter();
  writer.close();
  fill(path, 10_000);
  const reader = new SqliteReader(path);
  const first = reader.page({ q: "ua 5000" }, 0, 250);
  assert.deepEqual(
    first.rows.map(({ useragent }) => useragent),
    ["UA 5000"],
  );
  const second = reader.page({ q: "ua 5000" }, first.next!, 250);
  // As many are left as it may look at, so there may be more.
  assert.deepEqual(second.rows, []);
  const third = reader.page({ q: "ua 5000" }, second.next!, 250);
  assert.deepEqual([third.rows, third.next], [[], undefined]);
  assert.deepEqual(reader.page({ q: "ua 5001" }, 0, 250).rows, []);
  // A page that is full ends before.
  const full = reader.page({ q: "ua 5" }, 0, 2);
  assert.deepEqual(
    [full, reader.page({ q: "ua 5" }, full.next!, 1)].flatMap(({ rows }) => rows.map(({ useragent }) => useragent)),
    ["UA 5", "UA 50", "UA 51"],
  );
  assert.equal(reader.count({ q: "ua 9999" }), 1);
  assert.equal(reader.total(), 10_000);
  run(
    path,
    "INSERT INTO strings (digest, useragent, truncated, crawler, count, first_seen, last_seen) VALUES (x'01', 'X', 0, 0, 1, 1, 1)",
  );
  assert.equal(reader.total(), 10_001);
  assert.equal(reader.count({}), 10_001);
  assert.equal(reader.count({ q: "ua 9999" }), undefined);
  rmSync(path);
  assert.throws(() => reader.total(), new StoreError("the file was removed"));
  const again = openWriter(path).writer;
  assert.equal(reader.total(), 0);
  reader.close();
  again.close();
});

test("a total that takes long to count is not counted again for a thousand times as long", async () => {
  const path = newPath();
  const store = createSqliteStore({ path });
  assert.equal(store.total?.(), undefined);
  await store.open();
  await store.write(batchOf([row("A")]));
  const { now } = performance;
  try {
    let time = 0;
    let tookMs = 50;
    performance.now = () => (time += tookMs);
    for (let round = 0; round < 2; round++) assert.equal(store.total?.(), 1);
    tookMs = 51;
    assert.equal(store.total?.(), 1);
    const counted = time;
    tookMs = 1;
    assert.equal(store.total?.(), undefined);
    time = counted + 50_900;
    assert.equal(store.total?.(), undefined);
    time = counted + 51_000;
    assert.equal(store.total?.(), 1);
  } finally {
    performance.now = now;
  }
  await store.close();
});

test("a thread answers failures by StoreErrors, tells of corrupt files, and starts again after its end", async () => {
  const path = newPath();
  let corrupt = 0;
  const log = () => assert.fail("nothing is to be said");
  const thread = createThread<SqliteReader>({ path, role: "reader", log, onCorrupt: () => void corrupt++ });
  await thread.close();
  const removed = new StoreError("the file was removed");
  await assert.rejects(thread.call("total"), removed);
  assert.equal(corrupt, 0);
  writeFileSync(path, "this is not a database\n".repeat(100));
  await assert.rejects(thread.call("total"), new StoreError("the file is not a SQLite database"));
  assert.equal(corrupt, 1);
  rmSync(path);
  const last = assert.rejects(thread.call("total"), removed);
  const closing = thread.close();
  const late = assert.rejects(thread.call("total"), new StoreError("the file is closed"));
  await Promise.all([last, late, closing]);
  await assert.rejects(thread.call("total"), removed);
  await thread.close();
});

test("a store that nobody closed holds its process open for its answers, and no longer", () => {
  const url = new URL("../../src/record/sqlite/sqlite-store.ts", import.meta.url).href;
  const program = `const { createSqliteStore } = await import(${JSON.stringify(url)});
    const store = createSqliteStore({ path: process.argv.at(-1) });
    Promise.all([store.open(), store.open(), store.open()]).then(() => store.count({})).then((count) => console.log(count));`;
  const file = join(newPath(), "..", "program.mjs");
  writeFileSync(file, program);
  const output = execFileSync(process.execPath, [file, newPath()], { encoding: "utf8", timeout: 30_000 });
  assert.equal(output, "0\n");
});

test("a connection waits for others as long as it is told to", () => {
  const path = newPath();
  const connection = new SqliteConnection(path, { readOnly: false, busyTimeoutMs: 7 });
  assert.equal(connection.number({ sql: "PRAGMA busy_timeout", values: [] }), 7);
  assert.equal(connection.number({ sql: "SELECT 1 WHERE false", values: [] }), 0);
  assert.equal(connection.prepare("SELECT 1"), connection.prepare("SELECT 1"));
  connection.close();
  const reading = new SqliteConnection(path, { readOnly: true, busyTimeoutMs: 0 });
  assert.throws(
    () => reading.db.exec("CREATE TABLE t (a)"),
    (error) => /read-only/.test(toStoreError(error).message),
  );
  reading.close();
});
