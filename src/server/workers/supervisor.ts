/**
 * Watches over several workers on one port: starts them, replaces those that die, restarts them one by one on SIGHUP,
 * and ends them. It answers no requests; it collects counts for /metrics.
 */
import { createBuckets, mostCrawlerBuckets } from "../../cache/token-buckets.ts";
import { toMessage } from "../../text/errors.ts";
import { createSignatureUses } from "../../verify/signature/signature-uses.ts";
import { freePort } from "../listen/free-port.ts";
import type { Log } from "../observe/log.ts";
import { toMetricsPage } from "../observe/metrics-page.ts";
import { createHostLog } from "../observe/open-log.ts";
import { gatherWarnings, noneRetired, type Retired, readProcess, retire, type Snapshot } from "../observe/snapshot.ts";
import type { Configuration } from "../settings/settings.ts";
import { type ServedCatalogue, type ServedChange, startCatalogue } from "../start-catalogue.ts";
import { StartError } from "../start-error.ts";
import { awaitEndOrder } from "./process-signals.ts";
import { WorkerHandle } from "./worker-handle.ts";

const firstBackoffMs = 100;
const maxBackoffMs = 10_000;
/** A worker that has lived so long did not die of how it was started. */
const healthyMs = 10_000;
/** In a rolling restart: for how long clients are sent to the other workers. */
const drainMs = 1500;
/** Workers end within 5 s by themselves; the remaining ones are killed. */
const killAfterMs = 4800;
const scrapeMs = 1000;

/** Serves with several processes; resolves with the exit code. `reread` reads the configuration again for SIGHUP. */
export async function serveWithWorkers(given: Configuration, reread: () => Promise<Configuration>): Promise<number> {
  const log = createHostLog(given);
  const catalogue = await startCatalogue(given, log, (change) => supervisor.use(change));
  const supervisor: Supervisor = new Supervisor({ ...given, port: await freePort(given) }, log, catalogue);
  const order = awaitEndOrder();
  // From here on: a signal during the start must not end the process with its default.
  process.on("SIGHUP", () => void supervisor.restart(reread));
  const failure = await Promise.race([supervisor.start(), order.given.then(() => undefined)]);
  if (failure !== undefined) {
    await supervisor.end();
    throw new StartError(failure);
  }
  catalogue.start();
  await order.given;
  catalogue.stop();
  let isFinished = true;
  void order.repeated.then(() => {
    isFinished = false;
    supervisor.cut();
  });
  await supervisor.end();
  return isFinished ? 0 : 1;
}

