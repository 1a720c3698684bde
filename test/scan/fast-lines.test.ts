/** What reads lines in WebAssembly answers as the modules that it stands in for: template.ts, time.ts and byte-cache.ts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createFastLines } from "../../src/scan/count/fast-lines.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import type { LogFormat } from "../../src/scan/lines/format.ts";
import { createLogLine, fieldNames, outcome } from "../../src/scan/lines/line.ts";
import { createTemplateReader } from "../../src/scan/lines/template.ts";
import { readTime } from "../../src/scan/lines/time.ts";
import { compileScanLines } from "../../src/scan/run/scan-threads.ts";

const module = compileScanLines();
assert.ok(module !== undefined);
const encoder = new TextEncoder();

const combinedTemplate = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"';
const templates = [
  combinedTemplate,
  '$remote_addr [$time_local] "$request" $status $body_bytes_sent "$http_user_agent"',
  'ua="$http_user_agent" status=$status',
  '"$http_user_agent" -- $msec -- $request_uri',
  "%h %{User-Agent}i",
  'a prefix of more than sixteen bytes: $status <= a delimiter => "$http_user_agent',
];
/** What delimiters consist of, so that they are met in part, escaped, twice, and at the ends of sixteen bytes. */
const bit = fc.constantFrom(
  ...'"\\ []-=<>:ab\u00e9',
  '" "',
  '" ',
  "] ",
  " <= a delimiter => ",
  "0123456789abcdef",
  "\\\\",
);
const text = fc.array(bit, { maxLength: 12 }).map((bits) => bits.join(""));

describe("lines in WebAssembly", () => {
  it("have the same fields", () => {
    const fast = createFastLines(module);
    let requests = 0;
    for (const template of templates) {
      assert.ok(fast.use(template));
      const plain = createTemplateReader(template);
      const read = fast.createReader(plain);
      // A line as the template writes it, and any other.
      const fitting = fc.array(text, { minLength: 12, maxLength: 12 }).map((values) => {
        let next = 0;
        return template.replace(/[%$](?:\{[^}]*\})?[\w>]*/g, (name) => (name === "%t" ? "[1]" : values[next++ % 12]!));
      });
      fc.assert(
        fc.property(fc.oneof(fitting, text), fc.nat(40), (content, before) => {
          const bytes = encoder.encode(content);
          const to = before + bytes.length;
          // What lies around a line does not matter.
          fast.block.fill(0x22, 0, to + 64);
          fast.block.set(bytes, before);
          const line = createLogLine();
          const expected = plain(fast.block, before, to, line);
          fast.line.from.fill(-1);
          const found = read(fast.block, before, to, fast.line);
          assert.equal(found, expected);
          if (expected !== outcome.request) return;
          requests++;
          assert.deepEqual([...fast.line.from], [...line.from]);
          for (const [at, from] of line.from.entries()) if (from !== -1) assert.equal(fast.line.to[at], line.to[at]);
        }),
        { numRuns: 1000 },
      );
    }
    assert.ok(requests > 1000, `${requests}`);
    assert.equal(fieldNames.length, fast.line.from.length);
  });

  it("end where they do", () => {
    const { block, endOf } = createFastLines(module);
    block.fill(0x0a);
    for (let length = 0; length < 50; length++) {
      for (let from = 0; from <= length; from += 7) {
        block.fill(0x61, 0, length);
        assert.equal(endOf(from, length + 20), length);
        assert.equal(endOf(from, length), length);
      }
    }
    assert.equal(endOf(block.length - 1, block.length), block.length - 1);
  });

  it("have the same times", () => {
    const fast = createFastLines(module);
    const digit = fc.constantFrom(..."0123456789x");
    const times = fc
      .tuple(
        fc.constantFrom("02", "31", "x1"),
        fc.constantFrom("Mar", "Feb", "Foo"),
        fc.constantFrom("00", "59"),
        digit,
      )
      .chain(([day, month, minute, tens]) =>
        fc
          .tuple(digit, fc.constantFrom("+0000", "+0130", "-0800"))
          .map(([ones, zone]) => `${day}/${month}/2026:10:${minute}:${tens}${ones} ${zone}`),
      );
    const other = fc.constantFrom("2026-03-02T10:00:00.123456", "1772445600", "-", "02/Mar/2026:10:00:00", "");
    fc.assert(
      fc.property(fc.array(fc.oneof(times, times, other), { maxLength: 20 }), (all) => {
        // Each a second time, so that many are of the minute before.
        for (const time of all.flatMap((time) => [time, time, time.replace(/\d \+/, "7 +")])) {
          const bytes = encoder.encode(time);
          fast.block.set(bytes, 5);
          assert.equal(fast.readTime(fast.block, 5, 5 + bytes.length), readTime(bytes, 0, bytes.length), time);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("are left to others where a format has more parts than there is room for", () => {
    const fast = createFastLines(module);
    assert.ok(fast.use(templates[0]!));
    assert.ok(!fast.use(`${"x".repeat(200)}$http_user_agent`));
    assert.ok(!fast.use(`$status ${"x".repeat(30)} $http_user_agent`));
    assert.ok(!fast.use(Array.from({ length: 100 }, () => "$status").join(" ")));
    assert.throws(() => fast.use("no variable"), /has no variable/);
  });

  it("are counted alike, with more agents and paths than are remembered", () => {
    const format: LogFormat = { name: "combined", escapes: "backslash", template: combinedTemplate };
    const scanners = [undefined, createFastLines(module)].map((fastLines) =>
      createScanner({
        check: detector.check,
        isByRule: () => false,
        fastLines,
        task: { verify: true, annotate: true },
      }),
    );
    let seed = 7;
    const random = (limit: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (seed >>> 8) % limit;
    };
    const agents = ["Googlebot/2.1", "Mozilla/5.0 (X11; Linux x86_64)", "-", 'a \\"quoted\\" bot', "curl/8.5.0"];
    for (let round = 0; round < 6; round++) {
      const lines = Array.from({ length: 3000 }, () => {
        const agent =
          random(3) === 0 ? `${agents[random(5)]} ${"x".repeat(random(300))}${random(9999)}` : agents[random(5)];
        const path = `/${"p".repeat(random(9) === 0 ? random(200) : random(20))}${random(20) < 15 ? random(9) : random(30_000)}`;
        const time = `0${1 + random(2)}/Mar/2026:10:0${random(3)}:${10 + random(50)} +0000`;
        const end = random(50) === 0 ? ' "more"' : random(50) === 0 ? "\r" : "";
        return random(40) === 0
          ? "no request"
          : `192.0.2.${random(9)} - - [${time}] "GET ${path}?q=1 HTTP/1.1" ${200 + random(5)} ${random(9999)} "-" "${agent}"${end}`;
      });
      const block = encoder.encode(`${lines.join("\n")}\n\n`);
      const [plain, fast] = scanners.map((scanner) => scanner.scan(block, block.length, format));
      assert.ok(plain !== undefined && fast !== undefined && Buffer.compare(plain, fast) === 0);
    }
    const [plain, fast] = scanners.map(({ tally }) => tally);
    assert.ok(plain !== undefined && plain.broken > 100 && plain.crawlers.size > 2);
    assert.deepEqual(fast, plain);
  });
});
