/** A SQLite file does what every store does; how it is made, kept aside when corrupt, and used by its threads. Faults are real ones. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { isCorruption, SqliteConnection, toStoreError } from "../../src/record/sqlite/sqlite-connection.ts";
import { makeFile, quarantine } from "../../src/record/sqlite/sqlite-file.ts";
import { SqliteReader } from "../../src/record/sqlite/sqlite-reader.ts";
import { createSqliteStore } from "../../src/record/sqlite/sqlite-store.ts";
import { createThread } from "../../src/record/sqlite/sqlite-thread.ts";
import { SqliteWriter } from "../../src/record/sqlite/sqlite-writer.ts";
import { type Store, StoreError } from "../../src/record/store.ts";
import { startRecording } from "./processes.ts";
import { batchOf, keepTraffic, listAll, row, testStore } from "./store-suite.ts";
import { temporaryFolder } from "./temporary.ts";

const root = realpathSync(temporaryFolder());
chmodSync(root, 0o755);
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const newPath = () => {
  const folder = join(root, `${folders++}`);
  mkdirSync(folder);
  return join(folder, "record.sqlite");
};
const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
function run(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}
/** Holds the file locked until the returned function is called. */
function lock(path: string): () => void {
  const db = new DatabaseSync(path);
  db.exec("BEGIN EXCLUSIVE");
  return () => db.close();
}
const emptyFolder = (folder: string) => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
};
const namesIn = (path: string) => readdirSync(dirname(path)).sort();
const quarantined = (path: string) => namesIn(path).filter((name) => /\.corrupt-\w+$/.test(name));

testStore("sqlite", ["file locked", "opening locked", "folder's name taken"], async () => {
  const path = join(newPath(), "new", "record.sqlite");
  const another = () => createSqliteStore({ path });
  const locked = /^the file is locked by another process$/;
  return {
    store: another(),
    scannedRows: 5000,
    lasting: {
      address: path,
      another,
      remove: () => emptyFolder(dirname(path)),
      setVersion: (version) => run(path, `PRAGMA user_version = ${version}`),
      refusal: (version) =>
        `record.sqlite has schema version ${version}, and this program uses version 3: move the file away, or set record to another file`,
      faults: {
        "file locked": { isOpen: true, reason: locked, begin: async () => lock(path) },
        "opening locked": {
          isOpen: false,
          reason: locked,
          async begin() {
            mkdirSync(dirname(path), { recursive: true });
            return lock(`${path}.lock`);
          },
        },
        "folder's name taken": {
          isOpen: false,
          reason: /^the folder's name is taken by a file$/,
          async begin() {
            mkdirSync(dirname(dirname(path)));
            writeFileSync(dirname(path), "a file");
            return () => rmSync(dirname(path));
          },
        },
      },
    },
  };
});

/** Opens a store of its own where a corrupt file is to be, and what it logs. */
function openLogged(path: string) {
  const logged: string[] = [];
  return {
    store: createSqliteStore({ path, log: (level, message) => void logged.push(`${level}: ${message}`) }),
    logged,
  };
}
/** The log of a file that was found corrupt and kept whole. */
function assertKept(path: string, logged: readonly string[], contents: Readonly<Record<string, Buffer>>): void {
  const [kept, ...others] = quarantined(path);
  const name = join(dirname(path), kept!);
  assert.deepEqual(others, []);
  assert.deepEqual(logged, [`error: the record was corrupt; it is kept as ${name} and a new one has begun`]);
  for (const [suffix, content] of Object.entries(contents)) assert.ok(readFileSync(name + suffix).equals(content));
}

const garbage = randomBytes(20_000);
for (const [what, broken] of Object.entries({
  "random bytes": garbage,
  text: Buffer.from("no database\n".repeat(100)),
}))
  test(`sqlite: a file of ${what} behind a link is kept aside once, with its -wal, and a new one begun`, async () => {
    const path = newPath();
    const link = newPath();
    symlinkSync(path, link);
    for (const suffix of ["", "-wal"]) writeFileSync(path + suffix, broken);
    const opened = [openLogged(link), openLogged(link)] as const;
    await Promise.all(opened.map(({ store }) => store.open()));
    await opened[0].store.write(batchOf([row("A")]));
    assert.deepEqual(await listAll(opened[1].store), [row("A")]);
    const modes = ["", "-wal", "-shm"].map((suffix) => statSync(path + suffix).mode & 0o777);
    assert.deepEqual(modes, [0o600, 0o600, 0o600]);
    await Promise.all(opened.map(({ store }) => store.close()));
    assertKept(
      path,
      opened.flatMap(({ logged }) => logged),
      { "": broken, "-wal": broken },
    );
    assert.deepEqual([readlinkSync(link), namesIn(link)], [path, ["record.sqlite"]]);
  });

