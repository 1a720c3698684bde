/** What happens to a SQLite record when its process, its file or its disk fail: each fault is a real one. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { createRecord, type UserAgentRecord } from "../../src/record/record.ts";
import { createSqliteStore } from "../../src/record/sqlite/sqlite-store.ts";
import type { RecordedString } from "../../src/record/store.ts";
import { until } from "../support/until.ts";
import { notedASecondBefore, startRecording } from "./processes.ts";
import { batchOf, keepTraffic, listAll } from "./store-suite.ts";
import { temporaryFolder } from "./temporary.ts";

const root = temporaryFolder();
chmodSync(root, 0o755);
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const newFolder = () => {
  const folder = join(root, `${folders++}`);
  mkdirSync(folder);
  return folder;
};

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const check = (what: string, body: () => Promise<void>) => test(what, { timeout: 60_000 }, body);

function make(path: string) {
  const logged: string[] = [];
  const log = (level: string, message: string) => void logged.push(`${level}: ${message}`);
  const store = createSqliteStore({ path, log });
  return { record: createRecord({ store, clock: Date.now, flushIntervalMs: 50, log }), logged };
}

const note = (record: UserAgentRecord, from: number, to: number) => {
  for (let n = from; n < to; n++) record.note({ useragent: `UA ${n}`, crawler: false });
};

/** All of a record's strings by a store of its own, as another process would see them. */
async function contents(path: string): Promise<Map<string, RecordedString>> {
  const store = createSqliteStore({ path });
  await store.open();
  const rows = await listAll(store);
  await store.close();
  return new Map(rows.map((row) => [row.useragent, row]));
}

const quarantined = (folder: string) => readdirSync(folder).filter((name) => /\.corrupt-\w+$/.test(name));

check("after kill -9 at most the last second is missing, and nothing before it", async () => {
  const path = join(newFolder(), "record.sqlite");
  const recording = startRecording(path);
  await recording.until(({ status }) => (status?.written ?? 0) > 300);
  // More than the second that may be missing.
  await sleep(1200);
  await recording.end("SIGKILL");
  const found = await contents(path);
  const promised = notedASecondBefore(recording);
  assert.ok(found.size >= promised, `${found.size} of ${promised} noted a second before the end`);
  for (let n = 0; n < found.size; n++) assert.equal(found.get(`UA ${n}`)?.count, 1);
});

check("after SIGTERM nothing is missing", async () => {
  const path = join(newFolder(), "record.sqlite");
  const recording = startRecording(path);
  await recording.until(({ noted }) => noted > 200);
  await recording.end();
  const last = recording.reports.at(-1)!;
  assert.deepEqual(last.closed, { lost: 0 });
  assert.equal((await contents(path)).size, last.noted);
  assert.deepEqual(readdirSync(join(path, "..")).sort(), ["record.sqlite", "record.sqlite.lock"]);
});

check("several processes share one file, and their counts add up", async () => {
  const path = join(newFolder(), "new", "record.sqlite");
  const recordings = Array.from({ length: 3 }, () => startRecording(path, { most: 1500 }));
  const closed = await Promise.all(
    recordings.map((each) => each.until((report) => report.closed !== undefined, 20_000)),
  );
  for (const report of closed) assert.deepEqual(report.closed, { lost: 0 });
  const found = await contents(path);
  assert.equal(found.size, 1500);
  for (const row of found.values()) assert.equal(row.count, 3, row.useragent);
});

const brokenFiles: [string, (path: string) => void][] = [
  ["random bytes", (path) => writeFileSync(path, randomBytes(20_000))],
  ["text", (path) => writeFileSync(path, "this is not a database\n".repeat(100))],
  [
    "the head of a database and nothing after it",
    (path) => writeFileSync(path, Buffer.concat([readFileSync(path).subarray(0, 4096), randomBytes(8192)])),
  ],
];
for (const [what, breakIt] of brokenFiles)
  check(`a file of ${what} goes into quarantine, whole, and a new one begun`, async () => {
    const folder = newFolder();
    const path = join(folder, "record.sqlite");
    const before = make(path).record;
    note(before, 0, 10);
    await before.close();
    breakIt(path);
    const broken = readFileSync(path);
    const { record, logged } = make(path);
    note(record, 0, 5);
    await until(() => record.status().written === 5);
    assert.equal(await record.count(), 5);
    await record.close();
    const [kept, ...others] = quarantined(folder);
    assert.deepEqual([...others, ...readdirSync(folder).filter((name) => /sqlite-(?:wal|shm)$/.test(name))], []);
    assert.ok(readFileSync(join(folder, kept!)).equals(broken));
    assert.match(logged.join("\n"), /error: the record was corrupt; it is kept as .*record\.sqlite\.corrupt-/);
  });

