/** A SQLite file does what every store does. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { createSqliteStore } from "../../src/record/sqlite/sqlite-store.ts";
import { testStore } from "./store-suite.ts";
import { temporaryFolder } from "./temporary.ts";

const folder = temporaryFolder();
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
testStore("sqlite", async () => {
  const path = join(folder, `${files++}`, "record.sqlite");
  const another = () => createSqliteStore({ path });
  return { store: another(), another };
});
