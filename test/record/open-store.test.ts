/** What an operator may write as the record's place, what is said of anything else, and which store stands there then. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createStore, parseRecordTarget, recordForms } from "../../src/record/open-store.ts";
import { rowsOf } from "../support/table.ts";
import { temporaryInMemory } from "../support/temporary.ts";
import { batchOf, row } from "./store-suite.ts";

const folder = temporaryInMemory();
const memory = { kind: "memory", place: "memory" } as const;

/** Texts, which are separated by two spaces, the kind of the store, and its place if the text is not. */
for (const [texts = "", kind, place] of rowsOf(`
  off  OFF  false  no  0 | off
  memory:  :memory: | memory | memory
  sqlite:./r | sqlite | ./r
  postgres://db/x  postgresql://u:secret@db:5433/x?password=secret | postgres
  record.sqlite  /var/lib/a b/record.sqlite  C:\\data\\record.sqlite  offline  playoff  once  icon | sqlite
  ./on  myhost=1  ./postgres://x  ./sqlite:x  ./a:b | sqlite
`))
  test(`a place is understood: ${texts}`, () => {
    for (const text of texts.split("  "))
      assert.deepEqual(parseRecordTarget(text), kind === "off" ? { kind } : { kind, place: place ?? text }, text);
  });

for (const [texts = "", message] of rowsOf(`
  on  ON  true  yes  1  memory  none  sqlite | ambiguous: write ${recordForms}, such as ./record.sqlite
  host=db  x host=db  dbname = x  user=u password=secret  password =secret | not an address: write postgres://user@host/database
  sqlite:  folder/  a\0b | not the path of a file
  postgres://[db/x | not a valid postgres:// address
  mysql://u:secret@db/x | not a supported address ("mysql:"): write ${recordForms}
  Redis:x | not a supported address ("Redis:"): write ${recordForms}
  h2+a.b-c:x | not a supported address ("h2+a.b-c:"): write ${recordForms}
`))
  test(`another text is refused without repeating a password: ${JSON.stringify(texts)}`, () => {
    for (const text of texts.split("  "))
      assert.throws(() => parseRecordTarget(text), new TypeError(`is ${message}`), text);
  });

test("creating a store touches nothing yet, and it keeps what it is given where it was told to", async () => {
  assert.throws(() => parseRecordTarget(""), new TypeError("is not the path of a file"));
  assert.equal(await createStore({ kind: "off" }), undefined);
  const missing = join(folder, "missing", "record.sqlite");
  for (const target of [{ kind: "sqlite", place: missing }, memory] as const)
    await (await createStore(target))?.close();
  const nowhere = await createStore({ kind: "postgres", place: "postgres://127.0.0.1:1/x" });
  await assert.rejects(nowhere!.open(), /ECONNREFUSED/);
  await nowhere!.close();
  assert.ok(!existsSync(join(missing, "..")));
  const path = join(folder, "record.sqlite");
  for (const text of ["memory:", path]) {
    const store = await createStore(parseRecordTarget(text));
    await store!.open();
    await store!.write(batchOf([row("A")]));
    assert.deepEqual([await store!.count({}), existsSync(path)], [1, text === path]);
    await store!.close();
  }
});