for (const [how, find] of Object.entries({
  reading: (store: Store) => listAll(store),
  writing: (store: Store) => store.write(batchOf(Array.from({ length: 500 }, (_, n) => row(`UA ${n}`)))),
}))
  test(`sqlite: a file that becomes corrupt while it is open, found by ${how}, is kept aside and a new one begun`, async () => {
    const path = newPath();
    const first = createSqliteStore({ path });
    await first.open();
    await first.write(batchOf(Array.from({ length: 2000 }, (_, n) => row(`UA ${n}`))));
    await first.close();
    const { store, logged } = openLogged(path);
    await store.open();
    const file = openSync(path, "r+");
    for (let at = 4096; at < statSync(path).size; at += 4096) writeSync(file, garbage, 0, 2048, at);
    const broken = readFileSync(path);
    await assert.rejects(find(store), new StoreError("the file is corrupt"));
    await store.open();
    await store.write(batchOf([row("A")]));
    assert.deepEqual(await listAll(store), [row("A")]);
    await store.open();
    await store.close();
    assertKept(path, logged, { "": broken });
  });

test("sqlite: a read-only folder pauses recording until it can be written", { timeout: 60_000 }, async () => {
  const path = newPath();
  // Root may write anywhere, so a process without its rights does the recording.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
  chmodSync(dirname(path), 0o555);
  const recording = startRecording(path, { user });
  const { status } = await recording.until((report) => report.status?.state === "paused");
  assert.match(status?.reason ?? "", /read-only/);
  chmodSync(dirname(path), 0o777);
  await recording.until((report) => (report.status?.written ?? 0) > 0);
  await recording.end("SIGKILL");
});

test("sqlite: a full disk refuses batches until there is room, and loses and repeats nothing", async (t) => {
  const path = newPath();
  const folder = dirname(path);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "pipe" });
  } catch {
    return t.skip("mounting a small disk is not permitted here");
  }
  try {
    const { store, logged } = openLogged(path);
    await store.open();
    let written = 0;
    const next = () => batchOf(Array.from({ length: 500 }, (_, n) => row(`UA ${written + n}`)));
    const writeUntilFull = async () => {
      for (; written < 50_000; written += 500) await store.write(next());
    };
    const full = new StoreError("the disk is full");
    await assert.rejects(writeUntilFull(), full);
    const batch = next();
    await assert.rejects(
      store.open().then(() => store.write(batch)),
      full,
    );
    execFileSync("mount", ["-o", "remount,size=64m", folder]);
    await store.open();
    await store.write(batch);
    const rows = await listAll(store);
    assert.equal(rows.length, written + 500);
    assert.ok(rows.every(({ count }) => count === 1));
    await store.close();
    assert.deepEqual([logged, quarantined(path)], [[], []]);
  } finally {
    execFileSync("umount", [folder]);
  }
});

test("sqlite: failures are told in an operator's words", () => {
  const reasons: Readonly<Record<string, readonly (number | string)[]>> = {
    "the file is locked by another process": [5, 5 | (2 << 8), 6],
    "the file or its folder is read-only": [8, "EACCES", "EPERM", "EROFS"],
    "the disk reports an error": [10 | (3 << 8)],
    "the file is corrupt": [11],
    "the disk is full": [13, "ENOSPC", "EDQUOT"],
    "the file cannot be opened": [14],
    "the file is not a SQLite database": [26],
    "the folder's name is taken by a file": ["EEXIST", "ENOTDIR"],
    "as it was": [1, "ERR_SQLITE_ERROR"],
  };
  for (const [message, codes] of Object.entries(reasons))
    for (const code of codes) {
      const cause = Object.assign(new Error("as it was"), typeof code === "number" ? { errcode: code } : { code });
      const error = toStoreError(cause);
      assert.deepEqual([error.name, error.message, error.cause], ["StoreError", message, cause]);
      assert.equal(toStoreError(error), error);
      for (const each of [cause, error]) assert.equal(isCorruption(each), code === 11 || code === 26);
    }
  for (const other of [undefined, new StoreError("no cause")]) assert.equal(isCorruption(other), false);
});

test("sqlite: files in quarantine have the time in their names, and none takes another's", (t) => {
  const path = newPath();
  t.mock.method(Date.prototype, "toISOString", () => "2026-01-02T03:04:05.678Z");
  for (const end of ["", "-2", "-3"]) {
    const name = `${path}.corrupt-20260102T030405678Z${end}`;
    for (const suffix of ["", "-wal", "-shm"]) writeFileSync(path + suffix, `${name}${suffix}`);
    assert.equal(quarantine(path), name);
    for (const suffix of ["", "-wal", "-shm"]) assert.equal(readFileSync(name + suffix, "utf8"), `${name}${suffix}`);
  }
  writeFileSync(path, "alone");
  assert.ok(!existsSync(`${quarantine(path)}-wal`));
});

function openWriter(path = newPath()) {
  const writer = new SqliteWriter(path, (_, message) => assert.fail(message));
  writer.open(false);
  return { path, writer };
}

test("sqlite: a restored file that others can read is its owner's alone again", async () => {
  const path = newPath();
  writeFileSync(path, "", { mode: 0o644 });
  const { store } = openLogged(path);
  await store.open();
  await store.write(batchOf([row("A")]));
  assert.deepEqual(
    ["", "-wal", "-shm"].map((suffix) => statSync(path + suffix).mode & 0o777),
    [0o600, 0o600, 0o600],
  );
  await store.close();
});

