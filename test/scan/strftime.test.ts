/** Times by the patterns of strftime(3), compared with what Python's strftime writes where it is installed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { parseTimePattern } from "../../src/scan/lines/strftime.ts";
import { needs } from "../support/needs.ts";

describe("a pattern", () => {
  for (const [pattern, text, expected] of [
    ["%d/%b/%Y:%H:%M:%S %z", "01/Mar/2026:10:00:00 +0200", "2026-03-01T08:00:00.000Z"],
    ["%Y-%m-%d %H:%M", "2026-03-01 10:00", "2026-03-01T10:00:00.000Z"],
    ["%e %b %y, %I:%M:%S %p", " 1 Mar 26, 12:05:00 AM", "2026-03-01T00:05:00.000Z"],
    ["%D %r", "03/01/99 12:05:00 pm", "1999-03-01T12:05:00.000Z"],
    ["%Y.%j %k:%M", "2024.366  9:01", "2024-12-31T09:01:00.000Z"],
    ["%c", "Sun Mar  1 10:00:00 2026", "2026-03-01T10:00:00.000Z"],
    ["%s", "1772355600", "2026-03-01T09:00:00.000Z"],
    ["%F %T %Z", "2026-03-01 10:00:00 UTC", "2026-03-01T10:00:00.000Z"],
    ["%F %T %Z", "2026-03-01 10:00:00 CEST", undefined],
    ["%Y-%m-%d %H:%M:%S %z %Z", "2026-03-01 10:00:00 +0100 CET", "2026-03-01T09:00:00.000Z"],
    ["%F %T %Z %z", "2026-03-01 10:00:00 CET +0100", "2026-03-01T09:00:00.000Z"],
    ["%c %d", "Sun Mar  1 10:00:00 2026 01", "2026-03-01T10:00:00.000Z"],
    ["%F %R %k:%M %l", "2026-03-01 10:00 10:00 10", "2026-03-01T10:00:00.000Z"],
    ["%F %T", "2026-02-30 10:00:00", undefined],
    ["%F %T", "2026-03-01 10:00", undefined],
    ["%d %B %Y %R", "01 März 2026 10:00", undefined],
    ["%I:%M %F", "10:00 2026-03-01", undefined],
  ] as const)
    it(`${pattern} reads ${JSON.stringify(text)} as ${expected}`, () => {
      const seconds = parseTimePattern(pattern).read(text);
      assert.equal(Number.isNaN(seconds) ? undefined : new Date(seconds * 1000).toISOString(), expected);
    });

  it("with a directive that is not known is an error that names it", () =>
    assert.throws(() => parseTimePattern("%Y %Q"), /"%Q", which is not supported/));
});

it("reads what Python writes", { skip: needs("python3") }, () => {
  const patterns = [
    "%d/%b/%Y:%H:%M:%S %z",
    "%a %b %d %H:%M:%S %Y",
    "%F %T",
    "%m/%d/%y %I:%M:%S %p",
    "%Y.%j %H.%M.%S",
    "%A, %d. %B %Y %T",
    "%s",
  ];
  const program = `import datetime, json, os, random, sys, time
os.environ["TZ"] = "UTC"
time.tzset()
random.seed(5)
rows = []
for pattern in json.loads(sys.argv[1]):
    for _ in range(300):
        seconds = random.randrange(86400 * 365, 4070908800)
        rows.append([pattern, datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime(pattern), seconds])
print(json.dumps(rows))`;
  const { stdout } = spawnSync("python3", ["-c", program, JSON.stringify(patterns)], { encoding: "utf8" });
  const rows = JSON.parse(stdout) as [string, string, number][];
  assert.equal(rows.length, 300 * patterns.length);
  for (const [pattern, text, seconds] of rows) {
    // A year of two digits is between 1969 and 2068.
    if (pattern.includes("%y") && seconds > 3_124_223_999) continue;
    assert.equal(parseTimePattern(pattern).read(text), seconds, `${pattern}: ${text}`);
  }
});
