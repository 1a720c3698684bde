/** The log: lines that are JSON whatever is in them, levels, few writes, and lines for people that steer no terminal. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLog, type LogOptions } from "../../src/server/observe/log.ts";
import type { RequestEvent } from "../../src/service/options.ts";
import { fakeTime } from "../support/fake-time.ts";
import { until } from "../support/until.ts";
import { crawler } from "../support/verdicts.ts";

const request = { requestId: "id-1", method: "POST", route: "/RestService/Check", status: 200 };
const event: RequestEvent = { ...request, durationMs: 0.123456, verdict: undefined, error: undefined };
const shown = { level: "info", ...request, durationMs: 0.123 };

/** A log and what it has written: the writes, and the objects of the lines without their times. */
function open(options: Partial<LogOptions> = {}) {
  const begun = Date.now();
  const writes: string[] = [];
  const log = createLog({ level: "info", ...options }, (lines) => writes.push(lines));
  const objects = () => {
    log.flush();
    const lines = writes.join("").split("\n").slice(0, -1);
    return lines.map((line) => {
      const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
      const at = Date.parse(String(time));
      assert.ok(at >= begun && at <= Date.now(), String(time));
      assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      return rest;
    });
  };
  return { log, writes, objects };
}

describe("createLog", () => {
  it("has the time of each line", async () => {
    const { log, writes } = open();
    log.message("info", "");
    const now = Date.now();
    await until(() => Date.now() > now);
    log.message("info", "");
    const [first, second] = writes.map((line) => JSON.parse(line).time);
    assert.ok(first < second, `${first} ${second}`);
  });

  it("writes one object a request, whatever a client sends, with user agents only where they are asked for", () => {
    const hostile = { requestId: '"\\\u2028\n', method: '"' };
    for (const showsUserAgents of [true, false]) {
      const { log, objects } = open({ showsUserAgents });
      for (const more of [{}, hostile, { verdict: crawler('a "bot"') }]) log.request({ ...event, ...more });
      const withAgent = showsUserAgents ? { ...shown, useragent: 'a "bot"' } : shown;
      assert.deepEqual(objects(), [shown, { ...shown, ...hostile }, withAgent]);
    }
  });

  it("shows requests and messages from its level on; requests that failed are errors, with their reason", () => {
    const write = (level: LogOptions["level"]) => {
      const { log, objects } = open({ level });
      for (const more of [{}, { status: 499 }, { status: 500 }, { error: new TypeError('not "that"\n') }])
        log.request({ ...event, ...more });
      log.message("info", "an info");
      log.message("warn", 'a "warning"', "not an Error");
      log.message("error", "an error", Object.assign(new Error("why"), { stack: undefined }));
      return objects();
    };
    const all = write("info");
    assert.deepEqual(
      all.map(({ level }) => level),
      ["info", "info", "error", "error", "info", "warn", "error"],
    );
    assert.match(String(all[3]?.error), /^TypeError: not "that"/);
    assert.deepEqual(all.slice(-2), [
      { level: "warn", message: 'a "warning"', error: "not an Error" },
      { level: "error", message: "an error", error: "Error: why" },
    ]);
    const own = ({ error, ...line }: Record<string, unknown>) => ({ ...line, error: String(error).split("\n")[0] });
    for (const [level, levels] of [
      ["warn", ["warn", "error"]],
      ["error", ["error"]],
      ["off", []],
    ] as const)
      assert.deepEqual(write(level).map(own), all.filter((line) => levels.includes(line.level as never)).map(own));
  });

  it("does not call a service that starts or stops, nor a client at its limit, an error", () => {
    const levels = [
      [{ route: "/readyz", status: 503 }, "info"],
      [{ route: "/readyz", status: 500, error: new Error("why") }, "error"],
      [{ status: 503, problem: "too-many-bodies" }, "warn"],
      [{ status: 503, problem: "too-many-lists" }, "warn"],
      [{ status: 503, problem: "record-unavailable" }, "error"],
      [{ status: 503, problem: "list-timeout" }, "error"],
    ] as const;
    const { log, objects } = open();
    for (const [more] of levels) log.request({ ...event, ...more });
    assert.deepEqual(
      objects().map(({ level }) => level),
      levels.map(([, level]) => level),
    );
  });

  it("gathers lines for a moment or 32 KiB, and writes each once, messages at once", async () => {
    using time = fakeTime();
    const { log, writes } = open();
    const two = /^\{[^\n]*\}\n\{[^\n]*\}\n$/;
    for (let noted = 0; noted < 2; noted++) log.request(event);
    assert.equal(writes.length, 0);
    await time.pass(1000);
    assert.equal(writes.length, 1);
    assert.match(String(writes[0]), two);
    log.request(event);
    log.message("info", "");
    assert.match(String(writes[1]), two);
    for (let noted = 0; noted < 4; noted++) {
      assert.equal(writes.length, 2);
      log.request({ ...event, requestId: "x".repeat(10_000) });
    }
    assert.equal(writes.length, 3);
    // A flush in between leaves nothing for the moment after.
    await time.pass(1000);
    assert.equal(writes.length, 3);
  });
});

it("a log for people has a line for each request and message, and one for each line of an error; nothing steers a terminal", () => {
  const { log, writes } = open({ isPretty: true, showsUserAgents: true });
  const page = { ...event, method: "GET", route: "/docs", durationMs: 1.25 };
  const text = "Bot\u001b[2J\u007f\u009b31m\u202e\u2066\u2028\r\n\u3164next é 中 \ud83e\udd16";
  const escaped =
    "Bot\\u{001b}[2J\\u{007f}\\u{009b}31m\\u{202e}\\u{2066}\\u{2028}\\u{000d}\\u{000a}\\u{3164}next é 中 🤖";
  log.request(page);
  log.request({ ...page, requestId: text, method: text, verdict: { useragent: text, crawler: false } });
  log.message("error", "broken", Object.assign(new Error(), { stack: "Error: why\n  at a\u200e" }));
  log.message("warn", text);
  assert.equal(
    writes.join("").replaceAll(/^\d\d:\d\d:\d\d\.\d{3} /gm, "TIME "),
    [
      "TIME \u001b[32minfo \u001b[0m GET /docs 200 1.3 ms id-1\n",
      `TIME \u001b[32minfo \u001b[0m ${escaped} /docs 200 1.3 ms ${escaped} "${escaped}"\n`,
      "TIME \u001b[31merror\u001b[0m broken\n    Error: why\n      at a\\u{200e}\n",
      `TIME \u001b[33mwarn \u001b[0m ${escaped}\n`,
    ].join(""),
  );
});
