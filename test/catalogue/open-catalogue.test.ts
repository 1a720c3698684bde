/** Opening catalogues: what is compiled is stored and found again, damage is repaired, and little memory is taken. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { CatalogueError } from "../../src/catalogue/catalogue-error.ts";
import { openCatalogue } from "../../src/catalogue/open-catalogue.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { encodeCatalogue } from "../../src/detect/file/catalogue-file.ts";
import { modifiedDetector } from "../support/modified-detector.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-catalogue-"));
after(() => rmSync(folder, { recursive: true }));

let number = 0;
function write(text: string | Uint8Array, name = `own${++number}.yaml`): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
const entry = (name: string): string =>
  `crawlers: [{ name: ${name}, pattern: "${name}/", category: monitor, examples: ["${name}/2.1"] }]`;
const freshCache = (): string => join(folder, `cache${++number}`);
const problemsOf = async (...files: string[]): Promise<readonly string[]> => {
  const error = await openCatalogue({ files, cacheFolder: undefined }).catch((error: unknown) => error);
  assert(error instanceof CatalogueError, String(error));
  return error.problems;
};

describe("openCatalogue", async () => {
  const { own, peakKb } = await modifiedDetector();

  it("is the package's catalogue without files", async () => {
    assert.equal((await openCatalogue({ files: [], cacheFolder: undefined })).detector, detector);
  });

  it("lays files over one another", async () => {
    const files = [write(entry("AcmeOne")), write(entry("AcmeTwo"))];
    const { detector: own } = await openCatalogue({ files, cacheFolder: undefined });
    assert.deepEqual([own.check("x AcmeOne/1").name, own.check("x AcmeTwo/1").name], ["AcmeOne", "AcmeTwo"]);
    assert.match(own.version, /\.own\.[0-9a-f]{8}$/);
  });

  it("stores what it compiled, and loads that", async () => {
    const options = { files: [write(entry("AcmeOne"))], cacheFolder: freshCache() };
    const { detector: first } = await openCatalogue(options);
    const [name = ""] = readdirSync(join(options.cacheFolder, "catalogues"));
    const path = join(options.cacheFolder, "catalogues", name);
    const stored = readFileSync(path);
    const { detector: second } = await openCatalogue(options);
    assert.deepEqual(encodeCatalogue(second.catalogue).length > 0 && readFileSync(path), stored);
    assert.equal(second.version, first.version);
    for (const text of [...detector.strings().slice(0, 500), "x AcmeOne/1"])
      assert.deepEqual(second.check(text), first.check(text));
    // Damaged in the middle, cut off, and empty: compiled again, and stored again.
    for (const damaged of [
      stored.with(stored.length >> 1, stored[stored.length >> 1]! ^ 1),
      stored.subarray(0, 999),
      "",
    ]) {
      writeFileSync(path, damaged);
      assert.equal((await openCatalogue(options)).detector.check("x AcmeOne/1").name, "AcmeOne");
      assert.deepEqual(readFileSync(path), stored);
    }
  });

  it("keeps the two that were used last", async () => {
    const cacheFolder = freshCache();
    const files = ["A", "B", "C"].map((name) => write(entry(`Acme${name}`)));
    const names: string[] = [];
    for (const [index, file] of files.entries()) {
      await openCatalogue({ files: [file], cacheFolder });
      const fresh = readdirSync(join(cacheFolder, "catalogues")).find((name) => !names.includes(name))!;
      names.push(fresh);
      utimesSync(join(cacheFolder, "catalogues", fresh), index, index);
      // The first is used again, so that the second is the oldest.
      if (index === 1) await openCatalogue({ files: [files[0]!], cacheFolder });
    }
    assert.deepEqual(readdirSync(join(cacheFolder, "catalogues")).sort(), [names[0]!, names[2]!].sort());
  });

  it("does without a folder that cannot be written", async () => {
    const cacheFolder = write("a file, not a folder");
    const { detector: own } = await openCatalogue({ files: [write(entry("AcmeOne"))], cacheFolder });
    assert(own.isCrawler("x AcmeOne/1"));
  });

  it("compiles again for other content, and keeps warnings", async () => {
    const cacheFolder = freshCache();
    const path = write(entry("AcmeOne"));
    const { detector: first } = await openCatalogue({ files: [path], cacheFolder });
    writeFileSync(path, entry("AcmeTwo"));
    const { detector: second } = await openCatalogue({ files: [path], cacheFolder });
    assert.notEqual(first.version, second.version);
    const many = Array.from(
      { length: 900 },
      (_, i) => `  - { name: Acme${i}Something${i}x, category: ai, examples: [Acme${i}Something${i}x] }`,
    );
    const long = write(`crawlers:\n${many.join("\n")}`);
    for (let times = 0; times < 2; times++)
      assert.match(
        (await openCatalogue({ files: [long], cacheFolder })).warnings.join(),
        /characters; grep -P takes at most 29000/,
      );
  });

  it("takes a compiled catalogue, and lays others over it", async () => {
    const { detector: first } = await openCatalogue({ files: [write(entry("AcmeOne"))], cacheFolder: undefined });
    const compiled = write(encodeCatalogue(first.catalogue), "acme.catalogue");
    const { detector: loaded } = await openCatalogue({ files: [compiled], cacheFolder: undefined });
    assert.deepEqual([loaded.version, loaded.check("x AcmeOne/1").name], [first.version, "AcmeOne"]);
    const { detector: both } = await openCatalogue({
      files: [compiled, write(entry("AcmeTwo"))],
      cacheFolder: freshCache(),
    });
    assert.deepEqual(
      ["x AcmeOne/1", "x AcmeTwo/1", "GPTBot"].map((text) => both.check(text).name),
      ["AcmeOne", "AcmeTwo", "GPTBot"],
    );
    const { detector: replaced } = await openCatalogue({
      files: [compiled, write(entry("AcmeOne").replace("monitor", "seo"))],
      cacheFolder: undefined,
    });
    assert.equal(replaced.check("x AcmeOne/1").category, "seo");
    assert.equal(replaced.entries, first.entries);
  });

  it("says what is wrong, with file and line", async () => {
    const wrong = write("crawler: []");
    assert.deepEqual(await problemsOf(wrong), [
      `${wrong}:1: there is no member "crawler". Did you mean "crawlers"? There are crawlers, change, remove, people, rules, verification.`,
    ]);
    assert.match((await problemsOf(join(folder, "none.yaml")))[0]!, /none\.yaml: it cannot be read: ENOENT/);
    assert.match((await problemsOf(folder))[0]!, /it cannot be read: it is a folder/);
    assert.match((await problemsOf("/dev/zero"))[0]!, /it cannot be read: it is not a regular file/);
    assert.match((await problemsOf(write(Uint8Array.of(0x23, 0xe9))))[0]!, /it is not UTF-8/);
    const compiled = encodeCatalogue(detector.catalogue);
    const damaged = write(compiled.subarray(0, 1000));
    assert.match((await problemsOf(damaged))[0]!, /: The compiled catalogue is damaged or incomplete/);
    assert.match((await problemsOf(write("WCC9")))[0]!, /has the format "9"/);
    assert.match((await problemsOf(write(""), write(compiled)))[0]!, /a compiled catalogue comes first/);
    assert.match(
      (await problemsOf(write(compiled), write("remove: [curl]")))[0]!,
      /cannot be laid over a compiled catalogue/,
    );
  });

  it("compiles everything in another process, which takes at most 170 MB", {
    skip: process.platform !== "linux",
  }, () => {
    assert(own.catalogue.items.every(({ name }) => name !== "curl"));
    assert.equal(own.check("x AcmeMonitor/1").name, "Acme Monitor");
    // Node takes 45 MB more to read TypeScript; the package has JavaScript.
    const mostBytes = process.versions.bun === undefined ? 215e6 : 170e6;
    assert(peakKb > 60_000 && peakKb * 1024 <= mostBytes, `${peakKb} kB`);
  });
});