test("sqlite: a new file is a record of this version in WAL mode, and one file when its store is closed", async () => {
  const path = newPath();
  const store = createSqliteStore({ path });
  await store.open();
  const connection = new SqliteConnection(path, { readOnly: true, busyTimeoutMs: 7 });
  const numberOf = (sql: string) => connection.number({ sql, values: [] });
  assert.equal(numberOf("PRAGMA application_id"), 0x77686f43);
  assert.equal(numberOf("PRAGMA user_version"), 3);
  assert.equal(numberOf("PRAGMA busy_timeout"), 7);
  assert.equal(numberOf("SELECT count(*) FROM sqlite_schema WHERE name = 'strings_last_seen'"), 1);
  const remove = () => connection.db.exec("DELETE FROM strings");
  assert.throws(remove, (error) => toStoreError(error).message === "the file or its folder is read-only");
  connection.close();
  assert.deepEqual([await store.count({}), store.total?.()], [0, 0]);
  assert.deepEqual(namesIn(path), ["record.sqlite", "record.sqlite-shm", "record.sqlite-wal", "record.sqlite.lock"]);
  await store.close();
  assert.deepEqual(namesIn(path), ["record.sqlite", "record.sqlite.lock"]);
});

test("sqlite: files of other programs and schema versions are refused, and not written to", () => {
  const ours = `CREATE TABLE t (a); PRAGMA application_id = ${0x77686f43}`;
  const other = "is a SQLite database of another program";
  const version = (number: number) => `has schema version ${number}, and this program uses version 3`;
  const rows: [sql: string, fault: string][] = [
    ["CREATE TABLE t (a)", other],
    ["CREATE TABLE t (a); PRAGMA user_version = 3", other],
    [ours, version(0)],
    ["PRAGMA user_version = 99", version(99)],
  ];
  for (const [sql, fault] of rows) {
    const path = newPath();
    run(path, sql);
    const bytes = readFileSync(path);
    const message = `record.sqlite ${fault}: move the file away, or set record to another file`;
    assert.throws(() => openWriter(path), new StoreError(message));
    assert.ok(readFileSync(path).equals(bytes));
    assert.deepEqual(quarantined(path), []);
  }
});

test("sqlite: a file that is not open, or is gone or replaced, is not written to", () => {
  const { path, writer } = openWriter();
  writer.close();
  assert.throws(() => writer.write(batchOf([])), new StoreError("the file is not open"));
  for (const away of [() => rmSync(path), () => renameSync(path, `${path}.away`)]) {
    writer.open(false);
    writer.write(batchOf([row("A")]));
    away();
    const gone = new StoreError("the file was removed or replaced");
    assert.throws(() => writer.write(batchOf([])), gone);
    makeFile(path);
    assert.throws(() => writer.tidy({ ...keepTraffic, limit: 1 }), gone);
    emptyFolder(dirname(path));
  }
});

test("sqlite: a runtime without SQLite is told which ones have it", (t) => {
  t.mock.method(process, "getBuiltinModule", () => undefined);
  const message = "a SQLite record needs Bun 1.4 or Node from 22.13 on";
  assert.throws(() => new SqliteReader(makeFile(newPath())).total(), new StoreError(message));
});

test("sqlite: a total that takes long to count is not counted again for a thousand times as long", async () => {
  const store = createSqliteStore({ path: newPath() });
  assert.equal(store.total?.(), undefined);
  await store.open();
  const { now } = performance;
  try {
    let time = 0;
    let tookMs = 50;
    performance.now = () => (time += tookMs);
    for (let round = 0; round < 2; round++) assert.equal(store.total?.(), 0);
    tookMs = 51;
    assert.equal(store.total?.(), 0);
    const counted = time;
    tookMs = 1;
    for (const [ms, total] of [
      [1, undefined],
      [50_900, undefined],
      [51_000, 0],
    ] as const) {
      time = counted + ms;
      assert.equal(store.total?.(), total);
    }
  } finally {
    performance.now = now;
  }
  await store.close();
});

test("sqlite: a thread answers failures by StoreErrors, tells of corrupt files, and starts again after its end", async () => {
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

test("sqlite: a store that is not closed holds its process open for its answers, and no longer", () => {
  const url = new URL("../../src/record/sqlite/sqlite-store.ts", import.meta.url).href;
  const program = `const { createSqliteStore } = await import(${JSON.stringify(url)});
    const store = createSqliteStore({ path: process.argv.at(-1) });
    Promise.all([store.open(), store.open(), store.open()]).then(() => store.count({})).then((count) => console.log(count));`;
  const file = join(dirname(newPath()), "program.mjs");
  writeFileSync(file, program);
  const output = execFileSync(process.execPath, [file, newPath()], { encoding: "utf8", timeout: 30_000 });
  assert.equal(output, "0\n");
});
