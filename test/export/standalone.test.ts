/**
 * The files of `whocrawls export python` and the others of their kind give the library's verdict in their languages, fact by fact; what
 * docs/clients.md says of them is so.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import { deflateRawSync } from "node:zlib";
import { readPeople } from "../../build/read-people.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { standalone } from "../../src/export/targets/standalone.ts";
import { root } from "../cli/command-line.ts";
import { runHere } from "../cli/run-here.ts";
import { needs } from "../support/needs.ts";
import { createStrings } from "../support/random-strings.ts";
import { readCorpora } from "../support/remembered.ts";
import { howMany, isAll, someOf } from "../support/some-strings.ts";
import { temporary } from "../support/temporary.ts";
import { firefox } from "../support/user-agents.ts";

interface Language {
  readonly programs: readonly string[];
  readonly target: string;
  readonly file: string;
  /** Whether its strings are text, which has halves of surrogate pairs, and not only bytes. */
  readonly hasText: boolean;
  readonly maxBytes: number;
  readonly driver: string;
  /** Builds the program, if it must be built. */
  readonly build?: readonly string[];
  readonly command: readonly string[];
}

const languages: Readonly<Record<string, Language>> = {
  Python: {
    programs: ["python3"],
    target: "python",
    file: "whocrawls.py",
    hasText: true,
    maxBytes: 230_000,
    driver: "driver.py",
    command: ["python3", "-W", "error", "driver.py"],
  },
  PHP: {
    programs: ["php"],
    target: "php",
    file: "Whocrawls.php",
    hasText: false,
    maxBytes: 550_000,
    driver: "driver.php",
    command: ["php", "-d", "error_reporting=-1", "-d", "display_errors=stderr", "driver.php"],
  },
  Go: {
    programs: ["go"],
    target: "go",
    file: "whocrawls/whocrawls.go",
    hasText: false,
    maxBytes: 180_000,
    driver: "main.go",
    build: ["go", "build", "-o", "driver", "."],
    command: ["./driver"],
  },
};

const facts = ["crawler", "name", "operator", "operatorDerived", "maker", "category", "purposes", "url"] as const;

/** The library's verdict, as far as the files give it. */
function expect(useragent: string): Readonly<Record<string, unknown>> {
  const verdict = detector.check(useragent);
  const given = facts.filter((fact) => verdict[fact] !== undefined && String(verdict[fact]) !== "");
  return Object.fromEntries(given.map((fact) => [fact, verdict[fact]]));
}

const anyBot = { crawler: true, category: "other" };
const words = "The quick brown Fox jumps; over (the lazy) dog/1.0 ";
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);
const languageWords =
  "xPython xPerl/5 PHP/7x ePHP/7 Ruby/2 JDK/1 Curl/ bCurl/7 Wgets Nutchx A::B xgo/go1 go/1 Elixir/1 (OTP/2 LWP::".split(
    " ",
  );
/** What each has gone wrong with, or could, where engines and languages differ. */
const pitfalls: readonly string[] = [
  ...readFileSync(`${root}test/export/standalone/pitfalls.txt`, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line)),
  ...[600, 3_000, 8_000].flatMap((length) => {
    const filler = words.repeat(Math.ceil(length / words.length)).slice(0, length);
    return [
      `${filler} FooBot/1.0`,
      `FooBot/1.0 ${filler}`,
      `${filler} curl/8 ${filler.slice(0, 100)}`,
      `${filler} +http://foo.example/`,
    ];
  }),
  // Each limit on names, on both of its sides.
  ...range(235, 262).map(
    (n) => `${"; ".repeat(200)}ProductX/1.0${";".repeat(n)} +http://foo.example/${"; ".repeat(200)}`,
  ),
  ...range(33, 39).map((n) => `${"A".repeat(60)} ${"B".repeat(n)}Bot/1.0`),
  ...range(57, 62).map((n) => `FooBot${"x".repeat(n)}/1.0`),
  ...range(2, 8).map(
    (n) => `${"One Two Three Four Five Six Seven".split(" ").slice(0, n).join(" ")} six seven +http://a.example/`,
  ),
  ...["FooBot-v/1.0", "FooBot v 1.0", "Foo-Bar, Mozilla/5.0 (X11) Baz/1.0", "script:foo Bar/1.0", "Foo(Bar crawl"],
  // Phrases that PHP skips, and crawlers in and behind them.
  ...["SM-G991B", "BOT5", "Pixel 7 Build/TP1A.220624.014; wv", "Nexus 5 Build/BOT5"].flatMap((device) =>
    ["", " FooBot/1", "x", " Edg/1", "\n"].map(
      (end) =>
        `Mozilla/5.0 (Linux; Android 10; ${device}) AppleWebKit/537.36 (KHTML, like Gecko) GSA/1.0 Mobile Safari/537.36${end}`,
    ),
  ),
  // A rule of several expressions: the one that matches first counts.
  ...languageWords.flatMap((one) => languageWords.map((other) => `Aa-${one}; Bb-${other}`)),
  ...["\u00e9", "\u3042", "\u{1f916}"].map((char) => `${char.repeat(300)} FooBot/1.0 ${char.repeat(300)}`),
];

