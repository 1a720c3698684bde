/**
 * One process's service: the HTTP application with its record, its counts and its guards, as the configuration has them.
 * listen.ts handles sockets, supervisor.ts several processes.
 */

import { createTakeOne, type TakeOne } from "../cache/token-buckets.ts";
import { type CatalogueFile, loadCatalogueFile } from "../catalogue/open-catalogue.ts";
import type { Detector } from "../detect/verdict.ts";
import type { GuardOptions, Limit } from "../http/guards.ts";
import { createStore } from "../record/open-store.ts";
import { createRecord, noRecord, type RecordOptions, type UserAgentRecord } from "../record/record.ts";
import type { Service } from "../service/create-api.ts";
import { toLimits } from "../service/limits.ts";
import type { MetricsPage, RecordKeeper, RequestEvent } from "../service/options.ts";
import { createService } from "../service.ts";
import { type EvidenceOptions, openEvidence } from "../verify/open-evidence.ts";
import { createAddressOf, createForwardedAddressOf, createForwardedHostOf } from "./listen/client-address.ts";
import { RequestCounts } from "./observe/counts.ts";
import type { Log } from "./observe/log.ts";
import { createNewsMetrics } from "./observe/news-metrics.ts";
import { readProcess, type Snapshot, type Warnings } from "./observe/snapshot.ts";
import { createNews, createTrafficSource } from "./observe/traffic-source.ts";
import { createClientLimit } from "./rate-limit.ts";
import { openWebFiles } from "./read-web-files.ts";
import { composeRobotsTxt, type RobotsTxt } from "./robots-txt.ts";
import { recordTarget } from "./settings/configuration.ts";
import type { Configuration } from "./settings/settings.ts";
import type { ServedChange } from "./start-catalogue.ts";
import { createAuthorizer } from "./tokens.ts";

const dayMs = 86_400_000;

export interface Application {
  readonly service: Service;
  /** The figures of this process, now. */
  read(): Snapshot;
  /** Decides with another catalogue as soon as its file is read, or serves another robots.txt; changes take effect in their order. Never rejects. */
  use(change: ServedChange): Promise<void>;
  /** Reads what requests with addresses need, while others are answered; /readyz says ready afterwards. */
  prepare(): Promise<void>;
  /** Makes /readyz say that it is stopping. */
  stop(): void;
  /** Writes the rest of the record, within `timeoutMs`. */
  close(timeoutMs: number): Promise<void>;
  /** Ends without a log line, if it never listened. */
  abandon(): Promise<void>;
}

/** Parts that several processes may share. */
export interface Shared extends Pick<EvidenceOptions, "get" | "uses"> {
  /** Count for all workers, if there are several: requests of clients, and of crawlers. */
  readonly limit?: Limit | undefined;
  readonly crawlerLimit?: TakeOne | undefined;
  /** The warnings of the other workers, for /readyz. */
  readonly othersWarnings?: (() => Promise<Warnings>) | undefined;
  /** The site's own robots.txt. */
  readonly ownRobots?: string | undefined;
}

