/** Opening catalogues: what is compiled is stored and found again, and damage is repaired. */
import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { brotliCompressSync, constants } from "node:zlib";
import { decompressSources, encodeCompiledFile } from "../../src/catalogue/compiled-file.ts";
import { CatalogueError } from "../../src/catalogue/errors.ts";
import { type CatalogueFile, openCatalogue } from "../../src/catalogue/open-catalogue.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { encodeCatalogue } from "../../src/detect/file/catalogue-file.ts";
import { readSections, writeSections } from "../../src/detect/file/sections.ts";
import { browser, createCustomDetector } from "../support/custom-detector.ts";
import { noteMissing } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();

let number = 0;
function write(text: string | Uint8Array, name = `own${++number}.yaml`): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
const entry = (name: string): string =>
  `crawlers: [{ name: ${name}, pattern: "${name}/", category: monitor, examples: ["${name}/2.1"] }]`;
const freshCache = () => ({ folder: join(folder, `cache${++number}`), temporary: join(folder, `temporary${number}`) });
const fileOf = (folder: string, { key }: CatalogueFile) => join(folder, `${key}.catalogue`);
const open = (files: readonly string[], cache = freshCache()) => openCatalogue({ files, cache });
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
    const path = fileOf(cache.folder, file);
    assert.equal(compiled.map((seconds) => typeof seconds).join(), "undefined,number");
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

  it("compiles a copy of a file elsewhere again, so that warnings name the path that was given", async () => {
    const cache = freshCache();
    const text = `crawlers: [{ name: Firefox, pattern: "Chrome/140", category: monitor, examples: ["Chrome/140"] }]`;
    const paths = [write(text), write(text)] as const;
    const opened = [await open([paths[0]], cache), await open([paths[1]], cache), await open([paths[0]], cache)];
    assert.equal(new Set(opened.map(({ detector }) => detector.version)).size, 1);
    for (const [index, { warnings }] of opened.map(({ file }) => file).entries())
      assert.ok(warnings.join().startsWith(`${paths[index % 2]}:1: the pattern Chrome/140`), warnings.join());
  });

  it("keeps the two that were used last", async () => {
    const cache = freshCache();
    const files = ["A", "B", "C"].map((name) => write(entry(`Acme${name}`)));
    const paths: string[] = [];
    for (const [index, file] of files.entries()) {
      const path = fileOf(cache.folder, (await open([file], cache)).file);
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
    assert.ok(existsSync(fileOf(cache.temporary, file)));
    assert.equal(statSync(cache.temporary).mode & 0o777, 0o700);
    const neither = { folder: cache.folder, temporary: cache.folder };
    await assert.rejects(open([write(entry("AcmeTwo"))], neither), /cannot be stored: E(?:EXIST|NOTDIR)/);
  });

  it("stores for this user alone, and reads nothing that another one may have written", {
    skip: process.getuid?.() !== 0 && noteMissing("root"),
  }, async () => {
    const cache = freshCache();
    mkdirSync(cache.folder, { mode: 0o777 });
    const files = [write(entry("AcmeOne"))];
    const openAgain = async () => {
      let isCompiled = false;
      const { file } = await openCatalogue({ files, cache }, { onCompile: () => (isCompiled = true) });
      return { file, isCompiled };
    };
    const { file } = await openAgain();
    const path = fileOf(cache.folder, file);
    assert.deepEqual([statSync(cache.folder).mode & 0o777, statSync(path).mode & 0o777], [0o700, 0o600]);
    assert.equal((await openAgain()).isCompiled, false);
    chmodSync(path, 0o620);
    assert.equal((await openAgain()).isCompiled, true);
    chownSync(path, 54_321, 0);
    assert.deepEqual([(await openAgain()).isCompiled, statSync(path).uid], [true, 0]);
    chownSync(cache.folder, 54_321, 0);
    rmSync(path);
    await openAgain();
    assert.ok(existsSync(fileOf(cache.temporary, file)) && !existsSync(path));
  });

  it("compiles again what has changed while it was compiled", async () => {
    const cache = freshCache();
    const file = write(entry("AcmeOne"));
    const onCompile = (seconds?: number): void => {
      if (seconds !== undefined) writeFileSync(file, entry("AcmeTwo"));
    };
    const { detector: own } = await openCatalogue({ files: [file], cache }, { onCompile });
    assert.deepEqual([own.check("x AcmeTwo/1").name, own.isCrawler("x AcmeOne/1")], ["AcmeTwo", false]);
    assert.equal(readdirSync(cache.folder).length, 1);
  });

  it("takes a compiled catalogue, and lays others over it", async () => {
    const { detector: first } = await open([write(entry("AcmeOne"))]);
    const compiled = write(encodeCatalogue(first.catalogue), "acme.catalogue");
    const { detector: loaded } = await open([compiled]);
    assert.deepEqual([loaded.version, loaded.check("x AcmeOne/1").name], [first.version, "AcmeOne"]);
    const { detector: both } = await open([compiled, write(entry("AcmeTwo"))]);
    for (const name of ["AcmeOne", "AcmeTwo", "GPTBot"]) assert.equal(both.check(`x ${name}/1`).name, name);
    const { detector: replaced } = await open([compiled, write(entry("AcmeOne").replace("monitor", "seo"))]);
    assert.equal(replaced.check("x AcmeOne/1").category, "seo");
    assert.equal(replaced.entries, first.entries);
  });

  it("says what is wrong, with file and line", async () => {
    const large = write("");
    truncateSync(large, 20_000_001);
    // It is read, and is no compiled catalogue.
    const largest = write("");
    truncateSync(largest, 20_000_000);
    const yaml = entry("AcmeOne").padEnd(2_000_000);
    assert.equal((await open([write(yaml)])).detector.check("x AcmeOne/1").name, "AcmeOne");
    const compiled = encodeCatalogue(detector.catalogue);
    const damaged = compiled.subarray(0, 1000);
    const newer = writeSections({ ...readSections(compiled), minimumProgram: "9.0.0" });
    const narrower = 'crawlers: [{ name: GPTBot, pattern: "GPTBot/9", category: ai, examples: [GPTBot/9] }]';
    const base = write(compiled);
    for (const [message, ...files] of [
      [
        /own\d+\.yaml:1: unknown member "crawler"\. Did you mean "crawlers"\? Members are crawlers, /,
        write("crawler: []"),
      ],
      [/none\.yaml: cannot be read: there is no such file/, join(folder, "none.yaml")],
      [/: cannot be read: it is a folder/, folder],
      [/: cannot be read: it is not a regular file/, "/dev/zero"],
      [/the file is not UTF-8/, write(Uint8Array.of(0x23, 0xe9))],
      [/it has 20,000,001 bytes; at most 20,000,000 are allowed/, large],
      [/it has 20,000,000 bytes; at most 2,000,000 are allowed in YAML/, largest],
      [/it has 2,000,001 bytes; at most 2,000,000 are allowed in YAML/, write(`${yaml} `)],
      [/own\d+\.yaml: .*\bdamaged\b/, write(damaged)],
      [/own\d+\.yaml: .* needs whocrawls 9\.0\.0 or later; this is .* Update whocrawls/, write(newer)],
      [/has the format "9"/, write("WCC9")],
      [/only one compiled catalogue is allowed, and it must come first/, write(""), base],
      [/need the sources of the base catalogue/, base, write("remove: [curl]")],
      [/need the sources of the base catalogue/, base, write(narrower)],
    ] as const) {
      const [problem = "", ...others] = await problemsOf(...files);
      assert.match(problem, message);
      assert.deepEqual(others, []);
    }
    for (const path of [large, largest]) rmSync(path);
  });
});

