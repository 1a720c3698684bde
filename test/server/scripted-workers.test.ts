/** What the supervisor tells its workers, and what it says of them: workers that fail, are silent, die or do not end. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { root, runtimes } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import type { Note, Script } from "./scripted-workers.ts";

const folders: string[] = [];
const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function supervise(script: Script) {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-"));
  folders.push(folder);
  const environment = { HOST: "127.0.0.1", PORT: "0", WHOCRAWLS_WORKERS: "2", WHOCRAWLS_LOG_FORMAT: "json" };
  const write = (script: Script) =>
    writeFileSync(
      join(folder, "script.json"),
      JSON.stringify({ ...script, environment: { ...environment, ...script.environment } }),
    );
  write(script);
  const child = spawn(runtimes.Bun, [`${root}test/server/scripted-workers.ts`], {
    env: { ...process.env, SCRIPT_FOLDER: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<number | string | null>((resolve) =>
    child.on("close", (code, signal) => resolve(code ?? signal)),
  );
  const notes = (): Note[] =>
    existsSync(join(folder, "notes"))
      ? readFileSync(join(folder, "notes"), "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as Note)
      : [];
  const told = <Type extends Note["message"]["type"]>(type: Type) =>
    notes().flatMap(({ pid, message }) =>
      message.type === type ? [{ pid, ...(message as Extract<Note["message"], { type: Type }>) }] : [],
    );
  const logged = () =>
    stderr
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { level: string; message: string })
      .map(({ level, message }) => `${level}: ${message}`);
  return { child, write, told, logged, ended, stdout: () => stdout, stderr: () => stderr };
}

async function started(service: ReturnType<typeof supervise>): Promise<void> {
  await until(() => service.stdout() !== "" && service.told("start").length === 2, service.stderr);
  assert.equal(service.stdout(), "a banner; 2 workers\n");
}

describe("the supervisor", () => {
  it("starts workers on one free port, answers what they ask, replaces one that dies, and ends all", async () => {
    const before = Date.now();
    const service = supervise({
      says: [
        { type: "limit", id: 6, of: "client", key: "c", rate: { count: 3, windowMs: 3_600_000 }, most: 2 },
        // A crawler's count is another, whatever its key.
        { type: "limit", id: 7, of: "crawler", key: "c", rate: { count: 1, windowMs: 1000 }, most: 1 },
        { type: "metrics", id: 5 },
        { type: "warnings", id: 4 },
      ],
    });
    await started(service);
    const [one, other] = service.told("start");
    assert.ok(one !== undefined && other !== undefined);
    assert.ok(one.configuration.port > 0);
    assert.deepEqual(one.configuration, other.configuration);
    await until(() => service.told("metrics").length === 2 && service.told("allowance").length === 4, service.stderr);
    const leases = service.told("allowance").map(({ id, taken, allowance }) => [id, taken, allowance] as const);
    assert.deepEqual(
      // Workers note what they are told in no certain order.
      leases.map(([id, taken]) => [id, taken]).sort(),
      [
        [6, 1],
        [6, 2],
        [7, 0],
        [7, 1],
      ],
    );
    for (const [id, , { quota, windowSeconds }] of leases)
      assert.deepEqual([quota, windowSeconds], id === 6 ? [3, 3600] : [1, 1]);
    const pages = service.told("metrics");
    for (const { id, contentType } of pages) assert.deepEqual([id, /^text\/plain/.test(contentType)], [5, true]);
    // The first one may have asked before there was a second.
    const page = pages.map(({ text }) => text).find((text) => /^whocrawls_workers 2$/m.test(text)) ?? "";
    assert.match(page, /^whocrawls_requests_total\{.*\} 10$/m);
    assert.match(page, /^whocrawls_workers_replaced_total 0$/m);
    assert.match(page, /^whocrawls_catalogue_info\{version="7\.7"\} 1$/m);
    // Workers have used 1000 s each, and it a little.
    assert.match(page, /^process_cpu_user_seconds_total 200\d\.\d+$/m);
    const age = Number(/^whocrawls_catalogue_age_seconds (.*)$/m.exec(page)?.[1]);
    assert.ok(age >= 0 && age < 10 * 365 * 86_400, `${age}`);
    const start = Number(/^process_start_time_seconds (.*)$/m.exec(page)?.[1]);
    assert.ok(start > before / 1000 - 1 && start < Date.now() / 1000 + 1, `${start}`);

    process.kill(one.pid, "SIGKILL");
    await until(() => service.told("metrics").length === 3, service.stderr);
    assert.deepEqual(service.logged(), ["error: a worker ended with SIGKILL; it is replaced in 100 ms"]);
    const after = service.told("metrics").at(-1)?.text ?? "";
    assert.match(after, /^whocrawls_workers_replaced_total 1$/m);
    // What the dead one had counted is not lost.
    assert.match(after, /^whocrawls_requests_total\{.*\} 15$/m);
    assert.match(after, /^whocrawls_record_dropped_total 3$/m);

    // The warnings of the other worker, and what it and the dead one dropped.
    await until(() => service.told("warnings").length === 3, service.stderr);
    const { id, texts, dropped } = service.told("warnings").at(-1)!;
    assert.deepEqual([id, texts, dropped], [4, ["a warning"], 2]);

    service.child.kill("SIGTERM");
    assert.equal(await service.ended, 0);
    assert.deepEqual(
      service.told("stop").map(({ drainMs }) => drainMs),
      [0, 0],
    );
    assert.equal(service.logged().length, 1);
  });

  for (const [fails, expected] of [
    ["why it fails", "why it fails"],
    [7, "a worker ended with code 7"],
  ] as const) {
    it(`does not start where a worker cannot (${fails})`, async () => {
      const service = supervise({ fails });
      assert.equal(await service.ended, 1);
      assert.equal(service.stderr(), `cannot start: ${expected}\n`);
      assert.equal(service.stdout(), "");
    });
  }

  it("restarts workers one by one with what it reads anew, except where it listens and how many there are", async () => {
    const service = supervise({});
    await started(service);
    const before = service.told("start");
    service.write({ environment: { HOST: "127.0.0.2", PORT: "1", WHOCRAWLS_WORKERS: "3", WHOCRAWLS_MAX_LISTS: "77" } });
    service.child.kill("SIGHUP");
    await until(() => service.logged().length > 0, service.stderr);
    // Told again meanwhile, it restarts them once more.
    service.write({ environment: { WHOCRAWLS_MAX_LISTS: "78" } });
    service.child.kill("SIGHUP");
    await until(() => service.logged().length === 4, service.stderr);
    assert.deepEqual(service.logged(), [
      "info: rolling restart",
      "info: rolling restart is done",
      "info: rolling restart",
      "info: rolling restart is done",
    ]);
    const all = service.told("start").map(({ configuration }) => configuration);
    assert.deepEqual(
      all.map(({ maxLists }) => maxLists),
      [8, 8, 77, 77, 78, 78],
    );
    for (const { host, port, workers } of all) {
      assert.deepEqual([host, port, workers], ["127.0.0.1", before[0]?.configuration.port, 2]);
    }
    // In no certain order: the first two start at once.
    assert.deepEqual(
      service
        .told("stop")
        .map(({ pid, drainMs }) => [pid, drainMs])
        .sort(),
      service
        .told("start")
        .slice(0, 4)
        .map(({ pid }) => [pid, 1500])
        .sort(),
    );

    service.write({ environment: { PORT: "x" } });
    service.child.kill("SIGHUP");
    await until(() => service.logged().length === 5, service.stderr);
    assert.equal(
      service.logged()[4],
      'error: the configuration is not valid; nothing was restarted: PORT is "x"; it must be a number from 0 to 65535.',
    );
    service.write({ fails: "why it fails" });
    service.child.kill("SIGHUP");
    await until(() => service.logged().length === 7, service.stderr);
    assert.deepEqual(service.logged().slice(5), [
      "info: rolling restart",
      "error: rolling restart stopped: why it fails",
    ]);
    assert.equal(service.told("stop").length, 4);
    service.child.kill("SIGINT");
    assert.equal(await service.ended, 0);
  });

  it("counts on after a restart, also if the rate is another", async () => {
    const says = (count: number) =>
      [{ type: "limit", id: 1, of: "client", key: "c", rate: { count, windowMs: 3_600_000 }, most: 2 }] as const;
    const service = supervise({ says: says(5) });
    await started(service);
    /** What the two workers that were started last have got. */
    const taken = async (restarts: number) => {
      await until(() => service.told("allowance").length === 2 + 2 * restarts, service.stderr);
      return service
        .told("allowance")
        .slice(-2)
        .map(({ taken }) => taken)
        .sort();
    };
    assert.deepEqual(await taken(0), [2, 2]);
    for (const [restarts, rate, expected] of [
      [1, 5, [0, 1]],
      [2, 8, [1, 2]],
    ] as const) {
      service.write({ says: says(rate) });
      service.child.kill("SIGHUP");
      await until(() => service.logged().length === 2 * restarts, service.stderr);
      assert.deepEqual(await taken(restarts), expected);
    }
    service.child.kill("SIGTERM");
    assert.equal(await service.ended, 0);
  });

  it("waits longer each time before it replaces a worker that cannot start or dies soon, and ends at once meanwhile", async () => {
    const service = supervise({});
    await started(service);
    service.write({ fails: 7 });
    process.kill(service.told("start")[0]?.pid as number, "SIGKILL");
    await until(() => service.logged().length === 3, service.stderr);
    service.write({});
    await until(() => service.told("start").length === 5, service.stderr);
    process.kill(service.told("start")[4]?.pid as number, "SIGKILL");
    await until(() => service.logged().length === 4, service.stderr);
    service.child.kill("SIGTERM");
    assert.equal(await service.ended, 0);
    assert.equal(service.told("start").length, 5);
    assert.deepEqual(service.logged(), [
      "error: a worker ended with SIGKILL; it is replaced in 100 ms",
      "error: a worker ended with code 7; it is replaced in 200 ms",
      "error: a worker ended with code 7; it is replaced in 400 ms",
      "error: a worker ended with SIGKILL; it is replaced in 800 ms",
    ]);
  });

  it("starts nothing more when it is told to end during a rolling restart", async () => {
    const service = supervise({ drains: true });
    await started(service);
    service.child.kill("SIGHUP");
    await until(() => service.told("stop").length === 1, service.stderr);
    service.child.kill("SIGTERM");
    assert.equal(await service.ended, 0);
    assert.equal(service.told("start").length, 3);
    assert.deepEqual(service.logged(), ["info: rolling restart"]);
  });

  it("does not wait for workers that are silent, and kills those that do not end", async () => {
    const service = supervise({ isStubborn: true, says: [{ type: "metrics", id: 1 }] });
    await started(service);
    await until(() => service.told("metrics").length === 2, service.stderr);
    assert.match(service.told("metrics")[1]?.text ?? "", /^whocrawls_workers 0$/m);
    // Nobody has asked about a rate, as there is none.
    assert.equal(service.told("allowance").length, 0);
    service.child.kill("SIGTERM");
    assert.equal(await service.ended, 0);
  });
});
