/**
 * `npm run bench:soak [-- --minutes 10 --runtime node]`: ordinary and hostile clients on a service with a PostgreSQL
 * record, while the database is stopped and started. Prints what was sent, answered, failed
 * and recorded, the times of /healthz and the memory; exits with 1 after a wrong answer. The clients are processes of this file.
 */
import { fork } from "node:child_process";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runSql, startPostgres } from "../test/support/postgres.ts";
import { residentBytes } from "./service/processes.ts";
import { bun, node, root, startServer } from "./service/servers.ts";

/** What happens to the service, and for how many milliseconds it may break connections. */
const aftermathMs = { stop: 1000 };
type Event = keyof typeof aftermathMs;

/** How a client process ends: lines of a table, and what went wrong, in words. */
interface Summary {
  readonly rows: readonly (readonly [name: string, value: number | string])[];
  readonly failures: readonly string[];
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The value below which a part of the values lies. */
function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

// ---- The clients. Each kind runs in a process of its own, so that it does not delay what another one measures.

let port = 0;
let totalMs = 0;
const lastAt = new Map<Event, number>();
const failures: string[] = [];
const fail = (what: string): unknown => failures.push(`${(performance.now() / 1000).toFixed(1)} s: ${what}`);
const isOver = (): boolean => performance.now() >= totalMs;
const isRecent = (...events: readonly Event[]): boolean =>
  events.some((event) => performance.now() - (lastAt.get(event) ?? Number.NEGATIVE_INFINITY) < aftermathMs[event]);

const close = "Connection: close";
const get = (target: string, ...lines: readonly string[]): string =>
  [`GET ${target} HTTP/1.1`, "Host: localhost", ...lines, "", ""].join("\r\n");
const toCheck = (body: string): string =>
  get("/RestService/Check", close, "Content-Type: application/json", `Content-Length: ${body.length}`).replace(
    "GET",
    "POST",
  ) + body;

/** Sends bytes on a connection of its own; resolves to the status of the answer, or "closed". */
function exchange(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    const timer = setTimeout(() => socket.destroy(), 30_000);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(/^HTTP\/1\.[01] (\d+)/.exec(text)?.[1] ?? "closed");
    });
  });
}

/** Asks for /healthz twenty times a second. */
async function health(): Promise<Summary["rows"]> {
  const durations: number[] = [];
  const asked: Promise<void>[] = [];
  const ask = async (): Promise<void> => {
    const start = performance.now();
    const status = await exchange(get("/healthz", close));
    const ms = performance.now() - start;
    durations.push(ms);
    if (status !== "200" || ms > 1000) fail(`/healthz: ${status} after ${ms.toFixed(0)} ms`);
  };
  for (; !isOver(); await pause(50)) asked.push(ask());
  await Promise.all(asked);
  const times = [0.5, 0.99, 0.999, 1].map((part) => quantile(durations, part).toFixed(0));
  return [
    ["/healthz asked", durations.length],
    ["/healthz: p50, p99, p99.9, longest, ms", times.join(", ")],
  ];
}

