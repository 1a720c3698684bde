/**
 * `npm run bench:hostile`: what hostile clients do to a fresh service on each runtime, in numbers. Options: `--strings`
 * how many strings of 2 kB are recorded before, `--only` a word of the rows that are wanted.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { detector } from "../src/detect/default.ts";
import { createStore } from "../src/record/open-store.ts";
import { createRecord } from "../src/record/record.ts";
import { exchange, get, pour, stall, statusOf, watch } from "./hostile/clients.ts";
import { residentBytes } from "./service/processes.ts";
import { bun, node, root, type Server, startServer } from "./service/servers.ts";

const { values: options } = parseArgs({
  options: { strings: { type: "string", default: "99000" }, only: { type: "string", default: "" } },
});
const folder = mkdtempSync(join(tmpdir(), "whocrawls-hostile-"));
const filled = join(folder, "filled.sqlite");
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

/** Records distinct strings of 2,000 characters in a file that each service gets a copy of. */
async function fill(path: string, count: number): Promise<void> {
  const store = await createStore({ kind: "sqlite", path }, () => {});
  if (store === undefined) throw new Error("no store");
  const record = createRecord({ store, clock: Date.now, limit: 1_000_000 });
  for (let number = 0; number < count; number++) {
    const noise = Array.from({ length: 180 }, () => Math.random().toString(36).slice(2)).join("");
    record.note(detector.check(`Mozilla/5.0 Load/${number} ${noise}`.slice(0, 2000)));
    if (number % 1000 === 999) await record.flush();
  }
  await record.close(60_000);
}

type Row = (runtime: string) => Promise<string>;

/** Runs with a fresh service; `record` is a file of recorded strings to begin with. */
async function withService<Value>(
  runtime: string,
  flags: readonly string[],
  use: (server: Server) => Promise<Value>,
): Promise<Value> {
  const path = join(folder, `${Math.random()}.sqlite`);
  if (!flags.includes("--record")) copyFileSync(filled, path);
  const record = flags.includes("--record") ? [] : ["--record", path];
  const server = await startServer([runtime, `${root}src/cli/main.ts`, "serve", ...record, ...flags]);
  try {
    return await use(server);
  } finally {
    await server.stop();
    rmSync(path, { force: true });
  }
}

const disguises = ["/x/../metrics", "/%2e/metrics", "/./metrics", "/.\\metrics", "/x\\%2e%2e\\metrics"];
const off = ["--record", "off"];
const post = (path: string, ...lines: readonly string[]) =>
  get(path, "Transfer-Encoding: chunked", ...lines).replace("GET", "POST");

function stalledLists(count: number, head: string): Row {
  return (runtime) =>
    withService(runtime, [], async ({ port, pid }) => {
      await exchange(port, get("/RestService/List?limit=1", "Connection: close"));
      await sleep(1000);
      const idle = residentBytes(pid);
      const sockets = await stall(port, count, head);
      const { healthP99, checkP99, mostBytes } = await watch(port, pid, 6000);
      for (const socket of sockets) socket.destroy();
      await sleep(5000);
      const left = residentBytes(pid) - idle;
      return `${mb(mostBytes - idle)} above idle, ${mb(left)} after; p99 /healthz ${healthP99.toFixed(0)} ms, Check ${checkP99.toFixed(0)} ms`;
    });
}

