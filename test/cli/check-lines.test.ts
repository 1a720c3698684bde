/** `whocrawls check -`: one verdict a line, in order, while the lines come in; whatever the bytes. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { splitLines } from "../../src/cli/standard-streams.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { entryOf, runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const verdicts = (...useragents: readonly string[]): string =>
  useragents.map((useragent) => `${JSON.stringify(detector.check(useragent))}\n`).join("");

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const inputs: readonly { name: string; input: string | Uint8Array; lines: readonly string[] }[] = [
  { name: "nothing", input: "", lines: [] },
  { name: "a last line without its end", input: "a\nb", lines: ["a", "b"] },
  {
    name: "lines with all kinds of ends and bytes, the last one cut within a character",
    input: Buffer.concat([
      Buffer.from("\n\nGooglebot/2.1\ncurl/8.5.0\nperson\na\r\nb\r\n\r\na\rb\nбот 🤖\nбот\na\0b\x1b\n\n"),
      Buffer.from("bot\xff\xfe\nx\xc3", "latin1"),
    ]),
    lines: [
      ...["", "", "Googlebot/2.1", "curl/8.5.0", "person", "a", "b", "", "a\rb", "бот 🤖", "бот", "a\0b\x1b", ""],
      ...["bot\ufffd\ufffd", "x\ufffd"],
    ],
  },
  { name: "a last line that ends with a carriage return", input: "c\r", lines: ["c"] },
  {
    name: "a line of a megabyte",
    input: `${firefox}${" y".repeat(500_000)}\nbot\n`,
    lines: [`${firefox}${" y".repeat(500_000)}`, "bot"],
  },
];

const logLines = [
  '192.0.2.1 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "Googlebot/2.1"',
  'example.org "POST /a HTTP/2" 200',
  '{"time":"2026-11-21T10:00:00Z","useragent":"Googlebot/2.1"}',
];

describe("whocrawls check -", () => {
  for (const { name, input, lines } of inputs) {
    it(`answers ${name}`, async () => {
      const { code, stdout, stderr } = await runHere(["check", "-"], input);
      assert.equal(stderr, "");
      // Not assert.equal: it takes minutes to compare megabytes that differ.
      assert.ok(stdout === verdicts(...lines), stdout.slice(0, 1000));
      assert.equal(code, 0);
    });
  }

  it("reads lines of a request's head among user agents as user agents", async () => {
    const lines = [firefox, firefox, "user-agent: okhttp/4.9"];
    assert.equal((await runHere(["check", "-"], lines.join("\n"))).stdout, verdicts(...lines));
  });

  it("reads a few log lines among user agents as user agents", async () => {
    const lines = [firefox, ...logLines, ...Array<string>(4).fill("Googlebot/2.1")];
    const { code, stdout } = await runHere(["check", "-"], lines.join("\n"));
    assert.equal(stdout, verdicts(...lines));
    assert.equal(code, 0);
  });
});

for (const [name, runtime] of testedOn()) {
  describe(`whocrawls check - as a process on ${name}`, () => {
    it("answers 50,000 lines in order", async () => {
      const lines = Array.from({ length: 50_000 }, (_, index) =>
        index % 3 === 0
          ? `SomeBot/${index}`
          : `Mozilla/5.0 (X11; Linux x86_64; rv:${index}.0) Gecko/20100101 Firefox/${index}.0`,
      );
      const { code, stdout } = await runWhocrawls(runtime, ["check", "-"], lines.join("\n"));
      const answered = stdout.trimEnd().split("\n");
      assert.equal(answered.length, lines.length);
      answered.forEach((line, index) => {
        const { useragent, crawler } = JSON.parse(line) as { useragent: string; crawler: boolean };
        if (useragent !== lines[index] || crawler !== (index % 3 === 0)) assert.fail(line);
      });
      assert.equal(code, 0);
    });

    it("reads no further while nobody reads what it writes", async () => {
      const child = spawn(runtime, [entryOf(runtime), "check", "-"]);
      const lines = "Mozilla/5.0 (compatible; FooBot/1.0)\n".repeat(30_000);
      const most = 40;
      let taken = 0;
      for (let isTaken = true; isTaken && taken < most; taken++) {
        if (child.stdin.write(lines)) continue;
        isTaken = await Promise.race([once(child.stdin, "drain").then(() => true), sleep(2_000, false)]);
      }
      child.kill("SIGKILL");
      assert.ok(taken < most / 2, `${taken} megabytes were taken of somebody who reads no answer`);
    });

    it("answers a line before the next one comes", async () => {
      const child = spawn(runtime, [entryOf(runtime), "check", "-"]);
      for (const useragent of ["first", "second bot"]) {
        child.stdin.write(`${useragent}\n`);
        const [chunk] = await once(child.stdout, "data");
        assert.equal(String(chunk), verdicts(useragent));
      }
      child.stdin.end();
      const [code] = await once(child, "close");
      assert.equal(code, 0);
    });

    it("ends quietly when its reader has gone", async () => {
      const child = spawn(runtime, [entryOf(runtime), "check", "-"]);
      let stderr = "";
      child.stderr.on("data", (chunk) => {
        stderr += chunk;
      });
      child.stdin.on("error", () => {});
      const feed = setInterval(() => child.stdin.write("Googlebot/2.1\n".repeat(5000)), 5);
      await once(child.stdout, "data");
      child.stdout.destroy();
      const [code] = await once(child, "exit");
      clearInterval(feed);
      assert.equal(stderr, "");
      assert.equal(code, 0);
    });
  });
}

describe("splitLines", () => {
  it("finds the same lines however the bytes are cut", async () => {
    const bytes = Buffer.from("ä\r\n\nlonger line 🤖\nü");
    for (let size = 1; size <= bytes.length; size++) {
      const lines: string[] = [];
      for await (const some of splitLines(cut(bytes, size))) lines.push(...some);
      assert.deepEqual(lines, ["ä", "", "longer line 🤖", "ü"]);
    }
  });
});

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
