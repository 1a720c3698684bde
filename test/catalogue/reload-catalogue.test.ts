/** What a running service does about changed files of its catalogue, in every order of events. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { CompileHooks } from "../../src/catalogue/compile-process.ts";
import type { OpenedCatalogue } from "../../src/catalogue/open-catalogue.ts";
import { CatalogueReloader } from "../../src/catalogue/reload-catalogue.ts";
import { watchFiles } from "../../src/catalogue/watch-files.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { changedAt } from "../../src/generated/about.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const folder = temporary();

const opened = (version: string, more: Partial<OpenedCatalogue["file"]> = {}): OpenedCatalogue => ({
  file: { key: version, warnings: [], ...more },
  detector: { ...detector, version, entries: 1 },
});
const loading = (version: string): string => `A new catalogue is being loaded; ${version} stays in use until then.`;

/** A reloader of one file; what opens it answers when it is told to. */
async function create(first = opened("1")) {
  const openings: { answer: (opened: OpenedCatalogue) => void; fail: (error: Error) => void; hooks: CompileHooks }[] =
    [];
  const used: string[] = [];
  const said: string[] = [];
  let wake = (): void => {};
  let isFirst = true;
  const reloader = await CatalogueReloader.open({
    files: [join(folder, "missing.yaml")],
    open: (_, hooks) =>
      new Promise<OpenedCatalogue>((resolve, fail) => {
        if (isFirst) resolve(first);
        else openings.push({ answer: resolve, fail, hooks });
        isFirst = false;
        wake();
      }),
    use({ version }) {
      if (version === "unusable") throw new Error("it cannot be used");
      used.push(version);
    },
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
  return { reloader, openings, used, said, next };
}

describe("a reloader", () => {
  it("opens one after the other, and once more for orders that came meanwhile", async () => {
    const { reloader, openings, used, next } = await create();
    const first = reloader.reload();
    const opening = await next();
    const others = [reloader.reload(), reloader.reload(), reloader.reload()];
    assert.equal(openings.length, 0);
    opening.answer(opened("2"));
    (await next()).answer(opened("3"));
    await Promise.all([first, ...others]);
    assert.equal(openings.length, 0);
    assert.deepEqual([used, reloader.detector.version], [["2", "3"], "3"]);
    assert.equal(reloader.figures.loaded, 2);
  });

  it("says that it is reloading, and how long compiling took", async () => {
    const { reloader, said, next } = await create();
    const reload = reloader.reload();
    const { answer, hooks } = await next();
    assert.deepEqual([reloader.warnings, reloader.figures.isReloading], [[loading("1")], true]);
    hooks.onCompile?.();
    hooks.onCompile?.(9.26);
    answer(opened("2"));
    await reload;
    assert.deepEqual(reloader.warnings, []);
    assert.deepEqual([reloader.figures.isReloading, reloader.figures.compileSeconds], [false, 9.26]);
    assert.deepEqual(said, [
      "info: The catalogue is being compiled.",
      "info: Compiling the catalogue ended after 9.3 s.",
      "info: The catalogue 2 is used: 1 entries",
    ]);
  });

  it("keeps the catalogue when one cannot be opened, and says so until one can", async () => {
    const { reloader, used, said, next } = await create();
    let reload = reloader.reload();
    (await next()).fail(new Error("own.yaml:4: no category\nown.yaml:9: no name"));
    await reload;
    const warning = "The new catalogue failed to load; 1 stays in use: own.yaml:4: no category; own.yaml:9: no name";
    assert.deepEqual([used, reloader.warnings, said], [[], [warning], [`error: ${warning}`]]);
    const { failed, isFailing } = reloader.figures;
    assert.deepEqual([failed, isFailing], [1, true]);
    reload = reloader.reload();
    (await next()).answer(opened("1", { warnings: ["own.yaml:2: a rule still matches curl"] }));
    await reload;
    // It is the one that is in use.
    assert.deepEqual([used, reloader.warnings, reloader.figures.isFailing], [[], [], false]);
    assert.deepEqual(said.slice(1), [
      "warn: own.yaml:2: a rule still matches curl",
      "info: The catalogue was loaded again; it has not changed: 1",
    ]);
    reload = reloader.reload();
    (await next()).answer(opened("unusable"));
    await reload;
    assert.match(reloader.warnings.join(), /failed to load; 1 stays in use: it cannot be used/);
    assert.equal(reloader.detector.version, "1");
  });

  it("warns while the compiled data are older than the program's", async () => {
    const old = opened("1", { changedAt: Date.parse("2026-01-02") });
    const { reloader, said, next } = await create(old);
    const [warning = ""] = reloader.warnings;
    assert.match(warning, /has data of 2026-01-02; those of this program are newer, of 2026-/);
    assert.deepEqual([said, reloader.figures.changedAt], [[`warn: ${warning}`], old.file.changedAt]);
    const reload = reloader.reload();
    (await next()).answer(opened("2", { changedAt }));
    await reload;
    assert.deepEqual([reloader.warnings, reloader.figures.changedAt], [[], changedAt]);
  });

  it("opens other files, and returns to the catalogue of the package without any", async () => {
    const { reloader, used, next } = await create();
    const reload = reloader.reload([]);
    (await next()).answer(opened("0"));
    await reload;
    assert.deepEqual([used, reloader.warnings], [["0"], []]);
    assert.equal(reloader.reload(), undefined);
  });

  it("ends what is being opened, and uses it no more, when it stops", async () => {
    const { reloader, used, next } = await create();
    const reload = reloader.reload();
    const { answer, hooks } = await next();
    reloader.stop();
    assert.ok(hooks.signal?.aborted);
    answer(opened("2"));
    await reload;
    assert.deepEqual(used, []);
  });
});

it("a watch reports a file that is written, replaced, missing, back, or reached by another link, once each, and not one that is read", async () => {
  const file = join(folder, "own.yaml");
  const mounted = join(folder, "mounted.yaml");
  for (const version of ["v1", "v2"]) {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, "own.yaml"), "same");
  }
  symlinkSync("v1", join(folder, "..data"));
  symlinkSync(join("..data", "own.yaml"), mounted);
  writeFileSync(file, "1");
  let reported = 0;
  const watch = watchFiles([file, mounted, join(folder, "none")], () => reported++);
  // Reported when it is started.
  writeFileSync(file, "12");
  await rest();
  assert.equal(reported, 0);
  watch.start();
  const changes = [
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
  for (const [at, change] of changes.entries()) {
    assert.equal(reported, at + 1);
    change();
    await until(() => reported === at + 2);
  }
  readFileSync(file);
  await rest();
  watch.stop();
  writeFileSync(file, "56");
  await rest();
  assert.equal(reported, changes.length + 1);
});

/** Longer than a watch takes to look and to rest. */
const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2500));
