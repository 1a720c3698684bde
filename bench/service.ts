/**
 * `npm run bench:service`: requests per CPU second of the serving process, its memory, latency at a fixed rate, and the delay of its event
 * loop at half of its load, of this service (Checks, `/auth` and lines of CheckMany), of bare servers that do the least, and of Fastify with
 * isbot; in turn, several rounds in one run. Each server is warmed before it is measured. autocannon sends one request at a time on each connection.
 * At last, or alone with `--steps`, the longest step of each route, and of hostile catalogues and lists.
 */
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import autocannon, { type Request } from "autocannon";
import UserAgent from "user-agents";
import { detector } from "../src/detect/built-in/detector.ts";
import { median } from "./match/measure.ts";
import {
  bun,
  type LoopDelay,
  node,
  root,
  type Server,
  type Subject,
  type SubjectName,
  startServer,
  subjects,
  token,
} from "./service/servers.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    only: { type: "string", default: "" },
    steps: { type: "boolean", default: false },
  },
});
const warmSeconds = 4;
/** Requests a second at which latency is measured: each server and the load generator bear it. */
const rate = 5000;
/** Of Checks: for each connection, autocannon writes all requests beforehand. */
const distinctChecks = 200;

/** Of requests, or of lines of CheckMany. */
interface Measured {
  readonly perCpuSecond: number;
  readonly perSecond: number;
  readonly megabytes: number;
  /** Milliseconds, by percentile. */
  readonly latency: autocannon.Histogram;
}

/** Half of them crawlers of the catalogue, half browsers, in an order that is the same for all. */
function toStrings(): readonly string[] {
  const crawlers = detector
    .strings()
    .filter((_, index) => index % 2 === 0)
    .slice(0, 1000);
  const generate = new UserAgent();
  return crawlers.flatMap((crawler) => [crawler, String(generate.random())]);
}

const strings = toStrings();

function toRequests({ auth, many }: Subject): readonly Request[] {
  const json = { "content-type": "application/json" };
  const text = { "content-type": "text/plain", accept: "application/x-ndjson" };
  const uri = { "x-forwarded-uri": "/articles/2026/05/a-page-of-the-site/index.html?page=2" };
  if (many) return [{ method: "POST", path: "/RestService/CheckMany", headers: text, body: strings.join("\n") }];
  const some = strings.slice(0, distinctChecks);
  if (auth) return some.map((useragent) => ({ path: auth, headers: { ...uri, "user-agent": useragent } }));
  return some.map((useragent) => ({
    method: "POST",
    path: "/RestService/Check",
    headers: json,
    body: JSON.stringify({ useragent }),
  }));
}

/** Sends requests for some seconds, as fast as they are answered or `perSecond`, of all connections. Throws if one fails. */
async function measure(server: Server, subject: Subject, seconds: number, perSecond?: number): Promise<Measured> {
  const each = subject.many ? strings.length : 1;
  // The last measurement closed its connections in the middle of bodies: until the server has noticed, they count as bodies of this client.
  await sleep(500);
  const cpu = server.cpuSeconds();
  const result = await autocannon({
    url: `http://127.0.0.1:${server.port}`,
    // A client may send so many bodies of CheckMany at once.
    connections: subject.many ? 4 : 16,
    duration: seconds,
    headers: { authorization: `Bearer ${token}` },
    requests: [...toRequests(subject)],
    ...(perSecond !== undefined && { overallRate: Math.ceil(perSecond / each) }),
  });
  const failed = result.errors + result.non2xx;
  if (failed > 0) throw new Error(`${failed} requests failed`);
  const answered = result["2xx"] * each;
  return {
    perCpuSecond: answered / (server.cpuSeconds() - cpu),
    perSecond: answered / result.duration,
    megabytes: server.residentBytes() / 1e6,
    latency: result.latency,
  };
}

const isMeasured = (name: string): boolean => !options.steps && name.includes(options.only);
const names = (Object.keys(subjects) as SubjectName[]).filter(isMeasured);
const measured = new Map<SubjectName, { full: Measured; paced: Measured; delay: LoopDelay }[]>(
  names.map((name) => [name, []]),
);
for (let round = 0; round < Number(options.rounds); round++) {
  for (const name of names) {
    const subject: Subject = subjects[name];
    const server = await startServer(subject.command);
    await measure(server, subject, warmSeconds);
    const full = await measure(server, subject, Number(options.seconds));
    const paced = await measure(server, subject, Number(options.seconds), rate);
    const endWatch = server.watchLoop();
    await measure(server, subject, Number(options.seconds), full.perSecond / 2);
    measured.get(name)!.push({ full, paced, delay: await endWatch() });
    console.error(`${round + 1} ${name}: ${Math.round(full.perCpuSecond)} per CPU second`);
    await server.stop();
  }
}
if (names.length > 0)
  console.log(
    "| | per CPU second | per second | MB | at the fixed rate: p50 ms | p99 ms | p99.9 ms | event loop at half load: p50 ms | p99 ms | max ms |\n" +
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
  );
for (const [name, rounds] of measured) {
  const columns = [
    ...(["perCpuSecond", "perSecond", "megabytes"] as const).map((key) => median(rounds.map(({ full }) => full[key]))),
    ...(["p50", "p99", "p99_9"] as const).map((key) => median(rounds.map(({ paced }) => paced.latency[key]))),
  ];
  const delays = (["p50", "p99", "max"] as const).map((key) =>
    median(rounds.map(({ delay }) => delay[key])).toFixed(1),
  );
  console.log(`| ${name} | ${[...columns.map(Math.round), ...delays].join(" | ")} |`);
}

if (options.only === "")
  for (const program of [bun, node])
    spawnSync(program, [`${root}bench/service/longest-steps.ts`], { stdio: "inherit", cwd: root });