/** Sixteen clients that send Checks, of common and of new strings, and Lists. */
async function ordinary(): Promise<Summary["rows"]> {
  const counts = { sent: 0, answered: 0, busy: 0, wrong: 0, stopped: 0, failed: 0 };
  const behave = async (client: number): Promise<void> => {
    for (let turn = 0; !isOver(); turn++, await pause(5)) {
      const isList = turn % 200 === 199;
      const useragent = turn % 5 === 0 ? `Soak/${client}.${turn} (new)` : `Usual-bot/${turn % 500}`;
      const url = `http://127.0.0.1:${port}/RestService/${isList ? `List?limit=100&offset=${turn % 5000}` : "Check"}`;
      const headers = { "content-type": "application/json" };
      counts.sent++;
      try {
        const response = await fetch(
          url,
          isList ? {} : { method: "POST", headers, body: JSON.stringify({ useragent }) },
        );
        const text = await response.text();
        counts.answered++;
        // Hostile clients hold all places for lists.
        if (isList && response.status === 503 && response.headers.has("retry-after")) counts.busy++;
        else if (isList && response.status === 503 && text.includes("record-unavailable") && isRecent("stop"))
          counts.stopped++;
        else if (response.status !== 200 || !(isList || text.includes(JSON.stringify(useragent)))) {
          counts.wrong++;
          fail(`${isList ? "List" : "Check"}: ${response.status} ${text.slice(0, 200)}`);
        }
      } catch (error) {
        if (isList && isRecent("stop")) counts.stopped++;
        else {
          counts.failed++;
          fail(`${isList ? "List" : "Check"}: ${(error as Error).message}`);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, client) => behave(client)));
  return [
    ["ordinary requests sent", counts.sent],
    ["answered", counts.answered],
    ["answered wrongly", counts.wrong],
    ["lists refused with 503 and `Retry-After`", counts.busy],
    ["lists cut off or refused while the database was stopped", counts.stopped],
    ["other failures", counts.failed],
  ];
}

/** An answer must have one of the statuses. */
async function expect(bytes: string, ...right: readonly string[]): Promise<void> {
  const status = await exchange(bytes);
  if (!right.includes(status))
    fail(`${status}, not ${right.join(" or ")}: ${bytes.slice(0, 60).replace(/\r\n/g, " ")}`);
}

/** Opens connections that ask for a list and read nothing for ten seconds. */
async function holdLists(count: number, ...lines: readonly string[]): Promise<void> {
  const sockets = Array.from({ length: count }, (): Socket => {
    const socket = connect(port, "127.0.0.1", () => socket.write(get("/RestService/List/json", ...lines)));
    return socket.pause().on("error", () => {});
  });
  await pause(10_000);
  for (const socket of sockets) socket.destroy();
}

/** Sends a body without end for four seconds; the service must close the connection. */
async function pour(): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  let isClosed = false;
  socket
    .on("error", () => {})
    .on("close", () => {
      isClosed = true;
    });
  socket.resume().write(get("/healthz", "Transfer-Encoding: chunked"));
  const chunk = Buffer.from(`10000\r\n${"x".repeat(65_536)}\r\n`);
  for (const end = performance.now() + 4000; !isClosed && performance.now() < end; ) {
    if (socket.writableLength < 1_000_000 && socket.writable) socket.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const megabytes = (socket.bytesWritten - socket.writableLength) / 1e6;
  socket.destroy();
  // What the kernel buffers counts as sent.
  if (!isClosed || megabytes > 16) fail(`${megabytes.toFixed(1)} MB of a body were taken`);
}

const lines = Array.from({ length: 20_000 }, (_, line) =>
  line % 3 === 0
    ? "Googlebot/2.1"
    : `Mozilla/5.0 (X11; Linux x86_64; rv:${line % 500}.0) Gecko/20100101 Firefox/${line % 500}.0`,
);

/** Sends lines as fast as they are taken; the answer must have the right digit for each. */
async function checkMany(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/RestService/CheckMany`, {
    method: "POST",
    headers: { "content-type": "text/plain", accept: "text/plain" },
    body: lines.join("\n"),
  });
  const digits = (await response.text()).trimEnd().split("\n");
  const isRight =
    digits.length === lines.length && lines.every((line, at) => (digits[at] === "1") === line.includes("bot"));
  if (!isRight && response.status !== 503) fail(`CheckMany: ${digits.length} answers to ${lines.length} lines`);
}

/** Sends a head of a byte a second. */
async function crawl(): Promise<void> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.write("POST /RestService/Check HTTP/1.1\r\nContent-Length: 1000\r\nX-Slow: ");
  const timer = setInterval(() => socket.write("x"), 1000);
  socket.once("close", () => clearInterval(timer));
}

async function leave(): Promise<void> {
  const socket = connect(port, "127.0.0.1", () => {
    socket.write(get("/RestService/List/xml"), () => socket.destroy());
  }).on("error", () => {});
}

let number = 0;
const longString = (): string =>
  JSON.stringify({
    useragent: `Mozilla/5.0 Load/${number++} ${Math.random().toString(36).repeat(200)}`.slice(0, 2000),
  });
const disguises = ["/x/../metrics", "/%2e/metrics", "/./metrics", "/.\\metrics", "/x\\%2e%2e\\metrics"];

/** What a hostile client does again and again, how many of them at once, and how long each rests in between. */
const harms: readonly (readonly [name: string, atOnce: number, restMs: number, act: () => Promise<unknown>])[] = [
  ["100 lists that are not read", 1, 5000, () => holdLists(100)],
  ["50 lists with gzip that are not read", 1, 7000, () => holdLists(50, "Accept-Encoding: gzip")],
  [
    "searches of the whole record",
    4,
    500,
    () => expect(get("/RestService/List/json?source=evaluated&q=zzzz", close), "200", "503"),
  ],
  ["endless bodies", 1, 3000, pour],
  ["20,000 lines for CheckMany, each answer compared", 2, 1000, checkMany],
  ["heads of one byte a second", 1, 300, crawl],
  ["lists whose client leaves", 1, 100, leave],
  ["new strings of 2,000 characters", 2, 10, () => expect(toCheck(longString()), "200")],
  ["disguised paths", 1, 1000, () => Promise.all(disguises.map((path) => expect(get(path, close), "404")))],
  ["two `Host` fields", 1, 1000, () => expect(get("/healthz", "Host: b", close), "400")],
  ["broken JSON", 1, 200, () => expect(toCheck('{"useragent":'), "400")],
  ["deep JSON", 1, 200, () => expect(toCheck("[".repeat(20)), "400")],
  ["bodies of 100 kB", 1, 500, () => expect(toCheck(`{"useragent":"${"x".repeat(100_000)}"}`), "413")],
  ["`offset=999999999`", 1, 300, () => expect(get("/RestService/List?offset=999999999", close), "200", "503")],
];

async function hostile(): Promise<Summary["rows"]> {
  const done = new Map<string, number>();
  const repeat = async ([name, , restMs, act]: (typeof harms)[number]): Promise<void> => {
    for (; !isOver(); await pause(restMs)) {
      await act().catch((error: Error) => fail(`${name}: ${error.message}`));
      done.set(name, (done.get(name) ?? 0) + 1);
    }
  };
  await Promise.all(harms.flatMap((harm) => Array.from({ length: harm[1] }, () => repeat(harm))));
  return [
    ...harms.map(([name]) => [`hostile: ${name}`, `${done.get(name)} times`] as const),
    ["hostile requests answered wrongly", failures.length],
  ];
}

const kinds = { ordinary, hostile, health };

// ---- The process that starts the service and the clients, and does harm to the service.

async function soak(): Promise<void> {
  const { values } = parseArgs({
    options: { minutes: { type: "string", default: "10" }, runtime: { type: "string", default: "bun" } },
  });
  const runtime = { bun, node }[values.runtime];
  if (runtime === undefined) throw new Error("--runtime is bun or node");
  const postgres = await startPostgres();
  if (!postgres?.stop || !postgres.start) throw new Error("bench:soak needs PostgreSQL's programs");
  const database = await postgres.createDatabase();
  const server = await startServer([runtime, `${root}src/cli/main.ts`, "serve", "--record", database]);
  const began = performance.now();
  totalMs = Number(values.minutes) * 60_000;
  const elapsed = (): number => performance.now() - began;

  const clients = Object.keys(kinds).map((kind) =>
    fork(fileURLToPath(import.meta.url), ["client", kind, String(server.port), String(totalMs)], {
      execPath: bun,
      execArgv: [],
    }),
  );
  const summaries = clients.map(
    (client) =>
      new Promise<Summary>((resolve, reject) => {
        client.once("message", (summary) => resolve(summary as Summary));
        client.once("exit", (code) => reject(new Error(`a client process ended with ${code}`)));
      }),
  );
  const tell = async (event: Event, what: string): Promise<void> => {
    console.error(`${(elapsed() / 1000).toFixed(0)} s: ${what}`);
    for (const client of clients) client.send(event);
    // The clients know before they notice.
    await pause(50);
  };

  const stopDatabase = async (): Promise<void> => {
    for (let turn = 0; ; turn++) {
      await pause(Math.min(100_000, totalMs / 4));
      if (elapsed() > totalMs - Math.min(40_000, totalMs / 4)) return;
      const how = turn % 2 === 0 ? "crash" : "orderly";
      await tell("stop", `the database is stopped (${how})`);
      await postgres.stop?.(how);
      await pause(Math.min(15_000, totalMs / 10));
      await postgres.start?.();
    }
  };
  const megabytes: number[] = [];
  const watch = async (): Promise<void> => {
    for (; elapsed() < totalMs; await pause(Math.min(2000, totalMs / 60)))
      megabytes.push(residentBytes(server.pid) / 1e6);
  };

  const [found] = await Promise.all([Promise.all(summaries), stopDatabase(), watch()]);
  const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  await server.stop();
  const [row] = await runSql(database, "SELECT sum(count) AS evaluations FROM whocrawls_strings");
  await postgres.close();

  const quarters = [0, 1, 2, 3].map((quarter) =>
    quantile(megabytes.slice((megabytes.length * quarter) / 4, (megabytes.length * (quarter + 1)) / 4), 0.5).toFixed(0),
  );
  const rows: Summary["rows"] = [
    ...found.flatMap((summary) => summary.rows),
    ["recorded evaluations at the end", String(row?.evaluations)],
    ["evaluations dropped, as counted", /^whocrawls_record_dropped_total (\d+)/m.exec(metrics)?.[1] ?? "?"],
    ["memory, MB: median of each quarter of the time", quarters.join(", ")],
    ["highest", Math.max(...megabytes).toFixed(0)],
  ];
  console.log(`| ${values.runtime}, PostgreSQL, ${values.minutes} minutes | |\n|---|--:|`);
  for (const [name, value] of rows) console.log(`| ${name} | ${value} |`);
  const wrong = found.flatMap((summary) => summary.failures);
  for (const failure of wrong.slice(0, 40)) console.log(failure);
  process.exit(wrong.length > 0 ? 1 : 0);
}

if (process.argv[2] === "client") {
  const [kind, ...numbers] = process.argv.slice(3);
  [port, totalMs] = numbers.map(Number) as [number, number];
  process.on("message", (event: Event) => lastAt.set(event, performance.now()));
  const rows = await kinds[kind as keyof typeof kinds]();
  process.send?.({ rows, failures } satisfies Summary, () => process.exit(0));
} else await soak();
