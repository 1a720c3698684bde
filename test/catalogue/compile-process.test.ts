/** The process that compiles: its end is reported as what it was. */
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { compileInProcess } from "../../src/catalogue/compile-process.ts";
import { openCatalogue } from "../../src/catalogue/open-catalogue.ts";
import { childrenOf } from "../server/children-of.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();
/** For this, everything is compiled, which takes seconds. */
const files = [join(folder, "own.yaml")];
writeFileSync(files[0]!, "remove: [curl]");
const cache = { temporary: join(folder, "temporary") };

describe("the process that compiles", { skip: process.platform !== "linux" && "not Linux" }, () => {
  it("is reported as killed if it was killed", async () => {
    const others = childrenOf(process.pid);
    const compiling = compileInProcess(files, join(folder, "killed"));
    for (const pid of childrenOf(process.pid).filter((pid) => !others.includes(pid))) process.kill(pid, "SIGKILL");
    await assert.rejects(compiling, {
      name: "CatalogueError",
      message: "The process that compiles the catalogue was killed by SIGKILL.",
    });
  });

  it("is killed when its result is not needed any more, and leaves no file", async () => {
    // Other files of the same process may have left a program that is about to end.
    const others = childrenOf(process.pid);
    const end = new AbortController();
    const compiling = openCatalogue(
      { files, cache },
      { signal: end.signal, onCompile: () => setImmediate(() => end.abort()) },
    );
    await assert.rejects(compiling, { name: "AbortError" });
    assert.deepEqual(
      childrenOf(process.pid).filter((pid) => !others.includes(pid)),
      [],
    );
    assert.deepEqual(readdirSync(cache.temporary), []);
  });

  it("says what is wrong, a problem a line", async () => {
    const wrong = join(folder, "wrong.yaml");
    writeFileSync(wrong, "crawler: []\nchang: []\n");
    await assert.rejects(compileInProcess([wrong], join(folder, "none")), ({ problems }: { problems?: string[] }) => {
      assert.deepEqual(
        problems?.map((problem) => problem.split(": ")[0]),
        [`${wrong}:1`, `${wrong}:2`],
      );
      return true;
    });
  });
});
