/** What a running service does about changed files of its catalogue, in every order of events. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { CatalogueFile, ProcessHooks } from "../../src/catalogue/catalogue-process.ts";
import { type CatalogueChange, createCatalogueReloader } from "../../src/catalogue/reload-catalogue.ts";
import { stateOf, watchFiles } from "../../src/catalogue/watch-files.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-reload-"));
after(() => rmSync(folder, { recursive: true }));

const opened = (version: string, more: Partial<CatalogueFile> = {}): CatalogueFile => {
  const path = join(folder, `${version}.catalogue`);
  return { path, version, entries: 1, warnings: [], dataWarnings: [], ...more };
};
const loading = (version: string): string => `A new catalogue is being loaded; ${version} stays in use until then.`;

/** A reloader of one file; what opens it answers when it is told to. */
function create() {
  const openings: { answer: (opened: CatalogueFile) => void; fail: (error: Error) => void; hooks: ProcessHooks }[] = [];
  const changes: CatalogueChange[] = [];
  const said: string[] = [];
  let wake = (): void => {};
  const reloader = createCatalogueReloader({
    files: [join(folder, "missing.yaml")],
    downloaded: join(folder, "none.data"),
    state: "",
    current: opened("1"),
    open: (_, hooks) =>
      new Promise((answer, fail) => {
        openings.push({ answer, fail, hooks });
        wake();
      }),
    use: (change) => changes.push(change),
    log: (level, text) => said.push(`${level}: ${text}`),
  });
  /** The next opening, as soon as it has begun. */
  const next = async () => {
    while (openings.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return openings.shift()!;
  };
  return { reloader, openings, changes, said, next };
}

describe("a reloader", () => {
  it("opens one after the other, and once more for orders that came meanwhile", async () => {
    const { reloader, openings, changes, next } = create();
    const first = reloader.reload();
    const opening = await next();
    const others = [reloader.reload(), reloader.reload(), reloader.reload()];
    assert.equal(openings.length, 0);
    opening.answer(opened("2"));
    (await next()).answer(opened("3"));
    await Promise.all([first, ...others]);
    assert.equal(openings.length, 0);
    assert.deepEqual(
      changes.flatMap(({ file }) => file?.version ?? []),
      ["2", "3"],
    );
    assert.deepEqual([reloader.current.version, reloader.figures.loaded], ["3", 2]);
  });

  it("says that it is reloading, and how long compiling took", async () => {
    const { reloader, changes, said, next } = create();
    const reload = reloader.reload();
    const { answer, hooks } = await next();
    assert.deepEqual([changes, reloader.figures.isReloading], [[{ warnings: [loading("1")] }], true]);
    hooks.onCompile?.();
    hooks.onCompile?.(9.26);
    answer(opened("2", { dataWarnings: ["The downloaded data are old."] }));
    await reload;
    assert.deepEqual(changes.at(-1)?.warnings, ["The downloaded data are old."]);
    assert.deepEqual([reloader.figures.isReloading, reloader.figures.compileSeconds], [false, 9.26]);
    assert.deepEqual(said, [
      "info: The catalogue is being compiled.",
      "info: Compiling the catalogue ended after 9.3 s.",
      "warn: The downloaded data are old.",
      "info: The catalogue 2 is used: 1 entries",
    ]);
  });

  it("keeps the catalogue when one cannot be opened, and says so until one can", async () => {
    const { reloader, changes, said, next } = create();
    let reload = reloader.reload();
    (await next()).fail(new Error("own.yaml:4: no category\nown.yaml:9: no name"));
    await reload;
    const warning = "The new catalogue failed to load; 1 stays in use: own.yaml:4: no category; own.yaml:9: no name";
    assert.deepEqual(
      [changes.slice(1), reloader.warnings, said],
      [[{ warnings: [warning] }], [warning], [`error: ${warning}`]],
    );
    const { failed, isFailing } = reloader.figures;
    assert.deepEqual([reloader.current.version, failed, isFailing], ["1", 1, true]);
    reload = reloader.reload();
    (await next()).answer(opened("1", { warnings: ["own.yaml:2: a rule still matches curl"] }));
    await reload;
    // It is the one that is in use.
    assert.deepEqual([changes.at(-1), reloader.warnings, reloader.figures.isFailing], [{ warnings: [] }, [], false]);
    assert.deepEqual(said.slice(1), [
      "warn: own.yaml:2: a rule still matches curl",
      "info: The catalogue was loaded again; it has not changed: 1",
    ]);
  });

  it("opens other files, and returns to the catalogue of the package without any", async () => {
    const { reloader, changes, next } = create();
    const reload = reloader.reload([]);
    const builtIn = opened("0", { path: undefined });
    (await next()).answer(builtIn);
    await reload;
    assert.deepEqual(changes.at(-1), { file: builtIn, warnings: [] });
    assert.equal(reloader.reload(), undefined);
  });

  it("makes the file in use again for a process that starts when the file is gone", async () => {
    const { reloader, openings, next } = create();
    const restored = reloader.restore();
    (await next()).answer(opened("1"));
    writeFileSync(opened("1").path as string, "");
    assert.deepEqual(await restored, opened("1"));
    assert.deepEqual(await reloader.restore(), opened("1"));
    assert.equal(openings.length, 0);
  });

  it("ends what is being opened, and uses it no more, when it stops", async () => {
    const { reloader, changes, next } = create();
    const reload = reloader.reload();
    const { answer, hooks } = await next();
    reloader.stop();
    assert.ok(hooks.signal?.aborted);
    answer(opened("2"));
    await reload;
    assert.deepEqual([changes.length, reloader.current.version], [1, "1"]);
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