const fixed = [
  ...new Set([...detector.strings(), ...readPeople(), ...readCorpora().flatMap(({ strings }) => strings)]),
];
const next = createStrings({
  seed: 11,
  patterns: detector.catalogue.items.map(({ pattern }) => pattern),
  texts: fixed,
});
const random = Array.from({ length: howMany(4_000, 200_000) }, next);
const long = Array.from({ length: 300 }, () => Array.from({ length: 12 }, next).join(" "));
const strings = [...pitfalls, ...fixed, ...random, ...long];

const folder = temporary();
const deflate = (bytes: Uint8Array): Uint8Array => deflateRawSync(bytes, { level: 9 });
const write = (target: string): string =>
  standalone[target]!.write(detector.catalogue, { command: `whocrawls export ${target}`, deflate });

/** Runs a program in a folder, and returns what it prints. */
function run([program, ...args]: readonly string[], cwd: string, input = ""): string {
  const options = { cwd, input, encoding: "utf8", maxBuffer: 1 << 28 } as const;
  const { status, stdout, stderr, error } = spawnSync(program!, args, options);
  if (error) throw error;
  assert.equal(status, 0, stdout.slice(-2_000) + stderr.slice(0, 2_000));
  return stdout;
}

const toInput = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
const toVerdicts = (output: string): unknown[] =>
  output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const toBytes = (useragent: string, encoding: "utf8" | "latin1" = "utf8"): string =>
  Buffer.from(useragent, encoding).toString("base64");