it("what is removed from a data file is compiled from the sources in the file", async () => {
  const base = createCustomDetector();
  const toEntry = (name: string, pattern: string) => ({
    ...{ name, pattern, category: "monitor", source: "test" },
    ...{ examples: [`${pattern}2.1`], instances: [] },
  });
  const catalogue = {
    version: base.version,
    entries: [toEntry("Acme One", "AcmeOne/"), toEntry("Acme Monitor", "AcmeMonitor/")],
    rules: [],
  };
  const sources = brotliCompressSync(JSON.stringify({ ...catalogue, browsers: [browser] })).toString("base64");
  const data = write(encodeCompiledFile({ catalogue: base.catalogue, changedAt: 1e12, sources }));
  const { detector: own, file } = await open([data, write("remove: [Acme Monitor]")]);
  assert.equal(file.changedAt, 1e12);
  assert.deepEqual([own.check("AcmeOne/2.1").name, own.check("AcmeMonitor/2.1").crawler], ["Acme One", false]);
});

it("sources in a compiled file that decompress to gigabytes are refused", async () => {
  // A quarter of a gigabyte in some hundred bytes.
  const sources = brotliCompressSync(new Uint8Array(2 ** 28), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  assert.ok(sources.length < 1000);
  await assert.rejects(decompressSources(sources.toString("base64")), {
    name: "CatalogueError",
    message: /larger than 16 MB/,
  });
});
