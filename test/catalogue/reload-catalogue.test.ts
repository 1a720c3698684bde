/** What a running service does about changed files of its catalogue, in every order of events. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { OpenedCatalogue } from "../../src/catalogue/open-catalogue.ts";
import { CatalogueReloader } from "../../src/catalogue/reload-catalogue.ts";
import { FileWatch } from "../../src/catalogue/watch-files.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { changedAt } from "../../src/generated/about.ts";
import { fakeTime } from "../support/fake-time.ts";
import { mark, testGolden } from "../support/golden.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();

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
  using time = fakeTime();
  /** The watch looks a few times, each of which ends when it waits again. */
  const looks = async (): Promise<void> => {
    for (let look = 0; look < 3; look++) {
      await time.pass(1000);
      while (time.waiting() === 0) await time.settle();
    }
  };
  const watch = new FileWatch([file, mounted, join(folder, "none")], () => reported++);
  // At once: what was read before the watch looks for the first time may be old. Reported when it is started.
  writeFileSync(file, "12");
  await looks();
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
    await looks();
    assert.equal(reported, at + 2);
  }
  readFileSync(file);
  await looks();
  watch.stop();
  writeFileSync(file, "56");
  await time.pass(10_000);
  assert.deepEqual([reported, time.waiting()], [changes.length + 1, 0]);
});

/** An opened catalogue, such as `2 of 2026-01-02` or `1 warning TEXT`. */
function opened(text: string): OpenedCatalogue {
  const [, version = "", date, warning] = /^(\w+)(?: of (\S+))?(?: warning (.*))?$/.exec(text) ?? assert.fail(text);
  const dated = date && { changedAt: date === "today" ? changedAt : Date.parse(date) };
  const file = { key: version, warnings: warning === undefined ? [] : [warning], ...dated };
  return { file, detector: { ...detector, version, entries: 1 } };
}

testGolden("catalogue/reloader.txt", async (input) => {
  const [first = "", ...steps] = input.split("\n");
  const openings: { answer: (opened: OpenedCatalogue) => void; fail: (error: Error) => void; signal: AbortSignal }[] =
    [];
  const out: string[] = [];
  let isFirst = true;
  const reloader = await CatalogueReloader.open({
    files: [join(folder, "missing.yaml")],
    open: (_, signal) =>
      new Promise<OpenedCatalogue>((answer, fail) => {
        if (isFirst) answer(opened(first));
        else openings.push({ answer, fail, signal });
        isFirst = false;
      }),
    use({ version }) {
      if (version === "unusable") throw new Error("it cannot be used");
      out.push(`use ${version}`);
    },
    log: (level, text) => out.push(`${level}: ${text}`),
  });
  for (const step of steps) {
    const [word, value = ""] = step.split(/ (.*)/);
    const { warnings, figures } = reloader;
    if (word === "reload" && !reloader.reload(value === "no files" ? [] : undefined)) out.push("nothing to open");
    if (word === "answer") openings.shift()!.answer(opened(value));
    if (word === "fail") openings.shift()!.fail(new Error(value.replace("; ", "\n")));
    if (word === "stop") reloader.stop();
    if (word === "show") {
      const { loaded, failed, isFailing, isReloading } = figures;
      const states = [isReloading && "reloading", isFailing && "failing", figures.changedAt < changedAt && "old"];
      const counts = `${openings.length} waiting, loaded ${loaded}, failed ${failed}`;
      out.push([`${reloader.detector.version} in use`, counts, ...states].filter(Boolean).join(", "), ...warnings);
    }
    // Nothing here waits for a timer.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  reloader.stop();
  assert.ok(openings.every(({ signal }) => signal.aborted));
  return out.flatMap((line) => mark("|", line.replace(/(newer data, from )\d{4}-\d\d-\d\d/, "$1DATE")));
});
