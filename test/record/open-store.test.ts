/** What an operator may write as the record's place, what is said of anything else, and which store stands there then. */
import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { createStore, parseRecordTarget, recordForms } from "../../src/record/open-store.ts";
import { batchOf, row } from "./store-suite.ts";
import { temporaryFolder } from "./temporary.ts";

const folder = temporaryFolder();
after(() => rmSync(folder, { recursive: true }));

const sqlite = (path: string) => ({ kind: "sqlite", place: path });
const asFile = (path: string): [string, object] => [path, sqlite(path)];
const postgres = (url: string) => ({ kind: "postgres", place: url });
const memory = { kind: "memory", place: "memory" } as const;
const understood: [string, object][] = [
  ...["off", "OFF", "false", "no", "0"].map((text): [string, object] => [text, { kind: "off" }]),
  ["memory:", memory],
  [":memory:", memory],
  ["sqlite:./r", sqlite("./r")],
  ["postgres://db/x", postgres("postgres://db/x")],
  ["postgresql://u:secret@db:5433/x?password=secret", postgres("postgresql://u:secret@db:5433/x?password=secret")],
  ...["record.sqlite", "/var/lib/a b/record.sqlite", "C:\\data\\record.sqlite"].map(asFile),
  ...["offline", "playoff", "once", "icon", "./on", "myhost=1", "./postgres://x", "./sqlite:x", "./a:b"].map(asFile),
];
test("places are understood", () => {
  for (const [text, target] of understood) assert.deepEqual(parseRecordTarget(text), target, text);
});

const unclear = `not clear: write ${recordForms}, such as ./record.sqlite`;
const notAddress = "not an address: write postgres://user@host/database";
const notPath = "not the path of a file";
const unsupported = (scheme: string) => `not a supported address ("${scheme}:"): write ${recordForms}`;
const refused: [string, string][] = [
  ...["on", "ON", "true", "yes", "1", "memory", "none", "sqlite"].map((text): [string, string] => [text, unclear]),
  ...["host=db", "x host=db", "dbname  = x", "user=u password=secret", "password =secret"].map(
    (text): [string, string] => [text, notAddress],
  ),
  ...["", "sqlite:", "folder/", "a\0b"].map((text): [string, string] => [text, notPath]),
  ["postgres://[db/x", "not a valid postgres:// address"],
  ["mysql://u:secret@db/x", unsupported("mysql")],
  ["Redis:x", unsupported("Redis")],
  ["h2+a.b-c:x", unsupported("h2+a.b-c")],
];
test("other texts are refused without repeating a password", () => {
  for (const [text, message] of refused) assert.throws(() => parseRecordTarget(text), new TypeError(message), text);
});

test("creating a store touches nothing yet", async () => {
  assert.equal(await createStore({ kind: "off" }), undefined);
  const path = join(folder, "missing", "record.sqlite");
  for (const target of [{ kind: "sqlite", place: path }, memory] as const) await (await createStore(target))?.close();
  const nowhere = await createStore({ kind: "postgres", place: "postgres://127.0.0.1:1/x" });
  await assert.rejects(nowhere!.open(), /ECONNREFUSED/);
  await nowhere!.close();
  assert.ok(!existsSync(join(path, "..")));
});

test("a store keeps what it is given where it was told to", async () => {
  const path = join(folder, "record.sqlite");
  for (const text of ["memory:", path]) {
    const store = await createStore(parseRecordTarget(text));
    await store!.open();
    await store!.write(batchOf([row("A")]));
    assert.deepEqual([await store!.count({}), existsSync(path)], [1, text === path]);
    await store!.close();
  }
});
