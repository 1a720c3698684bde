/** A worker: one of several processes on the same port. It follows its supervisor, and ends when the supervisor has gone. */
import { type Lease, mostCrawlerBuckets, type TakeOne } from "../../cache/token-buckets.ts";
import type { MetricsPage } from "../../service/options.ts";
import type { Get } from "../../verify/https-get.ts";
import { type Application, createApplication, loadForRequests } from "../application.ts";
import { toBanner } from "../banner.ts";
import { closeInOrder, listen } from "../listen/listen.ts";
import { createHostLog } from "../observe/open-log.ts";
import type { Warnings } from "../observe/snapshot.ts";
import { createClientLimit, createSharedLimit } from "../rate-limit.ts";
import { explain } from "../start-error.ts";
import { createSharedUses } from "./shared-uses.ts";
import { type FromWorker, isOrphan, type LimitedKind, type LimitQuestion, type ToWorker } from "./worker-messages.ts";

/** The interval of sending figures: counts of a killed worker since the last one are lost. */
const snapshotMs = 1000;
const metricsTimeoutMs = 3000;
/** Shorter than the timeouts of load balancers that ask /readyz. */
const warningsTimeoutMs = 500;
/** The longest time that a client waits to be counted; then it is allowed. */
const limitTimeoutMs = 500;

/** Serves until the parent says to stop; resolves with the exit code. `get` gets lists and keys, from the Internet unless given. */
export async function serveAsWorker(get?: Get): Promise<number> {
  if (isOrphan()) {
    leave();
    return 0;
  }
  const send = (message: FromWorker) => {
    if (process.connected) process.send?.(message);
  };
  // A terminal signals all processes at once; the parent decides when workers end.
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  const ended = Promise.race([toldToEnd(), parentGone()]);

  const inbox = new Inbox();
  process.on("message", (message: ToWorker) => inbox.receive(message));
  send({ type: "waiting" });
  const order = await Promise.race([inbox.next("start"), ended]);
  if ("configuration" in order) return run(order, inbox, send, ended, get);
  leave();
  return 0;
}

async function run(
  { configuration, file, warnings, ownRobots }: OfType<"start">,
  inbox: Inbox,
  send: (message: FromWorker) => void,
  ended: Promise<{ drainMs: number }>,
  get: Get | undefined,
): Promise<number> {
  const made = Promise.withResolvers<Application>();
  // Before the first catalogue is loaded: another one may come meanwhile.
  inbox.on("catalogue", async (change) => (await made.promise).use(change));
  const log = createHostLog(configuration);
  const detector = await loadForRequests(file);
  const stop = Promise.race([inbox.next("stop"), ended]);
  const cut = inbox.next("cut");
  let lastId = 0;
  const metrics = (): Promise<MetricsPage> => {
    const id = ++lastId;
    send({ type: "metrics", id });
    return inbox.next("metrics", (message) => message.id === id, metricsTimeoutMs);
  };
  const othersWarnings = (): Promise<Warnings> => {
    const id = ++lastId;
    send({ type: "warnings", id });
    return inbox.next("warnings", (message) => message.id === id, warningsTimeoutMs);
  };
  const askLimit = (question: LimitQuestion): Promise<Lease> => {
    const id = ++lastId;
    send({ type: "limit", id, ...question });
    return inbox.next("allowance", (message) => message.id === id, limitTimeoutMs);
  };
  const sharedLimit = (of: LimitedKind, most?: number): TakeOne =>
    createSharedLimit(
      (key, rate, most) => askLimit({ of, key, rate, most }),
      () => performance.now(),
      most,
    );
  const { rateLimit } = configuration;
  const limit = rateLimit && createClientLimit(rateLimit, sharedLimit("client"));
  const uses = createSharedUses((id, use) => send({ type: "use", id, use }));
  inbox.on("used", ({ id, result }) => uses.receive(id, result));
  const application = await createApplication(detector, configuration, log, metrics, {
    limit,
    crawlerLimit: sharedLimit("crawler", mostCrawlerBuckets),
    othersWarnings,
    uses,
    get,
    ownRobots,
  });
  void application.use({ warnings });
  made.resolve(application);
  const sendSnapshot = () => send({ type: "snapshot", snapshot: application.read() });
  inbox.on("read", sendSnapshot);
  let listener: Awaited<ReturnType<typeof listen>>;
  try {
    listener = await listen({
      ...configuration,
      service: application.service,
      sharesPort: true,
    });
  } catch (error) {
    send({ type: "failed", reason: explain(error, configuration) });
    await application.abandon();
    leave();
    return 1;
  }
  await application.prepare();
  send({ type: "listening", banner: toBanner(detector, listener, configuration) });
  const timer = setInterval(sendSnapshot, snapshotMs).unref();

  const { drainMs } = await stop;
  clearInterval(timer);
  application.stop();
  // Draining ends early if the whole service ends meanwhile.
  const isDrained =
    drainMs > 0 &&
    (await Promise.race([
      listener.drain(drainMs).then(() => true),
      Promise.race([inbox.next("stop"), ended]).then(() => false),
    ]));
  await closeInOrder(listener, cut);
  await application.close(isDrained ? 5000 : 500);
  sendSnapshot();
  log.flush();
  leave();
  return 0;
}

/** Closes the channel, which would hold the process open; messages that were sent still arrive. */
function leave(): void {
  if (process.connected) process.disconnect?.();
}

function parentGone(): Promise<{ drainMs: number }> {
  return new Promise((resolve) => process.once("disconnect", () => resolve({ drainMs: 0 })));
}

function toldToEnd(): Promise<{ drainMs: number }> {
  return new Promise((resolve) => process.on("SIGTERM", () => resolve({ drainMs: 0 })));
}

type OfType<Type extends ToWorker["type"]> = Extract<ToWorker, { type: Type }>;

/** Messages by type, to be waited for or listened to. */
class Inbox {
  readonly #listeners = new Set<(message: ToWorker) => void>();

  receive(message: ToWorker): void {
    for (const listener of [...this.#listeners]) listener(message);
  }

  on<Type extends ToWorker["type"]>(type: Type, listener: (message: OfType<Type>) => void): () => void {
    const own = (message: ToWorker) => {
      if (message.type === type) listener(message as OfType<Type>);
    };
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** The next message of a type that fits; rejects after `timeoutMs`. */
  next<Type extends ToWorker["type"]>(
    type: Type,
    fits: (message: OfType<Type>) => boolean = () => true,
    timeoutMs?: number,
  ): Promise<OfType<Type>> {
    return new Promise((resolve, reject) => {
      const timer =
        timeoutMs === undefined ? undefined : setTimeout(() => done(() => reject(new Error("no answer"))), timeoutMs);
      const done = (settle: () => void) => {
        clearTimeout(timer);
        off();
        settle();
      };
      const off = this.on(type, (message) => {
        if (fits(message)) done(() => resolve(message));
      });
    });
  }
}
