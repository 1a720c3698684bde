/** The log: lines that are JSON whatever is in them, levels, and few writes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLog } from "../../src/host/log.ts";
import type { LogLevel } from "../../src/host/settings.ts";
import type { RequestEvent } from "../../src/service/options.ts";

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
    const [object] = logged("info", {}).objects;
    const { time, ...rest } = object as { time: string };
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
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

  it("writes what it gathered after a moment", async () => {
    const lines = await new Promise<string>((resolve) => createLog({ level: "info" }, resolve).request(event));
    assert.match(lines, /^\{.*\}\n$/);
  });
});

describe("a log for people", () => {
  it("shows nothing that would steer a terminal", () => {
    const written: string[] = [];
    const log = createLog({ level: "info", isPretty: true, showsUserAgents: true }, (lines) => written.push(lines));
    const useragent = "Bot\u001b[2J\u007f\u009b31m\u202e\u2066\u2028\r\nnext é 中 \ud83e\udd16";
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
    // The colour of the level is the log's own; so are line breaks.
    assert.doesNotMatch(shown.replace(/\u001b\[(?:31|33|0)m/g, "").replaceAll("\n", ""), /[\p{C}\p{Zl}\p{Zp}]/u);
    assert.ok(
      shown.includes("Bot\\u{001b}[2J\\u{007f}\\u{009b}31m\\u{202e}\\u{2066}\\u{2028}\\u{000d}\\u{000a}next é 中 🤖"),
    );
    assert.match(shown, /^\d\d:\d\d:\d\d\.\d{3} .*error.* 500 0\.1 ms /);
  });
});

const shown = {
  requestId: "id-1",
  method: "POST",
  route: "/RestService/Check",
  status: 200,
  durationMs: 0.123,
};
