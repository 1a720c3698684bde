/** Template lines, times and remembered values, read from bytes, are those that plain code finds in strings. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createByteCache } from "../../src/cache/byte-cache.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import type { LogFormat } from "../../src/scan/lines/format.ts";
import { parseFormatString } from "../../src/scan/lines/format-string.ts";
import { createLogLine, field, outcome } from "../../src/scan/lines/line.ts";
import { createTemplateReader } from "../../src/scan/lines/template.ts";
import { readTime } from "../../src/scan/lines/time.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const combinedTemplate = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"';
const templates = [
  combinedTemplate,
  '$remote_addr [$time_local] "$request" $status $body_bytes_sent "$http_user_agent"',
  'ua="$http_user_agent" status=$status',
  '"$http_user_agent" -- $msec -- $request_uri',
  "%h %{User-Agent}i",
  'a prefix of more than sixteen bytes: $status <= a delimiter => "$http_user_agent"',
];
/** What delimiters consist of, so that they are met in part, escaped, and twice. */
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

/** The texts of the variables of a line that ends as its template does; undefined if they do not fit. */
function valuesOf(line: string, literals: readonly string[]): readonly string[] | undefined {
  if (!line.startsWith(literals[0]!)) return undefined;
  let rest = line.slice(literals[0]!.length);
  const values: string[] = [];
  for (const [index, delimiter] of literals.slice(1).entries()) {
    const isQuoted = literals[index]!.endsWith('"') && delimiter.startsWith('"');
    const searched = isQuoted ? rest.replace(/\\./gs, "\0\0") : rest;
    const isLast = index === literals.length - 2;
    // The delimiter before may have taken the last quotation mark: such a line is cut, and its last text is empty.
    const isCut = isLast && isQuoted && rest === "";
    const end = isLast ? rest.length - (isCut ? 0 : delimiter.length) : searched.indexOf(delimiter);
    if (end < 0) return undefined;
    values.push(rest.slice(0, end));
    rest = rest.slice(end + delimiter.length);
  }
  return values;
}

describe("a line of a template", () => {
  it("has the fields that stand between the literals", () => {
    let requests = 0;
    for (const template of templates) {
      const { literals, variables } = parseFormatString(template);
      const read = createTemplateReader(template);
      // A line as the template writes it, and any other that ends as the template does.
      const fitting = fc
        .array(text, { minLength: 12, maxLength: 12 })
        .map((values) => literals.map((literal, index) => `${index > 0 ? values[index % 12] : ""}${literal}`).join(""));
      const other = text.map((text) => `${text}${literals.at(-1)}`);
      fc.assert(
        fc.property(fc.oneof(fitting, other), fc.nat(40), (content, before) => {
          // What lies around a line does not matter.
          const bytes = encoder.encode(`${'"'.repeat(before)}${content}${'"'.repeat(64)}`);
          const line = createLogLine();
          const result = read(bytes, before, bytes.length - 64, line);
          const values = valuesOf(content, literals);
          const status = values?.[variables.findIndex((variable) => variable.field === "status")] ?? "200";
          // The user of the common log: several words, but no hyphen among them.
          const [, ...user] = `${values?.[1]} ${values?.[2]}`.split(" ").filter(Boolean);
          const isUser = template !== combinedTemplate || user.length < 2 || !user.includes("-");
          const isRequest = values !== undefined && isUser && /^(?:[\d-]\d\d|-\d|[\d-])$/.test(status);
          assert.equal(result, isRequest ? outcome.request : outcome.broken);
          if (!isRequest) return;
          requests++;
          for (const [index, { field: name }] of variables.entries()) {
            if (name === undefined) continue;
            const read = decoder.decode(bytes.subarray(line.from[field[name]], line.to[field[name]]));
            assert.equal(read, values[index]);
          }
        }),
        { numRuns: 1000 },
      );
    }
    assert.ok(requests > 1000, `${requests}`);
  });

  it("has the time that Date.parse finds", () => {
    const two = (least: number, most: number) =>
      fc.integer({ min: least, max: most }).map((number) => String(number).padStart(2, "0"));
    const zone = fc.constantFrom("+0000", "+0130", "-0800");
    fc.assert(
      fc.property(
        two(1, 28),
        fc.constantFrom("Mar", "Feb", "Dec"),
        two(0, 23),
        two(0, 59),
        two(0, 59),
        zone,
        (...all) => {
          const [day, month, hour, minute, second, zone] = all;
          const bytes = encoder.encode(`${day}/${month}/2026:${hour}:${minute}:${second} ${zone}`);
          const expected = Date.parse(`${day} ${month} 2026 ${hour}:${minute}:${second} ${zone}`) / 1000;
          assert.equal(readTime(bytes, 0, bytes.length), expected);
        },
      ),
    );
    for (const text of [
      "x2/Mar/2026:10:00:00 +0000",
      "02/Foo/2026:10:00:00 +0000",
      "02/Mar/2026:10:00:0x +0000",
      "-",
      "",
    ])
      assert.ok(Number.isNaN(readTime(encoder.encode(text), 0, text.length)), text);
  });
});

it("a cache of bytes has the value of the bytes, however many there are", () => {
  const textOf = createByteCache((bytes, from, to) => decoder.decode(bytes.subarray(from, to)), 16, 32);
  const short = fc.string({ unit: fc.constantFrom("a", "b", "\0", "\u00e9"), maxLength: 40 });
  fc.assert(
    fc.property(fc.array(short, { maxLength: 30 }), (texts) => {
      const all = encoder.encode(texts.join(""));
      let at = 0;
      for (const text of texts) {
        const end = at + encoder.encode(text).length;
        assert.equal(textOf(all, at, end), text);
        at = end;
      }
    }),
  );
});

it("more agents and paths than are remembered are counted", () => {
  const format: LogFormat = { name: "combined", escapes: "backslash", template: combinedTemplate };
  const scanner = createScanner({ check: detector.check, isByRule: () => false });
  let crawlers = 0;
  for (let round = 0; round < 6; round++) {
    const lines = Array.from({ length: 3000 }, (_, index) => {
      const number = round * 1500 + index;
      const [path, isCrawler] = [`/${"p".repeat(number % 200)}${number}`, number % 3 > 0];
      if (isCrawler) crawlers++;
      const agent = isCrawler ? `Googlebot/2.1 ${"x".repeat(number % 300)}${number}` : `Mozilla/5.0 (X11; ${number})`;
      return `192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] "GET ${path}?q=1 HTTP/1.1" 200 1 "-" "${agent}"`;
    });
    const block = encoder.encode(`${lines.join("\r\n")}\n\nno request\n`);
    scanner.scan(block, block.length, format);
  }
  const { crawlerRequests, requests, broken, lines } = scanner.tally;
  assert.deepEqual([requests, crawlerRequests, broken, lines], [18_000, crawlers, 6, 18_012]);
});
