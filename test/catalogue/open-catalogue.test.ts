/** Opening catalogues: files are laid over one another, and what is wrong is said with file and line. */
import assert from "node:assert/strict";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { encodeCompiledFile } from "../../src/catalogue/compiled-file.ts";
import { openCatalogue } from "../../src/catalogue/open-catalogue.ts";
import { DataError } from "../../src/compiler/sources/data-error.ts";
import { compileCatalogue } from "../../src/compiler.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { encodeCatalogue } from "../../src/detect/file/catalogue-file.ts";
import { readSections, writeSections } from "../../src/detect/file/sections.ts";
import { isAll } from "../support/some-strings.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();

let number = 0;
function write(text: string | Uint8Array, name = `own${++number}.yaml`): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
const entry = (name: string): string =>
  `crawlers: [{ name: ${name}, pattern: "${name}/", category: monitor, examples: ["${name}/2.1"] }]`;
const indented = (lines: number, text: string): string =>
  Array.from({ length: lines }, (_, at) => `${" ".repeat(at)}${text}\n`).join("");
const open = (files: readonly string[]) => openCatalogue(files);
const problemsOf = async (...files: string[]): Promise<readonly string[]> => {
  const error = await open(files).catch((error: unknown) => error);
  assert(error instanceof DataError, String(error));
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

  it("names the path that was given in warnings", async () => {
    const text = `crawlers: [{ name: Firefox, pattern: "Chrome/140", category: monitor, examples: ["Chrome/140"] }]`;
    const opened = await Promise.all(
      [write(text), write(text)].map(async (path) => ({ path, ...(await open([path])) })),
    );
    assert.equal(new Set(opened.map(({ detector }) => detector.version)).size, 1);
    for (const { path, file } of opened)
      assert.ok(file.warnings.join().startsWith(`${path}:1: the pattern Chrome/140`), file.warnings.join());
  });

  it("names the path of a text in errors and warnings, whatever it is", async () => {
    const path = "a$&b$1.yaml";
    await assert.rejects(compileCatalogue([{ path, text: "crawler: []" }]), ({ problems }: DataError) => {
      assert.match(problems.join(), /^a\$&b\$1\.yaml:1: unknown member "crawler"/);
      return true;
    });
    const text = `crawlers: [{ name: Firefox, pattern: "Chrome/140", category: monitor, examples: ["Chrome/140"] }]`;
    const { warnings } = await compileCatalogue([{ path, text }]);
    assert.match(warnings.join(), /^a\$&b\$1\.yaml:1: the pattern Chrome/);
    const long = { path, text: "#".repeat(2_000_001) };
    await assert.rejects(
      compileCatalogue([long]),
      /^CatalogueError: a\$&b\$1\.yaml: cannot be read: it has 2,000,001 bytes/,
    );
  });

  it("ends when its result is not needed any more", async () => {
    const end = new AbortController();
    const opening = openCatalogue([write("remove: [curl]")], end.signal);
    setImmediate(() => end.abort());
    await assert.rejects(opening, { name: "AbortError" });
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
    const base = write(compiled);
    for (const [message, ...files] of [
      [
        /own\d+\.yaml:1: unknown member "crawler"\. Did you mean "crawlers"\? Members are crawlers, /,
        write("crawler: []"),
      ],
      [/none\.yaml: cannot be read: there is no such file/, join(folder, "none.yaml")],
      [/: cannot be read: it is a folder/, folder],
      [/: cannot be read: it is not a regular file/, "/dev/zero"],
      [/own\d+\.yaml:1: the file is nested too deeply/, write(`remove: ${"[".repeat(100_000)}`)],
      [/own\d+\.yaml:2: the file is nested too deeply/, write(`crawlers:\n  ${"[".repeat(3_000)}${"]".repeat(3_000)}`)],
      [/own\d+\.yaml:2: the file is nested too deeply/, write(`crawlers:\n  ${"{a: ".repeat(2_000)}`)],
      [/own\d+\.yaml:1: the file is nested too deeply/, write("- ".repeat(5_000))],
      [/own\d+\.yaml:40: the file is nested too deeply/, write(indented(1_000, "a:"))],
      [/own\d+\.yaml:40: the file is nested too deeply/, write(indented(1_000, "-"))],
      [/the file is not UTF-8/, write(Uint8Array.of(0x23, 0xe9))],
      [/it has 20,000,001 bytes; at most 20,000,000 are allowed/, large],
      [/it has 20,000,000 bytes; at most 2,000,000 are allowed in YAML/, largest],
      [/it has 2,000,001 bytes; at most 2,000,000 are allowed in YAML/, write(`${yaml} `)],
      [/own\d+\.yaml: .*\bdamaged\b/, write(damaged)],
      [/own\d+\.yaml: .* needs whocrawls 9\.0\.0 or later; this is .* Update whocrawls/, write(newer)],
      [/has the format "9"/, write("WCC9")],
      [/only one compiled catalogue is allowed, and it must come first/, write(""), base],
    ] as const) {
      const [problem = "", ...others] = await problemsOf(...files);
      assert.match(problem, message);
      assert.deepEqual(others, []);
    }
    for (const path of [large, largest]) rmSync(path);
  });
});

it("what is removed from a compiled file is removed from all of its layers", async () => {
  const text = `${entry("AcmeOne")}\nremove: [ClaudeBot]\nrules: { off: [bot] }`;
  const { detector: first } = await open([write(text)]);
  const compiled = write(encodeCompiledFile({ catalogue: first.catalogue, changedAt: 1e12 }));
  const others = `remove: [AcmeOne, curl, GPTBot]\npeople: [{ words: [ZetaSpider], examples: [ZetaSpider/1 x], why: a }]`;
  const { detector: own, file } = await open([compiled, write(others)]);
  const { detector: atOnce } = await open([
    write(`${others.replace("AcmeOne, ", "ClaudeBot, ")}\nrules: { off: [bot] }`),
  ]);
  assert.equal(file.changedAt, 1e12);
  assert.equal(own.catalogue.own, undefined);
  assert.deepEqual([own.entries, own.expression], [atOnce.entries, atOnce.expression]);
  for (const text of [...detector.strings(), "x AcmeOne/1", "ZetaSpider/1 x", "x Zeta-bot"])
    assert.deepEqual(own.check(text), atOnce.check(text));
  // Takes a second: encoding composes the automata. test/compiler/custom/verdicts.test.ts does so in every run.
  if (!isAll) return;
  const loaded = (await open([write(encodeCompiledFile({ catalogue: own.catalogue }))])).detector;
  for (const text of detector.strings()) assert.equal(loaded.isCrawler(text), own.isCrawler(text), text);
});
