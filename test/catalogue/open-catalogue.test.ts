/** Opening catalogues: what is compiled is stored and found again, and damage is repaired. */
import assert from "node:assert/strict";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { brotliCompressSync, constants } from "node:zlib";
import { toBaseCatalogue } from "../../src/catalogue/base-catalogue.ts";
import type { OpenOptions } from "../../src/catalogue/catalogue-process.ts";
import { CatalogueError } from "../../src/catalogue/errors.ts";
import { openCatalogue } from "../../src/catalogue/open-catalogue.ts";
import { encodeDataFile } from "../../src/catalogue/write-data-file.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { encodeCatalogue } from "../../src/detect/file/catalogue-file.ts";
import { writeSections } from "../../src/detect/file/sections.ts";
import { browser, createOwnDetector } from "../support/own-detector.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-catalogue-"));
after(() => rmSync(folder, { recursive: true }));

let number = 0;
function write(text: string | Uint8Array, name = `own${++number}.yaml`): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
const entry = (name: string): string =>
  `crawlers: [{ name: ${name}, pattern: "${name}/", category: monitor, examples: ["${name}/2.1"] }]`;
const freshCache = () => ({ folder: join(folder, `cache${++number}`), temporary: join(folder, `temporary${number}`) });
const open = (files: OpenOptions["files"], cache = freshCache()) => openCatalogue({ files, cache });
const problemsOf = async (...files: string[]): Promise<readonly string[]> => {
  const error = await open(files).catch((error: unknown) => error);
  assert(error instanceof CatalogueError, String(error));
  return error.problems;
};