/** Puts the application together around a detector. `metrics` writes /metrics for all processes. */
export async function createApplication(
  given: Detector,
  configuration: Configuration,
  log: Log,
  metrics: () => Promise<MetricsPage>,
  shared: Shared = {},
): Promise<Application> {
  let isAbandoned = false;
  let names = entryNames(given);
  const hasEntry = (name: string): boolean => names.has(name);
  const record = await openRecord(configuration, {
    hasEntry,
    log(level, text) {
      // Who is told that recording is paused is told that it goes on, too.
      if (!isAbandoned) log.message(level === "info" ? "warn" : level, text);
    },
  });
  const evidence = openEvidence(given.catalogue, {
    authority: configuration.authority,
    signers: configuration.verifySigners,
    dataFolder: configuration.dataFolder,
    hasNetworks: configuration.networks,
    report: (text) => log.message("warn", text),
    get: shared.get,
    uses: shared.uses,
  });
  const { verifyRefresh } = configuration;
  if (verifyRefresh) evidence.start();
  else {
    // The lists that another service has written to the data folder are used.
    await evidence.adopt();
    const warnOfAge = () => {
      for (const text of evidence.ageWarnings()) log.message("warn", text);
    };
    warnOfAge();
    setInterval(warnOfAge, dayMs).unref();
  }
  let isPrepared = false;
  let detector = given;
  let { version } = detector;
  let { ownRobots } = shared;
  let robotsTxt: RobotsTxt = { text: "", warnings: [] };
  /** A text that cannot be written leaves the last one in use: no crawler may take a failure for a permission. */
  function compose(): void {
    try {
      robotsTxt = composeRobotsTxt(detector, configuration, ownRobots) ?? robotsTxt;
    } catch (error) {
      const warning = `The last good robots.txt stays in use: ${(error as Error).message}`;
      robotsTxt = { text: robotsTxt.text || (ownRobots ?? ""), warnings: [warning] };
      log.message("error", warning);
    }
  }
  compose();
  let catalogueWarnings: readonly string[] = [];
  const counts = new RequestCounts();
  const isLogging = configuration.logLevel !== "off";
  let isStopping = false;

  const ownWarnings = () => {
    const { state, reason } = record.status();
    const recording =
      state === "paused" || state === "opening" ? [`recording is ${state}${reason ? `: ${reason}` : ""}`] : [];
    const lists = verifyRefresh ? evidence.warnings() : evidence.ageWarnings();
    return [...catalogueWarnings, ...recording, ...lists, ...robotsTxt.warnings, ...service.policyWarnings()];
  };
  const readiness = async () => {
    // Without a supervisor in time, the worker's own warnings remain.
    const others = await shared.othersWarnings?.().catch(() => undefined);
    const dropped = record.status().dropped + (others?.dropped ?? 0);
    const drops =
      dropped > 0
        ? [`${dropped} requests with new strings were not recorded since the start: counts of strings are too low`]
        : [];
    const reasons = isStopping ? ["stopping"] : isPrepared ? [] : ["reading the lists of networks"];
    return {
      ready: reasons.length === 0,
      reasons,
      warnings: [...new Set([...ownWarnings(), ...drops, ...(others?.texts ?? [])])],
    };
  };
  const onRequest = (event: RequestEvent) => {
    counts.note(event);
    if (isLogging) log.request(event);
  };

  const news = createNews(record);
  const addNews = createNewsMetrics(news);
  // The tables of identification are decoded at the first crawler; no client should wait for that.
  detector.check("Googlebot");
  const service = createService({
    ...toServiceOptions(configuration, record, shared.limit),
    detector,
    crawlerLimit: shared.crawlerLimit,
    traffic: record === noRecord ? undefined : createTrafficSource(record, configuration, hasEntry, news),
    verifier: evidence.verifier,
    networks: evidence.networks,
    readiness,
    metrics: record === noRecord ? metrics : async () => addNews(await metrics()),
    ...((configuration.robotsFile ?? configuration.robotsDisallow) !== undefined && {
      robotsTxt: () => robotsTxt.text,
    }),
    onRequest,
    onVerdict: (verdict, times) => counts.noteVerdict(verdict, times),
  });

  let changing = Promise.resolve();
  async function apply({ file, warnings, ...change }: ServedChange): Promise<void> {
    catalogueWarnings = warnings;
    if (change.ownRobots !== undefined) {
      ownRobots = change.ownRobots;
      compose();
    }
    if (file === undefined) return;
    try {
      detector = await loadForRequests(file);
      service.use({ detector, verifier: evidence.use(detector.catalogue) });
      names = entryNames(detector);
      version = detector.version;
      compose();
    } catch (error) {
      const { message } = error as Error;
      catalogueWarnings = [...warnings, `The new catalogue failed to load; ${version} stays in use: ${message}`];
      log.message("error", catalogueWarnings.at(-1)!);
    }
  }

  return {
    service,
    use(change) {
      changing = changing.then(() => apply(change));
      return changing;
    },
    read() {
      const { reason: _, ...status } = record.status();
      const ranges = evidence.figures();
      return {
        ...{ catalogue: version, counts: counts.read(), record: status, ranges },
        ...{ process: readProcess(), warnings: ownWarnings(), policyWarnings: service.policyWarnings().length },
      };
    },
    async prepare() {
      await evidence.networks?.prepare();
      isPrepared = true;
    },
    stop() {
      isStopping = true;
    },
    async close(timeoutMs) {
      evidence.stop();
      const { lost } = await closeRecord(record, timeoutMs);
      if (lost > 0) log.message("error", `${lost} evaluations could not be recorded before the end`);
    },
    async abandon() {
      isAbandoned = true;
      evidence.stop();
      await closeRecord(record, 0);
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * The detector of a file. Its tables are decoded, because no client should wait for that; requests are answered between the
 * steps.
 */
export async function loadForRequests(file: CatalogueFile): Promise<Detector> {
  const detector = await loadCatalogueFile(file);
  for (const decode of [
    () => detector.isCrawler("Mozilla/5.0"),
    () => detector.catalogue.items,
    () => detector.check("Googlebot"),
    () => detector.catalogue.verification,
    () => detector.strings(),
  ]) {
    await nextTurn();
    decode();
  }
  await nextTurn();
  return detector;
}

/** The service's options, from the configuration and the record. */
function toServiceOptions(configuration: Configuration, record: UserAgentRecord, limit: Limit | undefined) {
  const { listEvaluated, trustProxy, requestTimeoutMs, basePath } = configuration;
  return {
    forwardedAddressOf: createForwardedAddressOf(trustProxy),
    forwardedHostOf: createForwardedHostOf(trustProxy),
    ...(record !== noRecord && { record: listEvaluated === "none" ? noteOnly(record) : record }),
    ...(listEvaluated === "token" && { seesEvaluated: createAuthorizer(listTokens(configuration)) }),
    guards: toGuards(configuration, limit),
    ...toLimits(configuration),
    stallMs: requestTimeoutMs,
    basePath,
    files: openWebFiles(),
  };
}

async function closeRecord(record: UserAgentRecord, timeoutMs: number): Promise<{ lost: number }> {
  // The record's own timers do not hold the process open; this one must.
  const hold = setInterval(() => {}, 1000);
  try {
    return await record.close(timeoutMs);
  } finally {
    clearInterval(hold);
  }
}

/** The names that the catalogue has entries for. */
function entryNames({ catalogue }: Detector): ReadonlySet<string | undefined> {
  return new Set(catalogue.items.map(({ name }) => name));
}

async function openRecord(
  configuration: Configuration,
  options: Pick<RecordOptions, "hasEntry" | "log">,
): Promise<UserAgentRecord> {
  const store = await createStore(recordTarget(configuration));
  if (store === undefined) return noRecord;
  const { recordLimit, recordTtlMs, recordPeople: people } = configuration;
  const ttl = recordTtlMs === undefined ? undefined : { ttlMs: recordTtlMs };
  return createRecord({ store, clock: Date.now, limit: recordLimit, people, ...options, ...ttl });
}

function noteOnly(record: UserAgentRecord): RecordKeeper {
  return { note: record.note.bind(record) };
}

function listTokens({ listTokens, tokens }: Configuration): readonly string[] {
  return listTokens.length > 0 ? listTokens : tokens;
}

function toGuards(configuration: Configuration, limit: Limit | undefined): GuardOptions {
  const { tokens, listTokens, rateLimit, trustProxy, corsOrigins, hstsMs } = configuration;
  return {
    ...(tokens.length > 0 && { authorize: createAuthorizer([...tokens, ...listTokens]) }),
    ...(rateLimit && {
      limit:
        limit ??
        createClientLimit(
          rateLimit,
          createTakeOne(() => performance.now()),
        ),
    }),
    addressOf: createAddressOf(trustProxy),
    corsOrigins,
    ...(hstsMs !== undefined && { hstsSeconds: Math.floor(hstsMs / 1000) }),
  };
}
