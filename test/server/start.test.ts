/** What a start says: the first line, or what stands in its way. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toBanner } from "../../src/server/banner.ts";
import { explain } from "../../src/server/start-error.ts";
import { rowsOf } from "../support/table.ts";

const { version, entries } = detector;
const [known, strings] = [entries, detector.strings().length].map((count) => count.toLocaleString("en-US"));
const people = "evaluated strings, including those of people, are recorded in";

/** The record, who may list what it has, whose strings it has, and what is said of it. */
for (const [record = "", listEvaluated, recordPeople, expected = ""] of rowsOf(`
  { "kind": "off" } | all | full | evaluated strings are not recorded
  { "kind": "memory", "place": "memory" } | all | full | ${people} memory, and List shows them to everyone
  { "kind": "memory", "place": "memory" } | none | full | ${people} memory, and List hides them
  { "kind": "memory", "place": "memory" } | none | off | strings of crawlers, but not of people, are recorded in memory, and List hides them
   | none | full | ${people} /d/record.sqlite, and List hides them
  { "kind": "sqlite", "place": "a@b.sqlite" } | token | full | ${people} a@b.sqlite, and List shows them to callers with a token
  { "kind": "postgres", "place": "postgres://me:secret@db/x" } | all | full | ${people} postgres://***@db/x, and List shows them to everyone
`))
  it(`the first line: ${expected}`, () => {
    const own = { record: record ? JSON.parse(record) : undefined, listEvaluated, recordPeople, dataFolder: "/d" };
    const lineOf = (tokens: readonly string[]) =>
      toBanner(detector, { url: "http://localhost:1" }, { ...own, tokens } as Parameters<typeof toBanner>[2]);
    const line = `whocrawls listens on http://localhost:1; catalogue ${version}: ${known} entries, ${strings} strings; ${expected}`;
    assert.equal(lineOf([]), line);
    assert.equal(lineOf(["a-token-of-the-test"]), line.replace("to everyone", "to callers with a token"));
  });

const noAddress = "h is not an address of this machine; choose another with HOST, such as localhost or 0.0.0.0.";
for (const [code, host = "", expected] of rowsOf(`
  EADDRINUSE | h | Another program is listening on h:80; choose another port, such as PORT=81.
  EADDRINUSE | ::1 | Another program is listening on [::1]:80; choose another port, such as PORT=81.
  EACCES | h | Listening on port 80 needs privileges; choose a port of 1024 or higher with PORT.
  EADDRNOTAVAIL | h | ${noAddress}
  ENOTFOUND | h | ${noAddress}
  EAI_AGAIN | h | ${noAddress}
  ENOENT | h | ${noAddress}
  ENOTTY | h | ${noAddress}
  EMFILE | h | Cannot listen on h:80: why
   | h | Cannot listen on h:80: why
`))
  it(`what stands in the way: ${code} on ${host}`, () => {
    assert.equal(explain(Object.assign(new Error("why"), code && { code }), { host, port: 80 }), expected);
    // It may be no Error.
    if (!code) assert.equal(explain("why", { host, port: 80 }), expected);
  });