describe("openCatalogue", () => {
  it("is the package's catalogue without files", async () => {
    assert.equal((await open([])).detector, detector);
  });

  it("lays files over one another", async () => {
    const files = [write(entry("AcmeOne")), write(entry("AcmeTwo"))];
    const { detector: own } = await open(files);
    assert.deepEqual([own.check("x AcmeOne/1").name, own.check("x AcmeTwo/1").name], ["AcmeOne", "AcmeTwo"]);
    assert.match(own.version, /\.own\.[0-9a-f]{8}$/);
  });

  it("stores what it compiled, and loads that without another process", async () => {
    const cache = freshCache();
    const files = [write(entry("AcmeOne"))];
    const compiled: unknown[] = [];
    const openAgain = () => openCatalogue({ files, cache }, { onCompile: (seconds) => compiled.push(seconds) });
    const { detector: first, file } = await openAgain();
    const path = String(file.path);
    assert.equal(dirname(path), cache.folder);
    assert.deepEqual(
      compiled.map((seconds) => typeof seconds),
      ["undefined", "number"],
    );
    const stored = readFileSync(path);
    const { detector: second } = await openAgain();
    assert.deepEqual([compiled.length, readFileSync(path)], [2, stored]);
    assert.equal(second.version, first.version);
    for (const text of [...detector.strings().slice(0, 500), "x AcmeOne/1"])
      assert.deepEqual(second.check(text), first.check(text));
    // Damaged in the middle, and cut off: compiled again, and stored again.
    for (const damaged of [stored.with(stored.length >> 1, stored[stored.length >> 1]! ^ 1), stored.subarray(0, 999)]) {
      writeFileSync(path, damaged);
      assert.equal((await openAgain()).detector.check("x AcmeOne/1").name, "AcmeOne");
      assert.deepEqual(readFileSync(path), stored);
    }
  });

  it("finds a copy of the same file elsewhere, and names the path that was given", async () => {
    const cache = freshCache();
    const text = `crawlers: [{ name: Firefox, pattern: "Chrome/140", category: monitor, examples: ["Chrome/140"] }]`;
    const paths = [write(text), write(text)] as const;
    const [{ file: first }, { file: second }] = [await open([paths[0]], cache), await open([paths[1]], cache)];
    assert.equal(second.path, first.path);
    for (const [index, { warnings }] of [first, second].entries())
      assert.ok(warnings.join().startsWith(`${paths[index]}:1: the pattern Chrome/140`), warnings.join());
    const others = await open([paths[0], write(entry("AcmeOne"))], cache);
    assert.notEqual(others.file.path, first.path);
  });

  it("keeps the two that were used last", async () => {
    const cache = freshCache();
    const files = ["A", "B", "C"].map((name) => write(entry(`Acme${name}`)));
    const paths: string[] = [];
    for (const [index, file] of files.entries()) {
      const { path = "" } = (await open([file], cache)).file;
      paths.push(path);
      utimesSync(path, index, index);
      // The first is used again, so that the second is the oldest.
      if (index === 1) await open([files[0]!], cache);
    }
    const kept = readdirSync(cache.folder).map((name) => join(cache.folder, name));
    assert.deepEqual(kept.sort(), [paths[0], paths[2]].sort());
  });

  it("uses a private folder where the given one cannot be written", async () => {
    const cache = { ...freshCache(), folder: write("a file, not a folder") };
    const { detector: own, file } = await open([write(entry("AcmeOne"))], cache);
    assert(own.isCrawler("x AcmeOne/1"));
    assert.equal(dirname(String(file.path)), cache.temporary);
    assert.equal(statSync(cache.temporary).mode & 0o777, 0o700);
    await assert.rejects(
      open([write(entry("AcmeTwo"))], { folder: cache.folder, temporary: cache.folder }),
      /cannot be stored: ENOTDIR/,
    );
  });

  it("takes a compiled catalogue, and lays others over it", async () => {
    const { detector: first } = await open([write(entry("AcmeOne"))]);
    const compiled = write(encodeCatalogue(first.catalogue), "acme.catalogue");
    const { detector: loaded } = await open([compiled]);
    assert.deepEqual([loaded.version, loaded.check("x AcmeOne/1").name], [first.version, "AcmeOne"]);
    const { detector: both } = await open([compiled, write(entry("AcmeTwo"))]);
    assert.deepEqual(
      ["x AcmeOne/1", "x AcmeTwo/1", "GPTBot"].map((text) => both.check(text).name),
      ["AcmeOne", "AcmeTwo", "GPTBot"],
    );
    const { detector: replaced } = await open([compiled, write(entry("AcmeOne").replace("monitor", "seo"))]);
    assert.equal(replaced.check("x AcmeOne/1").category, "seo");
    assert.equal(replaced.entries, first.entries);
  });

  it("says what is wrong, with file and line", async () => {
    const wrong = write("crawler: []");
    assert.deepEqual(await problemsOf(wrong), [
      `${wrong}:1: there is no member "crawler". Did you mean "crawlers"? There are crawlers, change, remove, people, rules, verification.`,
    ]);
    assert.match(
      (await problemsOf(join(folder, "none.yaml")))[0]!,
      /none\.yaml: it cannot be read: there is no such file/,
    );
    assert.match((await problemsOf(folder))[0]!, /it cannot be read: it is a folder/);
    assert.match((await problemsOf("/dev/zero"))[0]!, /it cannot be read: it is not a regular file/);
    assert.match((await problemsOf(write(Uint8Array.of(0x23, 0xe9))))[0]!, /it is not UTF-8/);
    const large = write("");
    truncateSync(large, 20_000_001);
    assert.match((await problemsOf(large))[0]!, /it has 20,000,001 bytes; at most 20,000,000 are allowed/);
    // It is read, and is no compiled catalogue.
    truncateSync(large, 20_000_000);
    assert.match((await problemsOf(large))[0]!, /it has 20,000,000 bytes; at most 2,000,000 are allowed in YAML/);
    rmSync(large);
    const yaml = entry("AcmeOne").padEnd(2_000_000);
    assert.equal((await open([write(yaml)])).detector.check("x AcmeOne/1").name, "AcmeOne");
    for (const file of [write(`${yaml} `), { path: "own.yaml", text: `${yaml} ` }])
      await assert.rejects(open([file]), /it has 2,000,001 bytes; at most 2,000,000 are allowed in YAML/);
    const compiled = encodeCatalogue(detector.catalogue);
    const damaged = write(compiled.subarray(0, 1000));
    assert.match((await problemsOf(damaged))[0]!, /own\d+\.yaml: .*\bdamaged\b/);
    const malformed = write(encodeCatalogue({ ...detector.catalogue, rules: [] }));
    assert.match((await problemsOf(malformed))[0]!, /own\d+\.yaml: The compiled catalogue is malformed: rules/);
    assert.match((await problemsOf(write("WCC9")))[0]!, /has the format "9"/);
    assert.match((await problemsOf(write(""), write(compiled)))[0]!, /a compiled catalogue comes first/);
    assert.match(
      (await problemsOf(write(compiled), write("remove: [curl]")))[0]!,
      /cannot be laid over a compiled catalogue/,
    );
  });
});

it("what is removed from a data file is compiled from the sources in the file", async () => {
  const base = createOwnDetector();
  const toEntry = (name: string, pattern: string) => ({
    ...{ name, pattern, category: "monitor", source: "test" },
    ...{ examples: [`${pattern}2.1`], instances: [] },
  });
  const catalogue = {
    version: base.version,
    entries: [toEntry("Acme One", "AcmeOne/"), toEntry("Acme Monitor", "AcmeMonitor/")],
    rules: [],
  };
  const sources = JSON.stringify({ catalogue, browsers: [browser] });
  const data = write(encodeDataFile({ catalogue: base.catalogue, changedAt: 0, vectors: [[browser, false]], sources }));
  const { detector: own } = await open([data, write("remove: [Acme Monitor]")]);
  assert.deepEqual([own.check("AcmeOne/2.1").name, own.check("AcmeMonitor/2.1").crawler], ["Acme One", false]);
});

it("sources in a compiled file that decompress to gigabytes are refused", async () => {
  // A quarter of a gigabyte in some hundred bytes.
  const sources = new Uint8Array(
    brotliCompressSync(new Uint8Array(2 ** 28), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  );
  assert.ok(sources.length < 1000);
  const { readSources } = toBaseCatalogue(writeSections({ ...detector.catalogue, sources }));
  await assert.rejects(async () => readSources?.(), { name: "CatalogueError", message: /larger than 16 MB/ });
});
