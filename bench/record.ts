/**
 * What recording costs: a note on the way of a Check and all that follows from it, a flush, a list of a hundred thousand
 * strings, a flood, and how many new strings a second are recorded without a loss. Each on Bun and on Node, in a process
 * of its own, in medians. `bun bench/record.ts` prints the tables; with names of them (`notes`, `path`, `memory:`,
 * `sqlite`, `postgres`) only those.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createStore, parseRecordTarget } from "../src/record/open-store.ts";
import { createRecord, noRecord, type UserAgentRecord } from "../src/record/record.ts";
import type { Store } from "../src/record/store.ts";
import { residentBytes } from "../test/record/resident.ts";
import { startPostgres } from "../test/support/postgres.ts";

const runtime = process.versions.bun ? "Bun" : "Node";
const rounds = 201;
const perRound = 1000;
const listed = 100_000;
type Figures = Record<string, string>;

const userAgent = (n: number) =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${n}.0.0.0 Safari/537.36`;

/** Strings as a body brings them: parsed just now, their hash not yet known to the engine. */
const parsed = (from: number) => {
  const text = JSON.stringify(
    Array.from({ length: perRound }, (_, n) => ({ useragent: userAgent(from + n), crawler: false })),
  );
  return () => JSON.parse(text) as { useragent: string; crawler: false }[];
};

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
const nanoseconds = (values: number[]) => `${median(values).toFixed(0)} ns`;

/** Median ns an operation, over rounds of a thousand; `between` runs outside of the measurement. */
async function measure<T>(make: () => T[], body: (item: T) => void, between?: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const items = make();
    const began = performance.now();
    for (const item of items) body(item);
    times.push(((performance.now() - began) * 1e6) / items.length);
    await between?.();
  }
  return nanoseconds(times);
}

async function benchNotes(store: Store): Promise<Figures> {
  const record = createRecord({ store, clock: Date.now });
  const known = parsed(0);
  const map = new Map(known().map(({ useragent }) => [useragent, { count: 0 }]));
  const figures: Figures = {
    "Map look-up and increment alone": await measure(known, ({ useragent }) => void map.get(useragent)!.count++),
  };
  figures["note, known string"] = await measure(known, (verdict) => record.note(verdict));
  let next = 1;
  const fresh = () => parsed(perRound * next++)();
  const flush = () => record.flush();
  figures["note, new string"] = await measure(fresh, (verdict) => record.note(verdict), flush);
  for (let n = 0; n < 40; n++) for (const verdict of fresh()) record.note(verdict);
  figures["note, new string, no room"] = await measure(fresh, (verdict) => record.note(verdict));
  await record.close();
  return figures;
}

/** What one would write first: an upsert for every Check, in the request's own thread. */
async function benchNaive(folder: string): Promise<Figures> {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const db = new DatabaseSync(join(folder, "naive.sqlite"));
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE s (ua TEXT PRIMARY KEY, n INTEGER)");
  const upsert = db.prepare("INSERT INTO s VALUES (?, 1) ON CONFLICT DO UPDATE SET n = n + 1");
  const figure = await measure(parsed(0), ({ useragent }) => upsert.run(useragent));
  db.close();
  return { "an upsert for each Check instead": figure };
}

/**
 * Processor time of a Check's recording, all threads together, with 1,550 strings in turn, as a service has them: the
 * less often a string comes in the 0.8 s between two writes, the more of its row's cost each Check bears.
 */
async function benchPath(store: Store): Promise<Figures> {
  const bodies = Array.from({ length: 1550 }, (_, n) => JSON.stringify({ useragent: userAgent(n), crawler: false }));
  const cost = async (record: UserAgentRecord, perTick: number) => {
    let notes = 0;
    const before = process.cpuUsage();
    for (const end = performance.now() + 4000; performance.now() < end; ) {
      for (let n = 0; n < perTick; n++) record.note(JSON.parse(bodies[notes++ % bodies.length]!));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const { user, system } = process.cpuUsage(before);
    return { us: (user + system) / notes, perSecond: notes / 4 };
  };
  const figures: Figures = {};
  const record = createRecord({ store, clock: Date.now, flushIntervalMs: 800 });
  await cost(record, 100);
  for (const perTick of [50, 300]) {
    const without = await cost(noRecord, perTick);
    const { us, perSecond } = await cost(record, perTick);
    figures[`a Check, about ${perTick * 100} a second`] =
      `${(us - without.us).toFixed(1)} µs at ${perSecond.toFixed(0)} a second`;
  }
  await record.close();
  return figures;
}

/** New strings of `length` characters a second that a record with room for them takes without dropping one. */
async function measureRate(record: UserAgentRecord, length: number): Promise<string> {
  const text = "x".repeat(length - 20);
  // A little more than what is written ahead of time, and less than what would find no room.
  const room = Math.min(4096, Math.floor((3 * 1024 * 1024) / (320 + 2 * length)));
  const began = performance.now();
  let noted = 0;
  while (performance.now() - began < 3000) {
    for (; record.status().queued < room; noted++)
      record.note({ useragent: `${length} ${noted} ${text}`, crawler: false });
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await record.flush();
  const seconds = (performance.now() - began) / 1000;
  return `${(noted / seconds).toFixed(0)} a second, ${((noted * length) / seconds / 1e6).toFixed(1)} MB a second`;
}

/** How late a 1 ms timer comes while `body` runs, and how far resident memory rises. */
async function observe(body: () => Promise<void>): Promise<{ ms: number; p99: number; most: number; mb: number }> {
  const before = await residentBytes();
  const late: number[] = [];
  let highest = before;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    late.push(Math.max(0, now - last - 1));
    last = now;
    highest = Math.max(highest, process.memoryUsage.rss());
  }, 1);
  const began = performance.now();
  await body();
  const ms = performance.now() - began;
  clearInterval(timer);
  late.sort((a, b) => a - b);
  const p99 = late[Math.floor(late.length * 0.99)] ?? 0;
  return { ms, p99, most: late.at(-1) ?? 0, mb: (highest - before) / 1e6 };
}

