/** bzip2 gives what was compressed, however the bytes arrive, in bounded memory; damaged data are refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decompressBzip2 } from "../../src/scan/run/bzip2.ts";

const helloText = "hello hello hello\n";
const hello = Buffer.from("QlpoOTFBWSZTWeW18wkAAARRAAAQQAACRKAAIbUYDAKQacKjC7kinChIctr5hIA=", "base64");
/** Runs of every kind, all bytes, and text. */
const mixedText = [
  `aaaa${"b".repeat(259)}${"c".repeat(255)}dddde`,
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString("latin1"),
  Buffer.from("Größe 🤖 ".repeat(3)).toString("latin1"),
].join("");
const mixed = Buffer.from(
  "QlpoMTFBWSZTWfCx/NwAADh/////////////////////////////////////////////sAD2mZL9SYmAmAAAAAAABMAAAAAAAAAARgAAAAAAAAAAAAAAAAAAAI0wd6ppkAAAAmAAAAmBMAAAAADImAIwBMAJppgGiYJkYI0wAmTJgATARgABBkxMAAQQAAAAAAAAAAAAAAAAAAAAAAmATAAAAAAAAAAAAAACYAAmAAhxchAYOMDI0Njg6PD5AQkRGSEpMTlBSVFZYWlxeYeAxMjM0FANQGxucHJ0dnh6fH5gYmRmaGpsbnBydHZ4enx+gIKEhoiKjI6QkpSWmfhQAJyeoKKkpqiqrK6wsrS2uLq8vtze4OLk5iBACwSJB3CQoQOLBXUIFFnUAcKGpABlh2d3h5ent8fX7yeV/PwQEDBQcJCw0P5oiJiouMjY6PkJHzyXok/TKSstLzEzNTYqcnacE9Cz9BQ0Xro6TAB7eQCfTUdICgUojTU9RU1VXWVtdX2FjZWdpa2wyBb3FzdXd5e31/gYOEGAKAGH+cTFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e6QA71Lw8fLz9PX2/v+mJn5m/r7/P0XckU4UJDwsfzc",
  "base64",
);
const nothing = Buffer.from("QlpoORdyRThQkAAAAAA=", "base64");
/** 20,000,000 zeros. */
const zeros = Buffer.from("QlpoOTFBWSZTWb/Kr8QAmS/CAMAAAAgACCAAMMwFKaaqkRRsAoijxdyRThQkL/Kr8QA=", "base64");

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function textOf(bytes: Uint8Array, size = 1000): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of decompressBzip2(cut(bytes, size))) pieces.push(piece);
  return Buffer.concat(pieces).toString("latin1");
}

describe("bzip2", () => {
  it("is the same however its bytes arrive, also of several streams", async () => {
    const streams = Buffer.concat([hello, nothing, mixed, hello]);
    const expected = `${helloText}${mixedText}${helloText}`;
    for (const size of [1, 2, 7, 100, 10_000]) assert.equal(await textOf(streams, size), expected);
    assert.equal(await textOf(Buffer.alloc(0)), "");
  });

  it("that stands for very much is decompressed piece by piece", async () => {
    const before = process.memoryUsage().rss;
    let length = 0;
    let most = 0;
    for await (const piece of decompressBzip2(cut(zeros, 1000))) {
      assert.ok(piece.length <= 65_536 && piece[0] === 0 && piece.at(-1) === 0);
      length += piece.length;
      if (length % (64 * 65_536) === 0) most = Math.max(most, process.memoryUsage().rss - before);
    }
    assert.equal(length, 20_000_000);
    assert.ok(most < 60e6, `${most} bytes`);
  });

  it("that is damaged, cut or something else is refused, whichever byte it is", async () => {
    let refused = 0;
    for (let at = 0; at < mixed.length; at++) {
      const damaged = Uint8Array.from(mixed);
      damaged[at]! ^= 1 << (at % 8);
      // The size of blocks and a few bits that fill bytes up do not change the text.
      await textOf(damaged).then(
        (text) => assert.ok(text === mixedText, `byte ${at}`),
        () => refused++,
      );
      if (at > 0) await assert.rejects(textOf(mixed.subarray(0, at)), /unexpected end of the data/);
    }
    assert.ok(refused >= mixed.length - 5, `${refused} of ${mixed.length}`);
    await assert.rejects(textOf(Buffer.concat([hello, Buffer.from("garbage")])), /not bzip2/);
  });
});
