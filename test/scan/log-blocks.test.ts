/** Blocks of whole lines from files of every kind, and the scan that threads make of them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import zlib from "node:zlib";
import { detector } from "../../src/detect/built-in/detector.ts";
import { detectFormat } from "../../src/scan/formats/detect-format.ts";
import { compressionOf, magicBytes, needsMoreBytes } from "../../src/scan/lines/first-bytes.ts";
import type { LogFormat } from "../../src/scan/lines/format.ts";
import { DecompressionError, decompress } from "../../src/scan/run/decompress.ts";
import { blockBytes, createBlockMemory, readBlocks } from "../../src/scan/run/log-blocks.ts";
import { scanLogs, threadsFor } from "../../src/scan/run/scan-logs.ts";
import { startThread } from "../../src/scan/run/scan-threads.ts";
import { shareTables } from "../../src/scan/run/shared-tables.ts";
import { acme, browser, createCustomDetector } from "../support/custom-detector.ts";
import { needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function blocksOf(path: string, memory = createBlockMemory()) {
  const blocks: { text: string; position: number; tooLong: number }[] = [];
  for await (const { bytes, length, position, tooLong } of readBlocks(path, memory)) {
    blocks.push({ text: Buffer.from(bytes.subarray(0, length)).toString("latin1"), position, tooLong });
    memory.give(bytes);
  }
  return blocks;
}

const line = (length: number, character = "a") => `${character.repeat(length - 1)}\n`;

describe("blocks", () => {
  it("are of whole lines, and as large as they can be", async () => {
    const first = line(300_000);
    const second = line(blockBytes - 300_000, "b");
    const third = line(100, "c");
    const path = file("three", first + second + third);
    assert.deepEqual(await blocksOf(path), [
      { text: first + second, position: blockBytes, tooLong: 0 },
      { text: third, position: blockBytes + 100, tooLong: 0 },
    ]);
    // One byte more, and the second line is for the next block.
    const longer = file("longer", `${first}b${second}${third}`);
    const blocks = await blocksOf(longer);
    assert.deepEqual(
      blocks.map(({ text }) => text.length),
      [300_000, blockBytes - 300_000 + 101],
    );
  });

  it("of nothing are none, and the last line needs no end", async () => {
    assert.deepEqual(await blocksOf(file("empty", "")), []);
    assert.deepEqual(await blocksOf(file("open", "a\nb")), [{ text: "a\nb", position: 3, tooLong: 0 }]);
  });

  it("do not begin with a byte order mark", async () => {
    const textOf = async (content: string) => (await blocksOf(file("mark", content))).map(({ text }) => text).join("");
    assert.equal(await textOf("\ufeffua,n\n\ufeffx,1\n"), Buffer.from("ua,n\n\ufeffx,1\n").toString("latin1"));
    assert.equal(await textOf("\ufeff"), "");
    assert.equal(await textOf("ab"), "ab");
  });

  for (const [what, length, kept] of [
    ["as long as a block", blockBytes, true],
    ["longer than a block", blockBytes + 1, false],
    ["as long as two blocks", 2 * blockBytes, false],
    ["longer than two", 2 * blockBytes + 1, false],
  ] as const) {
    it(`leave out a line that is too long: one ${what}`, async () => {
      const path = file("long", `x\n${line(length)}y\n`);
      const blocks = await blocksOf(path);
      const text = blocks.map(({ text }) => text).join("");
      assert.equal(text.length, kept ? length + 4 : 4);
      assert.ok(text.startsWith("x\n") && text.endsWith("\ny\n"));
      assert.equal(
        blocks.reduce((sum, { tooLong }) => sum + tooLong, 0),
        kept ? 0 : 1,
      );
      assert.equal(blocks.at(-1)?.position, length + 4);
    });
  }

  it("count a line that is too long at the end, and several", async () => {
    const atEnd = await blocksOf(file("end", line(blockBytes + 5).trimEnd()));
    assert.deepEqual(
      atEnd.map(({ text, tooLong }) => [text, tooLong]),
      [["", 1]],
    );
    const several = await blocksOf(file("several", `${line(blockBytes + 5)}${line(blockBytes + 5)}z\n`));
    assert.equal(several.map(({ text }) => text).join(""), "z\n");
    assert.equal(
      several.reduce((sum, { tooLong }) => sum + tooLong, 0),
      2,
    );
  });

  it("use memory again", async () => {
    let made = 0;
    const { take, give } = createBlockMemory();
    const seen = new Set<Uint8Array>();
    const memory = {
      take() {
        const bytes = take();
        if (!seen.has(bytes)) made++;
        seen.add(bytes);
        return bytes;
      },
      give,
    };
    await blocksOf(file("many", line(1000).repeat(5000)), memory);
    assert.ok(made <= 2, `${made}`);
    assert.equal(take().length, blockBytes);
  });

  it("of compressed files tell how far the file has been read", { skip: needs("bzip2") }, async () => {
    const text = Array.from({ length: 60_000 }, (_, at) => `${at} ${Math.random()}\n`).join("");
    for (const [name, packed] of [
      ["a.gz", zlib.gzipSync(text)],
      ["b.zst", zlib.zstdCompressSync(text)],
      ["c.bz2", spawnSync("bzip2", { input: text }).stdout],
    ] as const) {
      const blocks = await blocksOf(file(name, packed));
      assert.equal(blocks.map(({ text }) => text).join(""), text);
      assert.ok(blocks.length > 1);
      assert.equal(blocks.at(-1)?.position, packed.length);
      assert.ok((blocks[0]?.position ?? 0) > 0);
      // Bun's zstd does not notice that its input ends too early.
      if (name === "b.zst" && "Bun" in globalThis) continue;
      const cut = file(`cut.${name}`, packed.subarray(0, packed.length - 30));
      await assert.rejects(blocksOf(cut), (error) => {
        assert.ok(error instanceof DecompressionError);
        assert.equal(error.name, "DecompressionError");
        if (name === "c.bz2") assert.match(error.message, /: bzip2: Compressed file ends unexpectedly\.$/);
        return /^The (?:gzip|zstd|bzip2) data is damaged or ends too early: \S.*\.$/.test(error.message);
      });
    }
    await assert.rejects(blocksOf(join(folder, "none")), /ENOENT/);
  });
});

describe("compression", () => {
  it("is told by the first bytes, all of them", () => {
    for (const [bytes, expected] of [
      [[0x1f, 0x8b], "gzip"],
      [[0x28, 0xb5, 0x2f, 0xfd], "zstd"],
      [[0x42, 0x5a, 0x68], "bzip2"],
      [[0xfd, 0x37, 0x7a, 0x58], "xz"],
      [[0x50, 0x4b, 0x03, 0x04], "ZIP"],
    ] as const) {
      assert.ok(bytes.length <= magicBytes);
      assert.equal(compressionOf(Uint8Array.of(...bytes, 0x39).subarray(0, magicBytes)), expected);
      assert.equal(compressionOf(Uint8Array.from(bytes.slice(0, -1))), undefined);
      for (const at of bytes.keys())
        assert.equal(
          compressionOf(Uint8Array.from([...bytes].map(Number).with(at, bytes[at]! ^ 1))),
          undefined,
          `${expected} ${at}`,
        );
    }
  });

  it("is told by as many of the first bytes as it takes", () => {
    for (const [bytes, expected] of [
      [[], true],
      [[0x1f], true],
      [[0x1f, 0x8b], false],
      [[0x28, 0xb5, 0x2f], true],
      [[0x42, 0x5a], true],
      [[0x42, 0x00], false],
      [[0x31], false],
    ] as const)
      assert.equal(needsMoreBytes(Uint8Array.from(bytes)), expected, `${bytes}`);
  });

  it("is told where standard input comes byte by byte", async () => {
    const stdin = Object.getOwnPropertyDescriptor(process, "stdin")!;
    const text = "a line\n";
    for (const bytes of [zlib.gzipSync(text), zlib.zstdCompressSync(text), Buffer.from(text), Buffer.from("B\n")]) {
      const value = Readable.from([...bytes].map((byte) => Buffer.of(byte)));
      Object.defineProperty(process, "stdin", { configurable: true, value });
      const blocks = await blocksOf("-");
      assert.equal(blocks.map(({ text }) => text).join(""), bytes.length < 3 ? "B\n" : text);
    }
    Object.defineProperty(process, "stdin", stdin);
  });

  it("says what decompresses ZIP", async () => {
    await assert.rejects(decompress(Readable.from(["x"]), "ZIP").next(), {
      name: "DecompressionError",
      message: "ZIP files are not supported. Decompress it: unzip -p FILE | whocrawls scan -",
    });
  });

  it("fails where what is compressed cannot be read, and closes it", { skip: needs("bzip2") }, async () => {
    const text = "x".repeat(1_000_000);
    for (const [compression, packed] of [
      ["gzip", zlib.gzipSync(text)],
      ["bzip2", spawnSync("bzip2", { input: text }).stdout],
    ] as const) {
      const source = new Readable({
        read() {
          this.destroy(new Error("the disk is gone"));
        },
      });
      await assert.rejects(decompress(source, compression).next(), {
        message: `The ${compression} data is damaged or ends too early: the disk is gone.`,
      });
      assert.equal(source.destroyed, true);
      const left = Readable.from([packed]);
      for await (const _ of decompress(left, compression)) break;
      assert.equal(left.destroyed, true);
    }
  });
});

describe("a scan", () => {
  const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const request = (useragent: string, path = "/") =>
    `192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 100 "-" "${useragent}"\n`;

  async function scan(paths: readonly string[], more: Partial<Parameters<typeof scanLogs>[0]> = {}) {
    const progress: [bytes: number, lines: number][] = [];
    const errors: [path: string, message: string][] = [];
    const output: string[] = [];
    const samples: (readonly string[])[] = [];
    const tally = await scanLogs({
      paths,
      threads: 2,
      catalogue: detector.catalogue,
      task: {},
      signal: new AbortController().signal,
      formatOf: (_, lines) => {
        samples.push(lines);
        const format = detectFormat(lines);
        if (format === undefined) throw new Error("no format");
        return format;
      },
      onProgress: (bytes, lines) => progress.push([bytes, lines]),
      onOutput: async (bytes) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        output.push(Buffer.from(bytes).toString("latin1"));
      },
      onEmpty: (path) => errors.push([path, "empty"]),
      onError: (path, error) => errors.push([path, error.message]),
      ...more,
    });
    return { tally, progress, errors, output, samples };
  }

  const requests = Array.from({ length: 12_000 }, (_, at) => request(at % 4 === 0 ? googlebot : firefox, `/${at}`));
  const log = requests.join("");
  const path = file("access.log", log);

  it("adds up what all threads have counted, says how far it is, and goes on after errors", async () => {
    const small = file("small.log", request(googlebot));
    const { tally, progress, errors, output, samples } = await scan([join(folder, "none"), path, small]);
    assert.equal(tally.lines, 12_001);
    assert.equal(tally.broken, 0);
    assert.deepEqual([...tally.crawlers.keys()].length, 1);
    assert.deepEqual(progress.at(-1), [log.length + request(googlebot).length, 12_001]);
    assert.ok(progress.length > 3);
    for (const [at, [bytes, lines]] of progress.entries()) {
      const [bytesBefore = 0, linesBefore = 0] = progress[at - 1] ?? [];
      assert.ok(bytes > bytesBefore && lines >= linesBefore, `${progress}`);
    }
    assert.deepEqual(
      errors.map(([path, message]) => [path, /ENOENT/.test(message)]),
      [[join(folder, "none"), true]],
    );
    assert.deepEqual(output, []);
    assert.deepEqual(
      samples.map((lines) => lines.length),
      [100, 1],
    );
    assert.equal(samples[0]?.[0], requests[0]?.trimEnd());
  });

  it("starts no threads for logs that together are short", async () => {
    let started = 0;
    const note = () => started++;
    process.on("worker", note);
    const small = [file("one.log", request(googlebot)), file("two.log", request(firefox).repeat(100))];
    const { tally } = await scan(small, { threads: 3 });
    assert.deepEqual([tally.lines, started], [101, 0]);
    await scan([...small, path], { threads: 3 });
    assert.equal(started, 2);
    process.off("worker", note);
  });

  it("knows the crawlers of its catalogue, in all threads", async () => {
    const own = createCustomDetector();
    const lines = Array.from({ length: 12_000 }, (_, at) => request(at % 3 === 0 ? acme : browser));
    const { tally } = await scan([file("own.log", lines.join(""))], { catalogue: own.catalogue });
    assert.deepEqual(
      [...tally.crawlers.values()].map(({ facts, requests }) => [facts.name, requests]),
      [["Acme Monitor", 4000]],
    );
  });

  it("ends with the cause if a thread dies", async () => {
    const bad: LogFormat = { name: "bad", escapes: "none" };
    const [one, two] = [file("bad1.log", log), file("bad2.log", log)];
    const scanned = scan([path, one, two, path, path], {
      formatOf: (name, lines) => (name === path ? detectFormat(lines)! : bad),
    });
    const cause = { name: "ThreadError", message: /The format bad does not describe its lines/ };
    await assert.rejects(scanned, cause);
    const thread = startThread({ task: {}, tables: shareTables(detector.catalogue) });
    const block = () => thread.scan(new Uint8Array(1), [{ from: 0, to: 1, format: bad }]);
    await assert.rejects(block(), cause);
    await assert.rejects(block(), cause);
  });

  it("has further threads only for what is left of long logs", () => {
    const megabyte = 1_000_000;
    for (const [what, sent, read, totalBytes, expected] of [
      ["a short log", 1, 1, 50, 1],
      ["a long log", 1, 1, 130, 3],
      ["a longer log than there are threads", 1, 1, 10_000, 4],
      ["the end of a long log", 950, 950, 1000, 1],
      ["a compressed log", 10, 1, 20, 3],
      ["the beginning of a pipe", 60, 60, undefined, 1],
      ["a long pipe", 130, 130, undefined, 3],
    ] as const) {
      const [sentBytes, bytesRead, total] = [sent, read, totalBytes].map((some) => some && some * megabyte);
      const options = { threads: 4, threadBytes: 64 * megabyte, totalBytes: total };
      assert.equal(threadsFor(sentBytes!, bytesRead!, options), expected, what);
      assert.equal(threadsFor(sentBytes!, bytesRead!, { threads: 4 }), 4, what);
    }
    assert.equal(threadsFor(1000, 1000, { threads: 4 }), 1);
  });

  it("passes lines through in order, one after the other", async () => {
    const { output } = await scan([path, path], { task: { only: "crawlers" }, threads: 3 });
    const expected = requests.filter((line) => line.includes("Googlebot")).join("");
    assert.ok(output.join("") === expected + expected);
    assert.ok(output.every((text) => text !== ""));
  });

  it("reads the blocks after a directive as it says", async () => {
    const agents = (useragent: string) => useragent.replaceAll(" ", "+");
    const columns = "#Fields: date cs(User-Agent)\n2026-03-02 curl/8.5.0\n#Fields: cs(User-Agent) sc-bytes date\n";
    const rows = `${agents(googlebot)} 1 2026-03-02\n`.repeat(15_000);
    const { tally } = await scan([file("changed.log", columns + rows)]);
    assert.ok(rows.length > 2 * blockBytes);
    assert.deepEqual([tally.broken, tally.bytes, tally.crawlerRequests], [0, 15_000, 15_001]);
  });

  it("counts lines that are too long as broken", async () => {
    const long = file("long.log", `${request(googlebot)}${line(blockBytes + 10)}${request(firefox)}`);
    const { tally, progress } = await scan([long]);
    assert.deepEqual([tally.lines, tally.broken], [3, 1]);
    assert.equal(progress.at(-1)?.[1], 2);
  });

  it("says which file has no format, and takes none of a file's first lines that is cut", async () => {
    const strange = file("strange.log", "what is this\n");
    assert.deepEqual((await scan([strange], { formatOf: () => assert.fail("no format") })).errors, [
      [strange, "no format"],
    ]);
    const few = file("few.log", request(googlebot, `/${"x".repeat(30_000)}`).repeat(4));
    const { samples } = await scan([few]);
    assert.equal(samples[0]?.length, 2);
    assert.ok(samples[0]?.every((line) => line.endsWith('bot.html)"')));
    const one = file("one.log", request(googlebot, `/${"x".repeat(100_000)}`));
    const cut = await scan([one], { formatOf: (_, lines) => assert.fail(`${lines.length}, ${lines[0]?.length}`) });
    assert.equal(cut.errors[0]?.[1], "1, 65536");
    const windows = file("windows.log", request(googlebot).repeat(3).replaceAll("\n", "\r\n"));
    assert.equal((await scan([windows])).samples[0]?.[1], request(googlebot).trimEnd());
  });

  it("ends early where it is told to", async () => {
    const controller = new AbortController();
    const { tally, samples } = await scan([path, path], {
      threads: 1,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    assert.ok(tally.lines > 0 && tally.lines <= 12_000, `${tally.lines}`);
    assert.equal(samples.length, 1);
    const aborted = await scan([path], { signal: AbortSignal.abort() });
    assert.deepEqual([aborted.tally.lines, aborted.samples.length], [0, 0]);
  });
});