const report = ({ ms, p99, most, mb }: Awaited<ReturnType<typeof observe>>) =>
  `${ms.toFixed(0)} ms; others wait p99 ${p99.toFixed(1)}, at most ${most.toFixed(1)} ms; +${mb.toFixed(0)} MB`;

async function benchStore(store: Store): Promise<Figures> {
  // What the machine itself does to timers, to be held against the rest.
  const idle = await observe(() => new Promise((resolve) => setTimeout(resolve, 2000)));
  const record = createRecord({ store, clock: Date.now, flushIntervalMs: 800, limit: 600_000 });
  let next = 0;
  const noteThousand = () => {
    for (let n = 0; n < perRound; n++) record.note({ useragent: userAgent(next++), crawler: false });
  };
  const flushes: number[] = [];
  const filling = await observe(async () => {
    while (next < listed) {
      noteThousand();
      const began = performance.now();
      await record.flush();
      flushes.push(performance.now() - began);
    }
  });
  const flushMs = median(flushes).toFixed(1);
  const figures: Figures = {
    "nothing at all": report(idle),
    "flush of 1,000 new strings, median": `${flushMs} ms; others wait p99 ${filling.p99.toFixed(1)} ms`,
  };
  for (const [name, query] of [
    ["list of 100,000", {}],
    ["list with a part that nothing has", { q: "nowhere" }],
  ] as const) {
    const seen = await observe(async () => {
      for await (const page of record.list(query)) JSON.stringify(page);
    });
    figures[name] = report(seen);
  }
  for (const length of [150, 500, 2000])
    figures[`new strings of ${length} characters`] = await measureRate(record, length);
  const before = await residentBytes();
  // About what one process answers, 25,000 a second, every one of them new.
  const flood = await observe(async () => {
    for (const end = next + 250_000; next < end; ) {
      for (let n = 0; n < 250; n++) record.note({ useragent: userAgent(next++), crawler: false });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
  const grown = ((await residentBytes()) - before) / 1e6;
  const { dropped } = record.status();
  figures["flood of 250,000 new strings"] =
    `others wait p99 ${flood.p99.toFixed(1)} ms; ${grown.toFixed(0)} MB more afterwards; ${dropped} not recorded`;
  figures["strings kept"] = String(await record.count());
  await record.close();
  return figures;
}

async function runOne(target: string): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-bench-"));
  const place = target === "sqlite" ? join(folder, "record.sqlite") : target;
  try {
    if (target === "notes" || target === "path") {
      const store = await createStore({ kind: "sqlite", place: join(folder, "record.sqlite") }, log);
      if (target === "path") return await benchPath(store!);
      return { ...(await benchNotes(store!)), ...(await benchNaive(folder)) };
    }
    const store = await createStore(parseRecordTarget(place), log);
    return await benchStore(store!);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const log = (level: string, message: string) => console.error(level, message);

const [option, ...targets] = process.argv.slice(2);
if (option === "--one") console.log(JSON.stringify(await runOne(targets[0]!)));
else {
  const names = option === undefined ? ["notes", "path", "memory:", "sqlite", "postgres"] : [option, ...targets];
  const program = fileURLToPath(import.meta.url);
  const node = fileURLToPath(new URL("../test/node_modules/.bin/node", import.meta.url));
  const runtimes = [process.execPath, node];
  const server = names.includes("postgres") ? await startPostgres() : undefined;
  for (const name of names) {
    if (name === "postgres" && !server) continue;
    const columns: Figures[] = [];
    for (const executable of runtimes) {
      const place = name === "postgres" ? await server!.createDatabase() : name;
      const output = execFileSync(executable, [program, "--one", place], { encoding: "utf8" });
      columns.push(JSON.parse(output.trim().split("\n").at(-1)!));
    }
    console.log(`\n| ${name} | ${runtime} ${process.versions.bun} | Node 24 |\n|---|---|---|`);
    for (const key of Object.keys(columns[0]!))
      console.log(`| ${key} | ${columns.map((each) => each[key]).join(" | ")} |`);
  }
  await server?.close();
}