check(
  "a file that becomes corrupt while it is open goes into quarantine, and what was noted goes to the new one",
  async () => {
    const folder = newFolder();
    const path = join(folder, "record.sqlite");
    const before = make(path).record;
    note(before, 0, 3000);
    await before.close();
    const { record } = make(path);
    await record.flush();
    const file = openSync(path, "r+");
    for (let at = 4096; at < readFileSync(path).length; at += 4096) writeSync(file, randomBytes(2048), 0, 2048, at);
    note(record, 1000, 1500);
    await until(() => record.status().written === 500);
    await record.close();
    assert.equal(quarantined(folder).length, 1);
    const found = await contents(path);
    assert.equal(found.size, 500);
  },
);

check("processes that find the same corrupt file put it into quarantine once", async () => {
  const folder = newFolder();
  const path = join(folder, "record.sqlite");
  const garbage = randomBytes(5000);
  writeFileSync(path, garbage);
  const recordings = Array.from({ length: 3 }, () => startRecording(path, { most: 300 }));
  await Promise.all(recordings.map((each) => each.until((report) => report.closed !== undefined)));
  const kept = quarantined(folder);
  assert.equal(kept.length, 1);
  assert.ok(readFileSync(join(folder, kept[0]!)).equals(garbage));
  const found = await contents(path);
  assert.equal(found.size, 300);
  for (const row of found.values()) assert.equal(row.count, 3);
});

check("a database of another program, and of a newer version, is left alone", async () => {
  const sqlite = process.getBuiltinModule("node:sqlite");
  const rows: [string, string, RegExp][] = [
    ["other.sqlite", "CREATE TABLE t (a); INSERT INTO t VALUES (1)", /another program/],
    ["newer.sqlite", "PRAGMA application_id = 0x77686f43; PRAGMA user_version = 99; CREATE TABLE t (a)", /version 99/],
  ];
  for (const [name, sql, reason] of rows) {
    const folder = newFolder();
    const path = join(folder, name);
    const db = new sqlite.DatabaseSync(path);
    db.exec(sql);
    db.close();
    const bytes = readFileSync(path);
    const { record } = make(path);
    note(record, 0, 5);
    await until(() => record.status().state === "paused");
    assert.match(record.status().reason ?? "", reason);
    await record.close(10);
    assert.ok(readFileSync(path).equals(bytes));
    assert.deepEqual(quarantined(folder), []);
  }
});