class Supervisor {
  #configuration: Configuration;
  readonly #log: Log;
  readonly #catalogue: ServedCatalogue;
  readonly #workers = new Set<WorkerHandle>();
  readonly #startedAt = Date.now() / 1000;
  #retired: Retired = noneRetired;
  #replaced = 0;
  #backoffMs = firstBackoffMs;
  #isEnding = false;
  readonly #replacements = new Set<ReturnType<typeof setTimeout>>();
  /** All workers count requests together, here. */
  readonly #buckets = {
    client: createBuckets(() => performance.now()),
    crawler: createBuckets(() => performance.now(), mostCrawlerBuckets),
  };
  /** All workers' together; restarts of workers forget none. */
  readonly #uses = createSignatureUses(Date.now);
  #restarting: Promise<void> | undefined;
  #restartAgain = false;

  constructor(configuration: Configuration, log: Log, catalogue: ServedCatalogue) {
    this.#configuration = configuration;
    this.#log = log;
    this.#catalogue = catalogue;
  }

  /** Gives all workers another catalogue. */
  use(change: ServedChange): void {
    for (const worker of this.#workers) worker.send({ type: "catalogue", ...change });
  }

  /** Starts all workers and says so; resolves to why it cannot, if it cannot. */
  async start(): Promise<string | undefined> {
    const workers = Array.from({ length: this.#configuration.workers }, () => this.#spawn());
    const failures = await Promise.all(workers.map((worker) => worker.started));
    const failure = failures.find((failure) => failure !== undefined);
    if (failure === undefined && !this.#isEnding)
      process.stdout.write(`${workers[0]?.banner}; ${workers.length} workers\n`);
    return failure;
  }

  /** Replaces the workers one by one; each is gone only when its successor answers. */
  async restart(reread: () => Promise<Configuration>): Promise<void> {
    if (this.#restarting) {
      this.#restartAgain = true;
      return;
    }
    this.#restarting = this.#restartAll(reread).finally(() => {
      this.#restarting = undefined;
    });
    await this.#restarting;
    if (this.#restartAgain) {
      this.#restartAgain = false;
      await this.restart(reread);
    }
  }

  async #restartAll(reread: () => Promise<Configuration>): Promise<void> {
    try {
      // The socket, the number of processes that share it, and the file that is watched do not change.
      const { host, port, workers, robotsFile } = this.#configuration;
      this.#configuration = { ...(await reread()), host, port, workers, robotsFile };
    } catch (error) {
      this.#log.message("error", `the configuration is not valid; nothing was restarted: ${(error as Error).message}`);
      return;
    }
    const reload = this.#catalogue.reload(this.#configuration.catalogueFiles);
    if (reload !== undefined) await reload;
    this.#log.message("info", "rolling restart");
    for (const old of [...this.#workers]) {
      if (this.#isEnding) return;
      if (old.hasEnded) continue;
      const successor = this.#spawn();
      const failure = await successor.started;
      if (failure !== undefined) {
        this.#log.message("error", `rolling restart stopped: ${failure}`);
        return;
      }
      old.isRetiring = true;
      old.send({ type: "stop", drainMs });
      await old.endedWithin(drainMs + 2 * killAfterMs);
    }
    this.#log.message("info", "rolling restart is done");
  }

  /** Ends all workers within 5 s. */
  async end(): Promise<void> {
    this.#isEnding = true;
    for (const timer of this.#replacements) clearTimeout(timer);
    const workers = [...this.#workers];
    for (const worker of workers) {
      if (worker.livedMs === undefined) worker.kill();
      else worker.send({ type: "stop", drainMs: 0 });
    }
    await Promise.all(workers.map((worker) => worker.endedWithin(killAfterMs)));
    this.#log.flush();
  }

  /** Makes workers that are ending finish without the requests in flight. */
  cut(): void {
    for (const worker of this.#workers) worker.send({ type: "cut" });
  }

  #spawn(): WorkerHandle {
    const configuration = this.#configuration;
    const begin = async () => ({ type: "start", configuration, ...(await this.#catalogue.current()) }) as const;
    const worker = new WorkerHandle(begin, {
      metrics: ({ id }) => void this.#sendMetrics(worker, id).catch(this.#logScrape),
      warnings: ({ id }) => this.#sendWarnings(worker, id),
      limit: ({ id, of, key, rate, most }) =>
        worker.send({ type: "allowance", id, ...this.#buckets[of].take(key, rate, most) }),
      use: ({ id, use }) => worker.send({ type: "used", id, result: this.#uses.note(use) }),
    });
    this.#workers.add(worker);
    void worker.ended.then((how) => this.#hasEnded(worker, how));
    return worker;
  }

  #hasEnded(worker: WorkerHandle, how: string): void {
    this.#workers.delete(worker);
    if (worker.snapshot) this.#retired = retire(this.#retired, worker.snapshot);
    // One that never answered is handled by the start, or by the next attempt.
    if (this.#isEnding || worker.isRetiring || (worker.livedMs === undefined && !worker.isReplacement)) return;
    this.#backoffMs = (worker.livedMs ?? 0) > healthyMs ? firstBackoffMs : this.#backoffMs;
    this.#log.message("error", `a worker ended with ${how}; it is replaced in ${this.#backoffMs} ms`);
    const timer = setTimeout(() => {
      this.#replacements.delete(timer);
      this.#replace();
    }, this.#backoffMs);
    this.#replacements.add(timer);
    this.#backoffMs = Math.min(maxBackoffMs, this.#backoffMs * 2);
  }

  #replace(): void {
    this.#replaced++;
    this.#spawn().isReplacement = true;
  }

  /** The last that is known: load balancers ask often, and must not wait for a worker that hangs. */
  #sendWarnings(asking: WorkerHandle, id: number): void {
    const others = [...this.#workers].filter((worker) => worker !== asking).map(({ snapshot }) => snapshot);
    const known = others.filter((snapshot): snapshot is Snapshot => snapshot !== undefined);
    asking.send({ type: "warnings", id, ...gatherWarnings(known, this.#retired) });
  }

  /** A failed scrape must never end the workers. */
  readonly #logScrape = (error: unknown): void => {
    this.#log.message("error", `metrics could not be gathered: ${toMessage(error)}`);
  };

  async #sendMetrics(asking: WorkerHandle, id: number): Promise<void> {
    const workers = [...this.#workers].filter((worker) => worker.livedMs !== undefined);
    const snapshots = await Promise.all(workers.map((worker) => worker.read(scrapeMs)));
    const page = toMetricsPage({
      workers: snapshots.filter((snapshot): snapshot is Snapshot => snapshot !== undefined),
      supervisor: readProcess(),
      retired: this.#retired,
      replaced: this.#replaced,
      reloads: this.#catalogue.figures(),
      startedAt: this.#startedAt,
      now: Date.now(),
    });
    asking.send({ type: "metrics", id, ...page });
  }
}
