/** The log: lines that are JSON whatever is in them, levels, and few writes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLog } from "../../src/server/observe/log.ts";
import type { LogLevel } from "../../src/server/settings/settings.ts";
import type { RequestEvent } from "../../src/service/options.ts";
import { until } from "../support/until.ts";
import { crawler } from "../support/verdicts.ts";

const event: RequestEvent = {
  requestId: "id-1",
  method: "POST",
  route: "/RestService/Check",
  status: 200,
  durationMs: 0.123456,
  verdict: undefined,
  error: undefined,
};

function logged(level: LogLevel, ...events: readonly Partial<RequestEvent>[]): { objects: object[]; writes: number } {
  const written: string[] = [];
  const log = createLog({ level }, (lines) => written.push(lines));
  for (const some of events) log.request({ ...event, ...some });
  log.flush();
  const lines = written.join("").split("\n").slice(0, -1);
  return { objects: lines.map((line) => JSON.parse(line) as object), writes: written.length };
}

describe("createLog", () => {
  it("writes one object a request", () => {
    const before = Date.now();
    const [object] = logged("info", {}).objects;
    const { time, ...rest } = object as { time: string };
    assert.ok(before <= Date.parse(time) && Date.parse(time) <= Date.now());
    assert.deepEqual(rest, {
      level: "info",
      requestId: "id-1",
      method: "POST",
      route: "/RestService/Check",
      status: 200,
      durationMs: 0.123,
    });
  });

  it("adds the error where the service failed", () => {
    const [object] = logged("error", {}, { status: 500, error: new TypeError('not "that"\n') }).objects;
    assert.deepEqual({ ...object, time: 0, error: 0 }, { time: 0, level: "error", ...shown, status: 500, error: 0 });
    assert.match((object as { error: string }).error, /TypeError: not "that"/);
  });

  it("stays JSON whatever a client sends", () => {
    const [object] = logged("info", { requestId: '"\\\u2028\n', method: '"' }).objects;
    assert.deepEqual(
      { ...object, time: 0 },
      { time: 0, level: "info", ...shown, requestId: '"\\\u2028\n', method: '"' },
    );
  });

  it("writes nothing when it is off, and only failures at level error", () => {
    assert.equal(logged("off", {}, { status: 500, error: new Error("x") }).writes, 0);
    assert.equal(logged("error", {}, { status: 404 }).writes, 0);
  });

  it("gathers lines, so that a request does not cost a write", () => {
    const { objects, writes } = logged("info", ...Array.from({ length: 1_000 }, () => ({})));
    assert.equal(objects.length, 1_000);
    assert.ok(writes < 10);
  });

  it("writes what it gathered after a moment, and each line once", async () => {
    const written: string[] = [];
    const log = createLog({ level: "info" }, (lines) => written.push(lines));
    log.request(event);
    log.request(event);
    assert.equal(written.length, 0);
    await until(() => written.length > 0);
    assert.match(String(written[0]), /^\{[^\n]*\}\n\{[^\n]*\}\n$/);
    log.flush();
    log.request(event);
    await until(() => written.length > 1);
    assert.match(String(written[1]), /^\{[^\n]*\}\n$/);
    // A flush in between leaves nothing for the moment after.
    log.request(event);
    log.flush();
    await new Promise((resolve) => setTimeout(resolve, 80));
    assert.equal(written.length, 3);
  });

  it("writes 32 KiB at once", () => {
    const written: string[] = [];
    const log = createLog({ level: "info" }, (lines) => written.push(lines));
    const requestId = "x".repeat(10_000);
    for (let noted = 0; noted < 3; noted++) log.request({ ...event, requestId });
    assert.equal(written.length, 0);
    log.request({ ...event, requestId });
    assert.equal(written.length, 1);
  });

  it("writes messages at once, with their errors, from their level on", () => {
    const shownAt = (level: LogLevel) => {
      const written: string[] = [];
      const log = createLog({ level }, (lines) => written.push(lines));
      log.message("info", "an info");
      log.message("warn", 'a "warning"', "not an Error");
      log.message("error", "an error", Object.assign(new Error("why"), { stack: undefined }));
      return written.map((line) => ({ ...(JSON.parse(line) as object), time: 0 }));
    };
    const all = [
      { time: 0, level: "info", message: "an info" },
      { time: 0, level: "warn", message: 'a "warning"', error: "not an Error" },
      { time: 0, level: "error", message: "an error", error: "Error: why" },
    ];
    assert.deepEqual(shownAt("info"), all);
    assert.deepEqual(shownAt("warn"), all.slice(1));
    assert.deepEqual(shownAt("error"), all.slice(2));
    assert.deepEqual(shownAt("off"), []);
  });

  it("shows failures as errors, from status 500 on", () => {
    const { objects } = logged("info", { status: 499 }, { status: 500 }, { status: 503 });
    assert.deepEqual(
      objects.map((object) => (object as { level: string }).level),
      ["info", "error", "error"],
    );
    assert.equal(logged("error", { status: 500 }).objects.length, 1);
    assert.equal(logged("warn", {}).objects.length, 0);
  });

  it("shows user agents only where that was asked for", () => {
    const verdict = crawler('a "bot"');
    for (const showsUserAgents of [true, false, undefined]) {
      const written: string[] = [];
      const log = createLog({ level: "info", ...(showsUserAgents !== undefined && { showsUserAgents }) }, (lines) =>
        written.push(lines),
      );
      log.request({ ...event, verdict });
      log.request(event);
      log.flush();
      const [first, second] = written
        .join("")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as object);
      const withAgent = { ...shown, useragent: 'a "bot"' };
      assert.deepEqual({ ...first, time: 0 }, { time: 0, level: "info", ...(showsUserAgents ? withAgent : shown) });
      assert.deepEqual({ ...second, time: 0 }, { time: 0, level: "info", ...shown });
    }
  });

  it("has the time of each line", async () => {
    const times: string[] = [];
    const log = createLog({ level: "info" }, (line) => times.push((JSON.parse(line) as { time: string }).time));
    log.message("info", "");
    await new Promise((resolve) => setTimeout(resolve, 5));
    log.message("info", "");
    const [first, second] = times as [string, string];
    assert.match(first, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Date.parse(second) > Date.parse(first) && Date.parse(second) <= Date.now());
  });
});

describe("a log for people", () => {
  it("shows nothing that would steer a terminal", () => {
    const written: string[] = [];
    const log = createLog({ level: "info", isPretty: true, showsUserAgents: true }, (lines) => written.push(lines));
    const useragent = "Bot\u001b[2J\u007f\u009b31m\u202e\u2066\u2028\r\n\u3164next é 中 \ud83e\udd16";
    const verdict = { useragent, crawler: false } as const;
    log.request({
      ...event,
      requestId: useragent,
      method: useragent,
      verdict,
      status: 500,
      error: new Error(useragent),
    });
    log.message("warn", useragent);
    log.flush();
    const shown = written.join("");
    // The color of the level is the log's own; so are line breaks.
    assert.doesNotMatch(shown.replace(/\u001b\[(?:31|33|0)m/g, "").replaceAll("\n", ""), /[\p{C}\p{Zl}\p{Zp}]/u);
    assert.ok(
      shown.includes(
        "Bot\\u{001b}[2J\\u{007f}\\u{009b}31m\\u{202e}\\u{2066}\\u{2028}\\u{000d}\\u{000a}\\u{3164}next é 中 🤖",
      ),
    );
    assert.match(shown, /^\d\d:\d\d:\d\d\.\d{3} .*error.* 500 0\.1 ms /);
  });

  it("has a line for each request and message, and one for each line of an error", () => {
    const written: string[] = [];
    const log = createLog({ level: "info", isPretty: true, showsUserAgents: true }, (lines) => written.push(lines));
    const request = { ...event, method: "GET", route: "/docs", durationMs: 1.25 };
    log.request(request);
    log.request({ ...request, verdict: { useragent: "a\tb", crawler: false } });
    log.message("error", "broken", Object.assign(new Error(), { stack: "Error: why\n  at a\u200e" }));
    log.message("warn", "take \u{e0001}care");
    assert.equal(
      written.join("").replaceAll(/^\d\d:\d\d:\d\d\.\d{3} /gm, "TIME "),
      [
        "TIME \u001b[32minfo \u001b[0m GET /docs 200 1.3 ms id-1\n",
        'TIME \u001b[32minfo \u001b[0m GET /docs 200 1.3 ms id-1 "a\\u{0009}b"\n',
        "TIME \u001b[31merror\u001b[0m broken\n    Error: why\n      at a\\u{200e}\n",
        "TIME \u001b[33mwarn \u001b[0m take \\u{e0001}care\n",
      ].join(""),
    );
  });
});

const shown = {
  requestId: "id-1",
  method: "POST",
  route: "/RestService/Check",
  status: 200,
  durationMs: 0.123,
};