/** Starts a process that holds a SQLite file locked until it is ended. */
async function startHolder(path: string): Promise<ChildProcess> {
  const program = `const db = globalThis.held = new (process.getBuiltinModule("node:sqlite").DatabaseSync)(process.argv.at(-1));
    db.exec("BEGIN EXCLUSIVE"); console.log("locked"); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ["-e", program, path], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  return holder;
}

check("a file that another process holds locked pauses recording until it lets go", async () => {
  const path = join(newFolder(), "record.sqlite");
  const { record } = make(path);
  note(record, 0, 10);
  await record.flush();
  const holder = await startHolder(path);
  note(record, 10, 20);
  await until(() => record.status().state === "paused");
  assert.equal(record.status().reason, "the file is locked by another process");
  assert.equal(record.status().queued, 10);
  holder.kill("SIGKILL");
  await until(() => record.status().queued === 0 && record.status().state === "recording");
  await record.close();
  assert.equal((await contents(path)).size, 20);
});

check("a file that is deleted while it is open is begun anew", async () => {
  const folder = newFolder();
  const path = join(folder, "record.sqlite");
  const { record } = make(path);
  note(record, 0, 10);
  await record.flush();
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  note(record, 10, 20);
  await until(() => record.status().written === 20);
  await record.close();
  assert.deepEqual([...(await contents(path)).keys()].sort()[0], "UA 10");
});

check("neither a list nor a count answers from a file that was removed", async () => {
  const path = join(newFolder(), "record.sqlite");
  const store = createSqliteStore({ path });
  await store.open();
  await store.write(batchOf([{ useragent: "UA", crawler: false, count: 1, firstSeen: 1, lastSeen: 1 }]));
  const reads = [
    () => store.count({}),
    () => store.count({ q: "u" }),
    () => store.page({}, 0, 1),
    () => store.page({ q: "u" }, 0, 1),
  ];
  for (const read of reads) await read();
  rmSync(path);
  for (const read of reads) await assert.rejects(read(), /the file was removed/);
  await assert.rejects(store.tidy({ ...keepTraffic, limit: 1 }), /the file was removed/);
  await store.open();
  assert.equal(await store.count({ q: "u" }), 0);
  await store.close();
});

check(
  "a corrupt file behind a link goes into quarantine in its own folder, with its -wal, readable by its owner only",
  async () => {
    const folder = newFolder();
    const path = join(folder, "record.sqlite");
    const link = join(newFolder(), "link.sqlite");
    symlinkSync(path, link);
    const before = make(link).record;
    note(before, 0, 10);
    await before.flush();
    const modes = (names: readonly string[]) =>
      names.map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
    assert.deepEqual(modes(["record.sqlite", "record.sqlite-wal", "record.sqlite-shm"]), ["600", "600", "600"]);
    await before.close();
    const garbage = randomBytes(20_000);
    for (const suffix of ["", "-wal"]) writeFileSync(path + suffix, garbage);
    const { record } = make(link);
    note(record, 0, 5);
    await until(() => record.status().written === 5);
    await record.close();
    assert.equal(readlinkSync(link), path);
    assert.deepEqual(readdirSync(join(link, "..")), ["link.sqlite"]);
    const [kept] = quarantined(folder);
    for (const suffix of ["", "-wal"]) assert.ok(readFileSync(join(folder, kept + suffix)).equals(garbage), suffix);
    assert.deepEqual(modes(["record.sqlite"]), ["600"]);
    assert.equal((await contents(path)).size, 5);
  },
);

check("a folder whose name is taken pauses recording until it is free", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "data"), "a file");
  const { record } = make(join(folder, "data", "record.sqlite"));
  note(record, 0, 10);
  await until(() => record.status().state === "paused");
  assert.equal(record.status().reason, "the folder's name is taken by a file");
  rmSync(join(folder, "data"));
  await until(() => record.status().written === 10);
  await record.close();
});

check("a read-only folder pauses recording until it can be written", async () => {
  const folder = newFolder();
  // Root may write anywhere, so a process without its rights does the recording.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
  chmodSync(folder, 0o555);
  const recording = startRecording(join(folder, "record.sqlite"), { user });
  const { status } = await recording.until((report) => report.status?.state === "paused");
  assert.equal(status?.reason, "the file or its folder is read-only");
  chmodSync(folder, 0o777);
  await recording.until((report) => (report.status?.written ?? 0) > 0);
  await recording.end();
  assert.equal((await contents(join(folder, "record.sqlite"))).size, recording.reports.at(-1)?.noted);
});

test("a full disk pauses recording until there is room", { timeout: 60_000 }, async (t) => {
  const folder = newFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "pipe" });
  } catch {
    return t.skip("mounting a small disk is not permitted here");
  }
  const path = join(folder, "record.sqlite");
  try {
    const { record, logged } = make(path);
    note(record, 0, 100);
    await record.flush();
    writeFileSync(join(folder, "ballast"), Buffer.alloc(700_000));
    // Until it is full, and then some.
    let noted = 100;
    while (record.status().state === "recording") {
      note(record, noted, noted + 500);
      noted += 500;
      await record.flush();
      assert.ok(noted < 50_000);
    }
    assert.equal(record.status().reason, "the disk is full");
    note(record, 0, 100);
    await sleep(300);
    assert.equal(record.status().state, "paused");
    rmSync(join(folder, "ballast"));
    execFileSync("mount", ["-o", "remount,size=64m", folder]);
    await until(() => record.status().queued === 0 && record.status().state === "recording");
    assert.deepEqual(logged, ["error: recording is paused: the disk is full", "info: recording goes on"]);
    await record.close();
    const found = await contents(path);
    assert.equal(found.size, noted);
    assert.equal(found.get("UA 0")?.count, 2);
    assert.deepEqual(quarantined(folder), []);
  } finally {
    execFileSync("umount", [folder]);
  }
});

check("a process that has opened the file locks it until it ends, for any time of its lock", async () => {
  const path = join(newFolder(), "record.sqlite");
  const holder = await startHolder(`${path}.lock`);
  execFileSync("touch", ["-d", "1 hour", `${path}.lock`]);
  const { record } = make(path);
  note(record, 0, 1);
  await until(() => record.status().state === "paused");
  assert.equal(record.status().reason, "the file is locked by another process");
  holder.kill("SIGKILL");
  await until(() => record.status().written === 1);
  await record.close();
});

check("a copy of the file taken from a killed process opens", async () => {
  const folder = newFolder();
  const path = join(folder, "record.sqlite");
  const recording = startRecording(path);
  await recording.until(({ status }) => (status?.written ?? 0) > 100);
  await recording.end("SIGKILL");
  for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, join(folder, `copy.sqlite${suffix}`));
  assert.ok((await contents(join(folder, "copy.sqlite"))).size > 100);
});
