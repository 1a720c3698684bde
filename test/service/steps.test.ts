/**
 * The work of a request gives others their turn after a bounded number of calls: V8 counts the calls of this package's functions between two
 * turns of the event loop, while a clock that advances by itself ends a slice after a few steps. Runs on Node.
 */
import assert from "node:assert/strict";
import { Session } from "node:inspector";
import { after, before, describe, it } from "node:test";
import { openApplication } from "../support/open-application.ts";

/** Of two steps; so many take 5 to 8 ms on an idle machine. */
const maxCalls = 40_000;
/** Each reading of the clock advances it by half a slice. */
const readingMs = 2.5;

const session = new Session();
const { now } = performance;
let app: Awaited<ReturnType<typeof openApplication>>;

/** How often the functions of src/ were called since it was last asked, and which of them most often. */
function takeCalls() {
  const calls = { count: 0, most: 0, name: "" };
  session.post("Profiler.takePreciseCoverage", (error, taken) => {
    assert.equal(error, null);
    for (const { url, functions } of taken.result) {
      if (!url.includes("/src/")) continue;
      for (const { functionName, ranges } of functions) {
        const { count } = ranges[0]!;
        calls.count += count;
        if (count > calls.most) Object.assign(calls, { most: count, name: `${functionName} of ${url}` });
      }
    }
  });
  return calls;
}

/** The turn of the event loop with the most calls. */
async function longestTurn(work: () => Promise<unknown>) {
  let longest = { count: 0, name: "" };
  let isOver = false;
  takeCalls();
  const look = () => {
    const calls = takeCalls();
    if (calls.count > longest.count) longest = calls;
  };
  const lookEachTurn = () => {
    if (isOver) return;
    look();
    setImmediate(lookEachTurn);
  };
  setImmediate(lookEachTurn);
  await work();
  isOver = true;
  look();
  return longest;
}

async function expectShortTurns(work: () => Promise<unknown>): Promise<void> {
  const { count, name } = await longestTurn(work);
  assert.ok(count <= maxCalls, `${count}, most of ${name}`);
}

const query = encodeURIComponent;
const ask = (path: string) => app.text(path);
const logLine = (at: number) =>
  `192.0.2.${at} - - [10/Oct/2026:13:55:36 +0000] "GET /${at} HTTP/1.1" 200 2326 "-" "Googlebot/2.1 (${at})"`;
const lines = (count: number, write: (at: number) => string) => Array.from({ length: count }, (_, at) => write(at));
const unknownWords = (count: number, from = 0) => lines(count, (at) => `Gogglebot${from + at}`).join();
const long = "Mozilla/5.0 (compatible; Googlebot/2.1; curl) ".repeat(330);

const works: Readonly<Record<string, () => Promise<unknown>>> = {
  "a Check": () => app.check("curl/8"),
  "CheckMany of 4,000 strings": () => app.checkMany(...lines(4000, (at) => `Foo${at}/1.0 (compatible; bot)`)),
  "the alternatives that match": () => ask(`/RestService/RegExp?useragent=${query(long)}`),
  "/expression with all flavors": () => ask("/expression"),
  "/ranges for nginx": () => ask("/ranges?format=nginx"),
  "/ranges of an address": () => ask("/ranges?ip=66.249.66.1"),
  "/auth with a policy": () => ask("/auth?block=ai,seo"),
  "/auth with unknown words": () => ask(`/auth?block=${unknownWords(98)},ai`),
  "/ with a string of 2 kB": () => ask(`/?useragent=${query(long.slice(0, 2000))}`),
  "/ with a log": () => ask(`/?useragent=${query(lines(120, logLine).join("\n"))}`),
  "/crawlers": () => ask("/crawlers"),
  "/crawlers/X": () => ask("/crawlers/Gogglebotx"),
  "/robots": () =>
    ask(`/robots?text=${query(`User-agent: *\n${lines(500, (at) => `Disallow: /*/a${at}*x$`).join("\n")}`)}`),
  "/traffic": () => ask("/traffic"),
};

describe("calls between two turns:", () => {
  before(async () => {
    app = await openApplication({ TRUST_PROXY: "1" }, { isPrepared: true });
    let ms = now.call(performance);
    performance.now = () => (ms += readingMs);
    session.connect();
    session.post("Profiler.enable");
    session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  });
  after(async () => {
    session.disconnect();
    performance.now = now;
    await app[Symbol.asyncDispose]();
  });

  for (const [name, work] of Object.entries(works)) it(name, () => expectShortTurns(work));

  it("/readyz after a reload with 12 policies", async () => {
    for (let at = 0; at < 12; at++) await ask(`/auth?block=${unknownWords(40, at * 1000)},ai`);
    app.application.use(app.application.detector);
    await app.application.service.prepare();
    await expectShortTurns(() => ask("/readyz"));
  });
});
