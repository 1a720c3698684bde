/** What an operator may write as the record's place. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { createStore, parseRecordTarget } from "../../src/record/open-store.ts";

const rows: [string, object][] = [
  ["off", { kind: "off" }],
  ["memory:", { kind: "memory" }],
  ["record.sqlite", { kind: "sqlite", path: "record.sqlite" }],
  ["/var/lib/a b/record.sqlite", { kind: "sqlite", path: "/var/lib/a b/record.sqlite" }],
  ["C:\\data\\record.sqlite", { kind: "sqlite", path: "C:\\data\\record.sqlite" }],
  ["sqlite:./r", { kind: "sqlite", path: "./r" }],
  ["postgres://db/x", { kind: "postgres", url: "postgres://db/x" }],
  [
    "postgresql://u:secret@db:5433/x?password=secret",
    { kind: "postgres", url: "postgresql://u:secret@db:5433/x?password=secret" },
  ],
];
for (const [text, target] of rows)
  test(`${text} is understood`, () => assert.deepEqual(parseRecordTarget(text), target));

for (const text of ["", "sqlite:", "mysql://u:secret@db/x", "redis:x", "folder/", "a\0b", "postgres://[db/x"])
  test(`${JSON.stringify(text)} is refused without repeating a password`, () => {
    assert.throws(
      () => parseRecordTarget(text),
      (error) => error instanceof TypeError && !error.message.includes("secret"),
    );
  });

test("creating a store touches nothing yet", async () => {
  const log = () => assert.fail("nothing is to be said");
  assert.equal(await createStore({ kind: "off" }, log), undefined);
  const path = "/nonexistent/record.sqlite";
  for (const target of [
    { kind: "sqlite", path },
    { kind: "postgres", url: "postgres://nowhere.invalid/x" },
  ] as const)
    await (await createStore(target, log))?.close();
  assert.ok(!existsSync("/nonexistent"));
});
