/**
 * The longest step of the runtime that runs it: the CPU time between two turns of the event loop, or between two steps of work that gives
 * others their turn. Prints tables: the first and the second request of each route, and custom catalogues and lists of addresses. A part of
 * bench:service, which runs it on both runtimes.
 */
import { layCustom } from "../../src/compiler/custom/lay-custom.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { browserStrings } from "../../src/generated/browser-strings.ts";
import { Application } from "../../src/server/application.ts";
import { createLog } from "../../src/server/observe/log.ts";
import { parseConfiguration } from "../../src/server/settings/configuration.ts";
import { networkRules, readRanges } from "../../src/verify/lists/parse-ranges.ts";
import { longLists, toHostileCatalogues } from "./hostile-texts.ts";

/** Milliseconds of CPU time of this thread. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
}

/** Of work that gives others turns of the event loop. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = cpuMs();
  let isOver = false;
  const look = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  look();
  return longest;
}

function longestStep(steps: Iterator<undefined>): {
  readonly longest: number;
  readonly total: number;
  readonly error: string;
} {
  let [longest, total] = [0, 0];
  for (;;) {
    const before = cpuMs();
    let isDone = true;
    let error = "";
    try {
      isDone = steps.next().done === true;
    } catch (thrown) {
      error = (thrown as Error).message.split("\n", 1)[0]!.slice(0, 80);
    }
    const ms = cpuMs() - before;
    longest = Math.max(longest, ms);
    total += ms;
    if (isDone) return { longest, total, error };
  }
}

const environment = { WHOCRAWLS_RECORD: "memory:", WHOCRAWLS_VERIFY_REFRESH: "off", WHOCRAWLS_TRUST_PROXY: "1" };
const application = await Application.open(
  parseConfiguration({ environment }),
  createLog({ level: "off" }, () => {}),
);
const preparing = await longestTurn(() => application.prepare());

const strings = detector.strings();
const lines = strings
  .slice(0, 120)
  .map(
    (text, at) =>
      `192.0.2.${at} - - [10/Oct/2026:13:55:36 +0000] "GET /${at} HTTP/1.1" 200 2326 "-" "${text.slice(0, 60)}"`,
  );
const robots = Array.from({ length: 600 }, (_, at) => `Disallow: /*/a${at}*x$`).join("\n");
const long = "Mozilla/5.0 (compatible; Googlebot/2.1; curl) ".repeat(330);
const unknownWords = Array.from({ length: 99 }, (_, at) => `Gogglebot${at}`).join();
const query = encodeURIComponent;
const post = (body: string, type = "application/json"): RequestInit => ({
  method: "POST",
  body,
  headers: { "content-type": type },
});
const requests: Readonly<Record<string, readonly [path: string, init?: RequestInit]>> = {
  Check: ["/RestService/Check", post('{"useragent":"curl/8"}')],
  "Check with an address": ["/RestService/Check", post('{"useragent":"Googlebot/2.1","ip":"66.249.66.1"}')],
  "CheckMany, all strings": ["/RestService/CheckMany", post(strings.join("\n"), "text/plain")],
  List: ["/RestService/List/json"],
  "List as XML": ["/RestService/List/xml"],
  RegExp: ["/RestService/RegExp"],
  "RegExp?flavor=compact": ["/RestService/RegExp?flavor=compact"],
  "RegExp?useragent= of 15 kB": [`/RestService/RegExp?useragent=${query(long)}`],
  "/ranges": ["/ranges"],
  "/ranges?format=json": ["/ranges?format=json"],
  "/ranges?format=nginx": ["/ranges?format=nginx"],
  "/ranges?operator=Google": ["/ranges?operator=Google&format=haproxy"],
  "/ranges?ip=": ["/ranges?ip=66.249.66.1"],
  "/auth with a policy": ["/auth?block=ai,seo"],
  "/auth with 99 unknown words": [`/auth?block=${unknownWords},ai`],
  "/": ["/?useragent=Googlebot%2F2.1"],
  "/ with 2 kB": [`/?useragent=${query(long.slice(0, 2_000))}`],
  "/ with 120 log lines": [`/?useragent=${query(lines.join("\n"))}`],
  "/crawlers": ["/crawlers"],
  "/crawlers/gptbot": ["/crawlers/gptbot"],
  "/crawlers/UNKNOWN": ["/crawlers/Gogglebotx"],
  "/robots": [`/robots?text=${query(`User-agent: *\n${robots}`)}`],
  "/expression": ["/expression"],
  "/docs": ["/docs"],
  "/traffic": ["/traffic"],
  "/openapi.json": ["/openapi.json"],
  "/metrics": ["/metrics"],
  "/readyz": ["/readyz"],
};
const ms = (value: number): string => value.toFixed(1);
const runtime = "Bun" in globalThis ? "Bun" : "Node";

console.log(`\nLongest step on ${runtime}, ms of CPU time; preparing: ${ms(preparing)}\n`);
console.log("| request | first | second |\n|---|--:|--:|");
for (const [name, [path, init = {}]] of Object.entries(requests)) {
  const ask = () =>
    longestTurn(async () => {
      const request = new Request(`http://localhost${path}`, init);
      const response = await application.service.fetch(request);
      if (response.status >= 500) throw new Error(`${name}: ${response.status}`);
      await response.arrayBuffer();
    });
  console.log(`| ${name} | ${ms(await ask())} | ${ms(await ask())} |`);
}
await application.abandon();

console.log(`\n| custom catalogue (${runtime}) | kB | longest step | all | error |\n|---|--:|--:|--:|---|`);
const options = { base: detector, versionSuffix: ".own", browsers: browserStrings, needsExpression: true };
for (const [name, text] of Object.entries(toHostileCatalogues())) {
  const { longest, total, error } = longestStep(layCustom([{ path: "own.yaml", text }], options));
  console.log(
    `| ${name} | ${Math.ceil(text.length / 1e3)} | ${ms(longest)} | ${ms(total)} | ${error.replaceAll("|", "\\|")} |`,
  );
}
console.log(`\n| list of addresses (${runtime}) | longest step | all | error |\n|---|--:|--:|---|`);
for (const [name, text] of Object.entries(longLists)) {
  const { longest, total, error } = longestStep(readRanges(text, { format: "lines" }, networkRules));
  console.log(`| ${name} | ${ms(longest)} | ${ms(total)} | ${error} |`);
}