for (const [name, language] of Object.entries(languages)) {
  const { programs, target, file, hasText, maxBytes, driver, build, command } = language;
  // Without `--all`, one language shows what a change of the catalogue or of naming has broken.
  if (!isAll && target !== "python") continue;
  const skip = needs(...programs);
  const place = mkdtempSync(join(folder, `${target}-`));

  describe(`the file for ${name}`, () => {
    const text = write(target);
    mkdirSync(dirname(join(place, file)), { recursive: true });
    writeFileSync(join(place, file), text);
    copyFileSync(`${root}test/export/standalone/${driver}`, join(place, driver));
    writeFileSync(join(place, "go.mod"), "module example.org/crawlers\n\ngo 1.19\n");
    if (skip === false && build !== undefined) before(() => void run(build, place));

    const ask = (lines: readonly string[]): unknown[] => toVerdicts(run(command, place, toInput(lines)));
    it("is not larger than its limit", () => assert.ok(text.length < maxBytes, `${text.length}`));

    it(`gives the library's verdict on ${strings.length.toLocaleString("en")} strings`, { skip }, () => {
      const asked = hasText ? strings : strings.map((useragent) => useragent.toWellFormed());
      const verdicts = ask(asked.map((useragent) => (hasText ? JSON.stringify(useragent) : toBytes(useragent))));
      const wrong = asked.flatMap((useragent, at) => {
        const [actual, expected] = [verdicts[at], expect(useragent)];
        try {
          assert.deepEqual(actual, expected);
          return [];
        } catch {
          return [{ useragent, actual, expected }];
        }
      });
      // The strings of the catalogue and of corpora are short enough for names to be looked for everywhere.
      assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} differ`);
    });

    it("reads bytes as UTF-8, or else as Latin-1, and a missing header as the empty string", { skip }, () => {
      const latin1 = [
        "\u00c9t\u00e9Bot/1.0",
        "\u009fFooBot",
        "\u00e9 crawl \u00fc",
        "Bot\u00a0Foo/1",
        ...someOf(random, 200),
      ].filter((useragent) => /[\x80-\xff]/.test(useragent) && !/[^\0-\xff]/.test(useragent));
      const utf8 = [...pitfalls, ...someOf(random, 500)].map((useragent) => useragent.toWellFormed());
      const lines = [...utf8.map((useragent) => toBytes(useragent)), ...latin1.map((one) => toBytes(one, "latin1"))];
      assert.deepEqual(ask(["null", ...lines]), ["", ...utf8, ...latin1].map(expect));
    });

    it("decides about strings of any length, and looks for names in 8 KB", { skip }, () => {
      const person = `${firefox} ${"x".repeat(1_000_000)}`;
      const bot = `${firefox} ${"\u00e9".repeat(9_000)} FooBot/1.0`;
      assert.deepEqual([person, bot].map(expect), [{ crawler: false }, { ...anyBot, name: "FooBot" }]);
      assert.deepEqual(ask([person, bot].map((useragent) => toBytes(useragent))), [{ crawler: false }, anyBot]);
    });
  });
}

describe("the module for Python", { skip: needs("python3") }, () => {
  const place = mkdtempSync(join(folder, "module-"));
  writeFileSync(join(place, "whocrawls.py"), write("python"));

  it("does what its docstrings show", () => {
    run(["python3", "-m", "doctest", "whocrawls.py"], place);
  });

  it("may be asked by threads before its tables are read", () => {
    copyFileSync(`${root}test/export/standalone/threads.py`, join(place, "threads.py"));
    assert.equal(run(["python3", "threads.py"], place, JSON.stringify(someOf(fixed, 1_000))), "0\n");
  });

  it("takes no other types", () => {
    const program = "import whocrawls\ntry: whocrawls.is_crawler(1)\nexcept TypeError as error: print(error)";
    assert.equal(run(["python3", "-c", program], place), "a user agent must be str, bytes or None, not int\n");
  });
});

if (isAll)
  describe("the package for Go", { skip: needs("go", "gofmt", "gcc", "as", "ld") }, () => {
    const place = mkdtempSync(join(folder, "package-"));
    mkdirSync(join(place, "whocrawls"));
    writeFileSync(join(place, "whocrawls/whocrawls.go"), write("go"));
    writeFileSync(join(place, "go.mod"), "module example.org/crawlers\n\ngo 1.19\n");
    copyFileSync(`${root}test/export/standalone/main.go`, join(place, "main.go"));

    it("is formatted and vetted", () => {
      const sources = [`${root}src/export/standalone/whocrawls.go`, `${root}docs/clients/middleware/block_ai.go`];
      assert.equal(run(["gofmt", "-l", place, ...sources], place), "");
      run(["go", "vet", "./..."], place);
    });

    it("may be asked by goroutines before its tables are read", () => {
      const useragents = someOf(fixed, 300).filter((text) => text.isWellFormed());
      const output = run(
        ["go", "run", "-race", ".", "together"],
        place,
        toInput(useragents.map((one) => toBytes(one))),
      );
      assert.deepEqual(toVerdicts(output), useragents.map(expect));
    });

    it("has the name of --as, if it can be one", async () => {
      const { stdout } = await runHere(["export", "go", "--as", "crawlers"]);
      assert.match(stdout, /^\/\/ Package crawlers says [\s\S]*?^package crawlers$/m);
      for (const name of ["func", "my-crawlers", "Crawlers"])
        assert.equal((await runHere(["export", "go", "--as", name])).code, 2, name);
    });
  });

describe("the command", () => {
  it("writes the file, and refuses options that would need another catalogue", async () => {
    const { stdout } = await runHere(["export", "python"]);
    assert.equal(stdout, write("python"));
    for (const [option, advice] of [
      ["--category", "select crawlers in your code"],
      ["--catalogue", "whocrawls export automaton"],
    ] as const) {
      const { code, stderr } = await runHere(["export", "php", option, "x.yaml"]);
      assert.equal(code, 2);
      assert.ok(stderr.includes(advice), stderr);
    }
  });
});
