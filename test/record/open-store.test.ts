/** What an operator may write as the record's place. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createStore, describeTarget, parseRecordTarget } from "../../src/record/open-store.ts";

const rows: [string, object, string][] = [
  ["off", { kind: "off" }, "off"],
  ["memory:", { kind: "memory" }, "memory:"],
  ["record.sqlite", { kind: "sqlite", path: "record.sqlite" }, "record.sqlite"],
  ["/var/lib/a b/record.sqlite", { kind: "sqlite", path: "/var/lib/a b/record.sqlite" }, "/var/lib/a b/record.sqlite"],
  ["C:\\data\\record.sqlite", { kind: "sqlite", path: "C:\\data\\record.sqlite" }, "C:\\data\\record.sqlite"],
  ["sqlite:./r", { kind: "sqlite", path: "./r" }, "./r"],
  ["postgres://db/x", { kind: "postgres", url: "postgres://db/x" }, "postgres://db/x"],
  [
    "postgresql://u:secret@db:5433/x?password=secret",
    { kind: "postgres", url: "postgresql://u:secret@db:5433/x?password=secret" },
    "postgres://db:5433/x",
  ],
];
for (const [text, target, description] of rows)
  test(`${text} is understood`, () => {
    const parsed = parseRecordTarget(text);
    assert.deepEqual(parsed, target);
    assert.equal(describeTarget(parsed), description);
  });

for (const text of ["", "sqlite:", "mysql://u:secret@db/x", "redis:x", "folder/", "a\0b", "postgres://[db/x"])
  test(`${JSON.stringify(text)} is refused without repeating a password`, () => {
    assert.throws(
      () => parseRecordTarget(text),
      (error) => error instanceof TypeError && !error.message.includes("secret"),
    );
  });

test("creating a store touches nothing yet", async () => {
  assert.equal(await createStore({ kind: "off" }), undefined);
  assert.equal((await createStore({ kind: "memory" }))?.kind, "memory");
  assert.equal((await createStore({ kind: "sqlite", path: "/nonexistent/record.sqlite" }))?.kind, "sqlite");
  assert.equal((await createStore({ kind: "postgres", url: "postgres://nowhere.invalid/x" }))?.kind, "postgres");
});