const list = "/RestService/List/json";
const rows: Readonly<Record<string, Row>> = {
  "paths that are no route and are answered": (runtime) =>
    withService(runtime, off, async ({ port }) => {
      const answers = await Promise.all(disguises.map((path) => exchange(port, get(path, "Connection: close"))));
      return `${answers.filter((answer) => statusOf(answer) !== "404").length} of ${disguises.length}`;
    }),
  "200 lists that nobody reads": stalledLists(200, get(list)),
  "500 lists that nobody reads": stalledLists(500, get(list)),
  "500 of them with gzip": stalledLists(500, get(list, "Accept-Encoding: gzip")),
  "500 of the catalogue alone": stalledLists(500, get(`${list}?source=catalogue`)),
  "20 clients search, and the process is killed": (runtime) =>
    withService(runtime, [], async (server) => {
      const searches = Array.from({ length: 20 }, async () => {
        const start = performance.now();
        const answer = await exchange(server.port, get(`${list}?source=evaluated&q=zzzz`, "Connection: close"), 20_000);
        return `${statusOf(answer)} after ${((performance.now() - start) / 1000).toFixed(1)} s`;
      });
      const { healthP99, checkP99 } = await watch(server.port, server.pid, 8000);
      const metrics = await exchange(server.port, get("/metrics", "Connection: close"));
      const lag = /^whocrawls_record_lag_seconds (.*)$/m.exec(metrics)?.[1];
      const ended = new Set((await Promise.all(searches)).map((text) => text.split(".")[0]));
      return `${[...ended].join(", ")}; record behind by ${lag} s; p99 /healthz ${healthP99.toFixed(0)} ms, Check ${checkP99.toFixed(0)} ms`;
    }),
  "offset=999999999": (runtime) =>
    withService(runtime, [], async ({ port }) => {
      const start = performance.now();
      const answer = await exchange(port, get(`${list}?offset=999999999`, "Connection: close"));
      return `${statusOf(answer)} after ${(performance.now() - start).toFixed(0)} ms`;
    }),
  "a body without end that nobody reads": (runtime) =>
    withService(runtime, [...off, "--token", "a-token-of-the-bench"], async ({ port }) => {
      const outcomes: string[] = [];
      for (const [status, head] of [
        ["/healthz", get("/healthz", "Transfer-Encoding: chunked")],
        ["401", post("/RestService/Check")],
        ["404", post("/nowhere", "Authorization: Bearer a-token-of-the-bench")],
        ["405", post("/healthz")],
        ["415", post("/RestService/Check", "Authorization: Bearer a-token-of-the-bench")],
      ] as const) {
        const { megabytes, closedMs } = await pour(port, head);
        outcomes.push(`${status}: ${megabytes.toFixed(1)} MB${closedMs === undefined ? ", not closed" : ""}`);
      }
      return outcomes.join("; ");
    }),
  "two requests in one write": (runtime) =>
    withService(runtime, [], async ({ port }) => {
      const counts: string[] = [];
      for (const target of [`${list}?limit=0&source=catalogue`, `${list}?limit=0`]) {
        const answers = await exchange(port, get(target) + get("/healthz", "Connection: close"));
        counts.push(`${target.slice(list.length)}: ${answers.match(/HTTP\/1\.1 200/g)?.length ?? 0}`);
      }
      return counts.join("; ");
    }),
  "a body announced with 2 MB": (runtime) =>
    withService(runtime, off, async ({ port }) => {
      const head = get("/RestService/Check", "Content-Type: application/json", "Content-Length: 2000000");
      const answer = await exchange(port, head.replace("GET", "POST"));
      const metrics = await exchange(port, get("/metrics", "Connection: close"));
      return `${statusOf(answer)}, ${answer.includes("problem+json") ? "a problem" : "bare"}, ${/status="413"} 1$/m.test(metrics) ? "counted" : "not counted"}`;
    }),
  "two Host, two Content-Type": (runtime) =>
    withService(runtime, off, async ({ port }) => {
      const hosts = await exchange(port, get("/healthz", "Host: b", "Connection: close"));
      const body =
        'Content-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 17\r\n\r\n{"useragent":"x"}';
      const types = await exchange(port, `POST /RestService/Check HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${body}`);
      return `${statusOf(hosts)}, ${statusOf(types)}`;
    }),
  "16 requests at 5 a minute, two workers": (runtime) =>
    withService(runtime, [...off, "--workers", "2", "--rate-limit", "5/m"], async ({ port }) => {
      let allowed = 0;
      for (let asked = 0; asked < 16; asked++) {
        const answer = await exchange(port, get("/RestService/RegExp", "Connection: close"));
        if (statusOf(answer) === "200") allowed++;
      }
      return `${allowed} answered`;
    }),
};

await fill(filled, Number(options.strings));
console.log("| | Bun | Node |\n|---|---|---|");
for (const [name, row] of Object.entries(rows)) {
  if (!name.includes(options.only)) continue;
  console.log(`| ${name} | ${await row(bun)} | ${await row(node)} |`);
}
rmSync(folder, { recursive: true });
