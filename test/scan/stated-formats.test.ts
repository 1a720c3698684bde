/** No field of a log in a stated format is lost or changed without a message: random formats and lines, which a program in Python writes. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { inspectLog } from "../../src/scan/formats/inspect-log.ts";
import { createReader, type LogFormat } from "../../src/scan/lines/format.ts";
import { createLogLine, type FieldName, field, outcome } from "../../src/scan/lines/line.ts";
import { readTime } from "../../src/scan/lines/time.ts";
import { decodeField } from "../../src/scan/lines/unescape.ts";
import { needs } from "../support/needs.ts";

type Fields = Readonly<Record<string, string | number>>;

const writer = fileURLToPath(new URL("write_logs.py", import.meta.url));

function formatOf(lines: readonly string[], logFormat: string): LogFormat | undefined {
  try {
    return inspectLog(lines, { logFormat }).format;
  } catch (error) {
    assert.match((error as Error).message, /^The first lines do not match --log-format/);
    return undefined;
  }
}

it("fields of stated formats are read as they were written, or the line is broken", {
  skip: needs("python3"),
}, () => {
  const { stdout, stderr } = spawnSync("python3", [writer, "7", "400", "30"], { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(stderr, "");
  const logs = JSON.parse(stdout) as [format: string, rows: [line: string, fields: Fields][]][];
  let read = 0;
  let refused = 0;
  for (const [text, rows] of logs) {
    const lines = rows.map(([line]) => line);
    // A message, and exit code 2.
    const format = formatOf(lines, text);
    if (format === undefined) {
      refused++;
      continue;
    }
    const reader = createReader(format);
    const line = createLogLine();
    for (const [written, fields] of rows) {
      const bytes = new TextEncoder().encode(written);
      if (reader(bytes, 0, bytes.length, line) !== outcome.request) continue;
      read++;
      const textOf = (name: FieldName): string =>
        line.from[field[name]] === -1
          ? ""
          : decodeField(line.source, line.from[field[name]]!, line.to[field[name]]!, format.escapes);
      const about = `${text}\n${written}`;
      const time = readTime(line.source, line.from[field.time]!, line.to[field.time]!);
      assert.equal(time, fields.time, about);
      const request = textOf("request");
      assert.equal(request === "" ? textOf("path") : request.split(" ")[1], fields.path, about);
      for (const name of ["status", "bytes", "address", "useragent", "referrer"] as const)
        if (fields[name] !== undefined)
          assert.equal(textOf(name), fields[name] === "-" ? "" : fields[name], `${name}: ${about}`);
    }
  }
  assert.ok(
    read > 0.97 * logs.length * 30,
    `${read} lines of ${logs.length * 30} were read, ${refused} formats refused`,
  );
});
