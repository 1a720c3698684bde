/** What a start says: the first line, or what stands in its way. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toBanner } from "../../src/server/banner.ts";
import { explain } from "../../src/server/start-error.ts";

describe("the first line", () => {
  const { version } = detector;
  const knows = `catalogue ${version}: ${detector.entries.toLocaleString("en-US")} entries, ${detector.strings().length.toLocaleString("en-US")} strings`;
  for (const [record, listEvaluated, expected] of [
    [{ kind: "off" }, "all", "evaluated strings are not recorded"],
    [
      { kind: "memory", place: "memory" },
      "all",
      "evaluated strings, also of people, are recorded in memory, and List shows them to everyone",
    ],
    [undefined, "none", "evaluated strings, also of people, are recorded in /d/record.sqlite, and List hides them"],
    [
      { kind: "sqlite", place: "a@b.sqlite" },
      "token",
      "evaluated strings, also of people, are recorded in a@b.sqlite, and List shows them to callers with a token",
    ],
    [
      { kind: "postgres", place: "postgres://me:secret@db/x" },
      "all",
      "evaluated strings, also of people, are recorded in postgres://***@db/x, and List shows them to everyone",
    ],
  ] as const) {
    it(expected, () => {
      const configuration = { record, recordPeople: "full", dataFolder: "/d", listEvaluated, tokens: [] } as const;
      const line = toBanner(detector, { url: "http://localhost:1" }, configuration);
      assert.equal(line, `whocrawls listens on http://localhost:1; ${knows}; ${expected}`);
      const withToken = toBanner(
        detector,
        { url: "http://localhost:1" },
        { ...configuration, tokens: ["a-token-of-the-test"] },
      );
      assert.equal(withToken, line.replace("to everyone", "to callers with a token"));
    });
  }
});

describe("what the first line says that is recorded", () => {
  for (const [recordPeople, expected] of [
    ["full", "evaluated strings, also of people, are recorded in memory, and List hides them"],
    ["off", "strings of crawlers, none of people, are recorded in memory, and List hides them"],
  ] as const)
    it(`with record-people ${recordPeople}`, () => {
      const record = { kind: "memory", place: "memory" } as const;
      const configuration = { record, recordPeople, dataFolder: "/d", listEvaluated: "none", tokens: [] } as const;
      assert.ok(toBanner(detector, { url: "http://localhost:1" }, configuration).endsWith(`; ${expected}`));
    });
});

describe("what stands in the way of a start", () => {
  const noAddress = "h is no address of this machine; choose another with HOST, such as localhost or 0.0.0.0.";
  for (const [code, host, expected] of [
    ["EADDRINUSE", "h", "Something else listens on h:80; choose another port, such as PORT=81."],
    ["EADDRINUSE", "::1", "Something else listens on [::1]:80; choose another port, such as PORT=81."],
    ["EACCES", "h", "Listening on port 80 needs privileges; choose a port from 1024 on with PORT."],
    ["EADDRNOTAVAIL", "h", noAddress],
    ["ENOTFOUND", "h", noAddress],
    ["EAI_AGAIN", "h", noAddress],
    ["ENOENT", "h", noAddress],
    ["ENOTTY", "h", noAddress],
    ["EMFILE", "h", "Cannot listen on h:80: why"],
    [undefined, "h", "Cannot listen on h:80: why"],
  ] as const) {
    it(`${code} on ${host}`, () => {
      assert.equal(explain(Object.assign(new Error("why"), { code }), { host, port: 80 }), expected);
    });
  }

  it("may be no Error", () => assert.equal(explain("why", { host: "h", port: 80 }), "Cannot listen on h:80: why"));
});
