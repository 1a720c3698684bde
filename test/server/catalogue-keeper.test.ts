/** What a running service does about changed files of its catalogue, in every order of events. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { stateOf, watchFiles } from "../../src/catalogue/watch-files.ts";
import { createCatalogueKeeper } from "../../src/server/catalogue/catalogue-keeper.ts";
import type { CatalogueChange, Opened } from "../../src/server/catalogue/sent-catalogue.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-keeper-"));
after(() => rmSync(folder, { recursive: true }));

const opened = (version: string): Opened => ({ catalogue: { version, entries: 1, bytes: version }, warnings: [] });

/** A keeper of one file; what opens it answers when it is told to. */
function create() {
  const openings: { answer: (opened: Opened) => void; fail: (error: Error) => void; signal: AbortSignal }[] = [];
  const changes: CatalogueChange[] = [];
  const said: string[] = [];
  const keeper = createCatalogueKeeper({
    files: [join(folder, "missing.yaml")],
    state: "",
    current: opened("1").catalogue,
    open: (_, signal) => new Promise((answer, fail) => openings.push({ answer, fail, signal })),
    use: (change) => changes.push(change),
    log: { message: (level, text) => said.push(`${level}: ${text}`) },
  });
  /** The next opening, as soon as it has begun. */
  const next = async () => {
    while (openings.length === 0) await new Promise((resolve) => setImmediate(resolve));
    return openings.shift()!;
  };
  return { keeper, openings, changes, said, next };
}

describe("a keeper", () => {
  it("opens one after the other, and once more for orders that came meanwhile", async () => {
    const { keeper, openings, changes, next } = create();
    const first = keeper.reload();
    const opening = await next();
    const others = [keeper.reload(), keeper.reload(), keeper.reload()];
    assert.equal(openings.length, 0);
    opening.answer(opened("2"));
    (await next()).answer(opened("3"));
    await Promise.all([first, ...others]);
    assert.equal(openings.length, 0);
    assert.deepEqual(
      changes.map(({ catalogue }) => catalogue?.version),
      ["2", "3"],
    );
    assert.deepEqual([keeper.current?.version, keeper.figures.loaded], ["3", 2]);
  });

  it("keeps the catalogue when one cannot be opened, and says so until one can", async () => {
    const { keeper, changes, said, next } = create();
    let reload = keeper.reload();
    (await next()).fail(new Error("own.yaml:4: no category\nown.yaml:9: no name"));
    await reload;
    const warning =
      "the catalogue could not be loaded, the one before it is used: own.yaml:4: no category; own.yaml:9: no name";
    assert.deepEqual([changes, keeper.warnings, said], [[{ warnings: [warning] }], [warning], [`error: ${warning}`]]);
    const { failed, isFailing } = keeper.figures;
    assert.deepEqual([keeper.current?.version, failed, isFailing], ["1", 1, true]);
    reload = keeper.reload();
    (await next()).answer({ ...opened("1"), warnings: ["own.yaml:2: a rule still matches curl"] });
    await reload;
    // It is the one that is in use.
    assert.deepEqual([changes[1], keeper.warnings, keeper.figures.isFailing], [{ warnings: [] }, [], false]);
    assert.deepEqual(said.slice(1), [
      "warn: own.yaml:2: a rule still matches curl",
      "info: the catalogue was loaded again; it has not changed",
    ]);
  });

  it("opens other files, and returns to the catalogue of the package without any", async () => {
    const { keeper, changes, next } = create();
    const reload = keeper.reload([]);
    (await next()).answer({ catalogue: null, warnings: [] });
    await reload;
    assert.deepEqual(changes, [{ catalogue: null, warnings: [] }]);
    assert.equal(keeper.reload(), undefined);
  });

  it("ends what is being opened, and uses it no more, when it stops", async () => {
    const { keeper, changes, next } = create();
    const reload = keeper.reload();
    const opening = await next();
    keeper.stop();
    assert.ok(opening.signal.aborted);
    opening.answer(opened("2"));
    await reload;
    assert.deepEqual([changes, keeper.current?.version], [[], "1"]);
  });
});

describe("a watch", () => {
  /** Looks twice after each change of a file; tells how often that was reported. */
  async function watch(files: readonly string[], changes: readonly (() => void)[]): Promise<number[]> {
    let known = await stateOf(files);
    let reported = 0;
    const { look, stop } = watchFiles(
      () => files,
      () => known,
      () => reported++,
    );
    stop();
    const counts: number[] = [];
    for (const change of changes) {
      reported = 0;
      change();
      await look();
      counts.push(reported);
      await look();
      counts.push(reported);
      known = await stateOf(files);
    }
    return counts;
  }

  it("reports a file that is written, replaced, missing, back, or reached by another link, at the second look", async () => {
    const file = join(folder, "own.yaml");
    const mounted = join(folder, "mounted.yaml");
    for (const version of ["v1", "v2"]) {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, "own.yaml"), "same");
    }
    symlinkSync("v1", join(folder, "..data"));
    symlinkSync(join("..data", "own.yaml"), mounted);
    writeFileSync(file, "1");
    const changes = [
      () => writeFileSync(file, "12"),
      () => {
        writeFileSync(`${file}~`, "34");
        renameSync(`${file}~`, file);
      },
      () => rmSync(file),
      () => writeFileSync(file, "34"),
      () => {
        symlinkSync("v2", join(folder, "..next"));
        renameSync(join(folder, "..next"), join(folder, "..data"));
      },
    ];
    const counts = await watch([file, mounted], changes);
    assert.deepEqual(
      counts,
      changes.flatMap(() => [0, 1]),
    );
    assert.deepEqual(await watch([file, mounted], [() => {}]), [0, 0]);
  });
});
