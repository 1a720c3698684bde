/**
 * A SQLite file, and a record in memory, do what every store does; how the file is made, checked and used by its thread. Faults are real
 * ones.
 */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { UserAgentRecord } from "../../src/record/record.ts";
import { SqliteDriver } from "../../src/record/sqlite-driver.ts";
import { createSqliteStore } from "../../src/record/sqlite-store.ts";
import { batchRows, type Store, StoreError } from "../../src/record/store.ts";
import { needs, noteMissing } from "../support/needs.ts";
import { temporaryInMemory } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { startRecording } from "./processes.ts";
import { batchOf, keepTraffic, listAll, row, testStore, useragents } from "./store-suite.ts";

const root = temporaryInMemory();
chmodSync(root, 0o755);
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
const emptyFolder = (folder: string) => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
};
const modesOf = (path: string) => ["", "-wal", "-shm"].map((suffix) => statSync(path + suffix).mode & 0o777);

testStore("memory", {}, async () => ({ store: createSqliteStore(":memory:") }));

testStore("sqlite", { faults: ["file locked", "folder's name taken"] }, async () => {
  const path = join(newPath(), "new", "record.sqlite");
  const another = () => createSqliteStore(path);
  return {
    store: another(),
    lasting: {
      address: path,
      another,
      remove: () => emptyFolder(dirname(path)),
      run(sql) {
        mkdirSync(dirname(path), { recursive: true });
        run(path, sql);
      },
      setVersion: (version) => run(path, `PRAGMA user_version = ${version}`),
      refusal: (version) =>
        `record.sqlite has tables of schema version ${version}, and this program uses version 4: ${version > 4 ? "start the newer version of whocrawls, or " : ""}move the file away, or set record to another file`,
      faults: {
        "file locked": {
          isOpen: true,
          reason: /^record\.sqlite: the file is locked by another process$/,
          async begin() {
            const db = new DatabaseSync(path);
            db.exec("BEGIN EXCLUSIVE");
            return () => db.close();
          },
        },
        "folder's name taken": {
          isOpen: false,
          reason: /^record\.sqlite: a file with the folder's name is in the way$/,
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

test("memory: at most 64 MiB are kept, and the longest unseen leave", async () => {
  const store = createSqliteStore(":memory:");
  await store.open();
  const name = (n: number) => `${String(n).padStart(8, "0")}${"x".repeat(2040)}`;
  for (let at = 0; at < 20_000; at += batchRows)
    await store.write(batchOf(Array.from({ length: batchRows }, (_, n) => row(name(at + n), { lastSeen: at + n }))));
  const kept = (await store.count({})) ?? 0;
  // A page of 4 KiB has one string of 2 KiB.
  assert.ok(kept * 2100 < 64 * 1024 * 1024 && kept * 4300 > 64 * 1024 * 1024, `${kept}`);
  const { rows } = await store.page({}, kept - 1, 10);
  assert.deepEqual(useragents(rows), [name(20_000 - kept)]);
  await store.close();
});

const garbage = randomBytes(20_000);

/** Fills a file, and overwrites half of each page but the first. */
async function makeCorrupt(path: string): Promise<void> {
  const store = createSqliteStore(path);
  await store.open();
  for (let at = 0; at < 8; at++)
    await store.write(batchOf(Array.from({ length: batchRows }, (_, n) => row(`UA ${at} ${n}`))));
  await store.close();
  const file = openSync(path, "r+");
  for (let at = 4096; at < statSync(path).size; at += 4096) writeSync(file, garbage, 0, 2048, at);
}

const advice = "move it away with its -wal and -shm files, and a new one will be created";
for (const [what, make, reason] of [
  ["random bytes", (path: string) => writeFileSync(path, garbage), `the file is not a SQLite database; ${advice}`],
  ["text", (path: string) => writeFileSync(path, "no database\n"), `the file is not a SQLite database; ${advice}`],
  ["corrupt pages", makeCorrupt, `the file is corrupt; ${advice}`],
] as const)
  test(`sqlite: a file of ${what} pauses the record by name until it is moved away, and is not changed`, async () => {
    const path = newPath();
    await make(path);
    const before = readFileSync(path);
    const logged: string[] = [];
    const record = new UserAgentRecord({
      store: createSqliteStore(path),
      clock: Date.now,
      flushIntervalMs: 20,
      readWaitMs: Infinity,
      log: (level, message) => void logged.push(`${level}: ${message}`),
    });
    record.note({ useragent: "A", crawler: false });
    await until(() => record.status().state === "paused");
    await until(async () => (await record.flush()) === false && record.status().lagMs > 500);
    assert.equal(record.status().reason, `record.sqlite: ${reason}`);
    await assert.rejects(record.count(), new StoreError(`record.sqlite: ${reason}`));
    assert.ok(readFileSync(path).equals(before));
    for (const name of readdirSync(dirname(path))) renameSync(join(dirname(path), name), join(root, `${what} ${name}`));
    await until(() => record.status().state === "recording");
    assert.deepEqual(useragents(await listAll(record)), ["A"]);
    assert.deepEqual(await record.close(), { lost: 0 });
    const paused = `error: recording is paused: record.sqlite: ${reason}`;
    assert.deepEqual(logged, [paused, "info: recording has resumed"]);
    assert.ok(readFileSync(join(root, `${what} record.sqlite`)).equals(before));
  });

test("sqlite: a file that becomes corrupt while it is open, found by reading, is not written to any more", async () => {
  const path = newPath();
  const good = newPath();
  await makeCorrupt(path);
  const store: Store = createSqliteStore(path);
  await store.open();
  const corrupt = new StoreError(`record.sqlite: the file is corrupt; ${advice}`);
  await assert.rejects(listAll(store), corrupt);
  for (let twice = 0; twice < 2; twice++) {
    await assert.rejects(store.write(batchOf([row("A")])), corrupt);
    await assert.rejects(store.open(), corrupt);
  }
  // A copy from a backup, in the place of the corrupt file.
  const backup = createSqliteStore(good);
  await backup.open();
  await backup.write(batchOf([row("Old")]));
  await backup.close();
  emptyFolder(dirname(path));
  copyFileSync(good, path);
  await store.open();
  await store.write(batchOf([row("A", { lastSeen: 2000 })]));
  assert.deepEqual(useragents(await listAll(store)), ["A", "Old"]);
  await store.close();
});

test("sqlite: a folder in place of the file is rejected, and its permissions stay", async () => {
  const path = newPath();
  mkdirSync(path, { mode: 0o755 });
  await assert.rejects(createSqliteStore(path).open(), new StoreError("record.sqlite: the file cannot be opened"));
  assert.equal(statSync(path).mode & 0o777, 0o755);
});

test("sqlite: a read-only folder pauses recording until it can be written", async () => {
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

test("sqlite: a full disk refuses batches until there is room, and loses and repeats nothing", {
  skip: needs("mount", "umount"),
}, async (t) => {
  const path = newPath();
  const folder = dirname(path);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "pipe" });
  } catch {
    return t.skip(noteMissing("permission to mount a small disk"));
  }
  try {
    const store = createSqliteStore(path);
    await store.open();
    let written = 0;
    const next = () => batchOf(Array.from({ length: 500 }, (_, n) => row(`UA ${written + n}`)));
    const writeUntilFull = async () => {
      for (; written < 50_000; written += 500) await store.write(next());
    };
    const full = new StoreError("record.sqlite: the disk is full");
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
  } finally {
    execFileSync("umount", [folder]);
  }
});

test("sqlite: failures are told in an operator's words", async (t) => {
  const reasons: Readonly<Record<string, readonly (number | string)[]>> = {
    "the file is locked by another process": [5, 5 | (2 << 8), 6],
    "the file or its folder is read-only": [8, "EACCES", "EPERM", "EROFS"],
    "the disk reports an error": [10 | (3 << 8)],
    "the disk is full": [13, "ENOSPC", "EDQUOT"],
    "the file cannot be opened": [14],
    "a file with the folder's name is in the way": ["EEXIST", "ENOTDIR"],
    "as it was": [1, "ERR_SQLITE_ERROR"],
  };
  const driver = new SqliteDriver(newPath());
  for (const [message, codes] of Object.entries(reasons))
    for (const code of codes) {
      const cause = Object.assign(new Error("as it was"), typeof code === "number" ? { errcode: code } : { code });
      t.mock.method(process, "getBuiltinModule", () => {
        throw cause;
      });
      await assert.rejects(driver.connect(), new StoreError(`record.sqlite: ${message}`, { cause }));
    }
  t.mock.method(process, "getBuiltinModule", () => undefined);
  await assert.rejects(driver.connect(), new StoreError("a SQLite record needs Bun 1.4 or Node 22.13 or later"));
});

test("sqlite: a new file behind a link, and a restored one that others can read, are their owner's alone", async () => {
  for (const isRestored of [false, true]) {
    const path = newPath();
    const link = newPath();
    symlinkSync(path, link);
    if (isRestored) writeFileSync(path, "", { mode: 0o644 });
    const store = createSqliteStore(link);
    await store.open();
    await store.write(batchOf([row("A")]));
    assert.deepEqual(modesOf(path), [0o600, 0o600, 0o600]);
    await store.close();
    // One file remains when its store is closed.
    assert.deepEqual(readdirSync(dirname(path)), ["record.sqlite"]);
  }
});

test("sqlite: files of other programs and schema versions are refused, and not written to", async () => {
  const ours = `PRAGMA application_id = ${0x77686f43}`;
  const other = "is a SQLite database of another program";
  const rows: [sql: string, fault: string][] = [
    ["CREATE TABLE t (a)", other],
    ["CREATE TABLE t (a); PRAGMA user_version = 4", other],
    ["PRAGMA user_version = 4", other],
    [
      `CREATE TABLE strings (a); ${ours}; PRAGMA user_version = 2; PRAGMA journal_mode = WAL`,
      "has tables of schema version 2, and this program uses version 4",
    ],
  ];
  for (const [sql, fault] of rows) {
    const path = newPath();
    run(path, sql);
    const bytes = readFileSync(path);
    const store = createSqliteStore(path);
    const message = `record.sqlite ${fault}: move the file away, or set record to another file`;
    await assert.rejects(store.open(), new StoreError(message));
    await store.close();
    assert.ok(readFileSync(path).equals(bytes));
  }
});

test("sqlite: a file that is not open, or is gone or replaced, is not written to", async () => {
  const path = newPath();
  const store = createSqliteStore(path);
  await assert.rejects(store.write(batchOf([])), new StoreError("record.sqlite is not open"));
  for (const away of [() => rmSync(path), () => renameSync(path, `${path}.away`)]) {
    await store.open();
    await store.write(batchOf([row("A")]));
    away();
    const gone = new StoreError("record.sqlite was removed or replaced");
    await assert.rejects(store.write(batchOf([])), gone);
    writeFileSync(path, "");
    await assert.rejects(store.tidy({ ...keepTraffic, limit: 1 }), gone);
    emptyFolder(dirname(path));
  }
  await store.close();
});

test("sqlite: a write waits for one read at most", async () => {
  const store = createSqliteStore(":memory:");
  await store.open();
  const ended: string[] = [];
  const reads = Array.from({ length: 10 }, () => store.count({}).then(() => ended.push("read")));
  await store.write(batchOf([row("A")])).then(() => ended.push("write"));
  assert.deepEqual(ended, ["read", "write"]);
  await Promise.all(reads);
  await store.close();
});

test("sqlite: calls of a store that is being closed are answered, and later ones start it again", async () => {
  const path = newPath();
  const store = createSqliteStore(path);
  await store.close();
  await store.open();
  const last = store.count({});
  const closing = store.close();
  const late = assert.rejects(store.count({}), StoreError);
  assert.equal(await last, 0);
  await Promise.all([late, closing]);
  await store.open();
  assert.equal(await store.count({}), 0);
  await store.close();
});

test("sqlite: a store that is not closed holds its process open for its answers, and no longer", async () => {
  const url = new URL("../../src/record/sqlite-store.ts", import.meta.url).href;
  const program = `const { createSqliteStore } = await import(${JSON.stringify(url)});
    const store = createSqliteStore(process.argv.at(-1));
    Promise.all([store.open(), store.open(), store.open()]).then(() => store.count({})).then((count) => console.log(count));`;
  const file = join(dirname(newPath()), "program.mjs");
  writeFileSync(file, program);
  assert.equal((await promisify(execFile)(process.execPath, [file, newPath()])).stdout, "0\n");
});
