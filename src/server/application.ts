/**
 * The service as the configuration describes it: the HTTP application with its catalogue, record, evidence, counts and guards.
 * listen/ handles sockets.
 */

import { toClient } from "../address/address.ts";
import { once } from "../cache/once.ts";
import { createRateLimiter } from "../cache/token-buckets.ts";
import { openCatalogue, reloadSliceMs } from "../catalogue/open-catalogue.ts";
import { CatalogueReloader } from "../catalogue/reload-catalogue.ts";
import type { Detector } from "../detect/verdict.ts";
import type { Forwarded } from "../http/context.ts";
import { inSlices } from "../http/event-loop-turns.ts";
import type { GuardOptions } from "../http/guards.ts";
import { createStore } from "../record/open-store.ts";
import { notRecording, type RecordOptions, UserAgentRecord } from "../record/record.ts";
import type { Service } from "../service/create-api.ts";
import { toLimits } from "../service/limits.ts";
import type { MetricsPage, Readiness, RequestEvent } from "../service/options.ts";
import { createService } from "../service.ts";
import { toMessage, UserError } from "../text/errors.ts";
import type { Get } from "../verify/https-get.ts";
import { type OpenedEvidence, openEvidence } from "../verify/open-evidence.ts";
import { createForwarded } from "./listen/client-address.ts";
import { RequestCounts } from "./observe/counts.ts";
import type { Log } from "./observe/log.ts";
import { createIsOwnHost } from "./own-hosts.ts";
import { openWebFiles } from "./read-web-files.ts";
import { ServedRobots } from "./robots-txt.ts";
import { recordTarget } from "./settings/configuration.ts";
import type { Configuration } from "./settings/settings.ts";
import { createAuthorizer } from "./tokens.ts";

const dayMs = 86_400_000;
const notRecorded = "requests with new strings have not been recorded since the start: counts of strings are too low";

/** What a service is made of. */
interface Parts {
  readonly configuration: Configuration;
  readonly log: Log;
  readonly catalogue: CatalogueReloader;
  readonly robots: ServedRobots | undefined;
  readonly record: UserAgentRecord | undefined;
  readonly evidence: OpenedEvidence;
}

export class Application {
  readonly service: Service;
  readonly #parts: Parts;
  readonly #counts = new RequestCounts();
  readonly #metrics: () => Promise<() => Promise<MetricsPage>>;
  /** The names that the catalogue has entries for. */
  #names: ReadonlySet<string | undefined>;
  #isPrepared = false;
  #isStopping = false;
  #isAbandoned = false;

  /**
   * Opens the service of a configuration. `get` gets lists and keys, from the Internet unless given. Throws a UserError if the
   * catalogue or the robots.txt is wrong.
   */
  static async open(configuration: Configuration, log: Log, get?: Get): Promise<Application> {
    let application: Application | undefined;
    const catalogue = await openServedCatalogue(configuration, log, (detector) => application?.use(detector));
    const robots = await ServedRobots.open(catalogue.detector, configuration, log, (text) =>
      application?.service.useRobotsTxt(text),
    );
    const record = await openRecord(configuration, {
      hasEntry: (name) => application?.hasEntry(name) ?? false,
      log: (level, text) => application?.logOfRecord(level, text),
    });
    const evidence = openEvidence(catalogue.detector.catalogue, {
      authority: configuration.authority,
      signers: configuration.verifySigners,
      dataFolder: configuration.dataFolder,
      hasNetworks: configuration.networks,
      report: (text) => log.message("warn", text),
      get,
    });
    application = new Application({ configuration, log, catalogue, robots, record, evidence });
    await application.#startEvidence();
    return application;
  }

  private constructor(parts: Parts) {
    const { configuration, log, catalogue, robots, record, evidence } = parts;
    this.#parts = parts;
    this.#names = entryNames(catalogue.detector);
    this.#metrics = once(() => this.#openMetrics());
    const isLogging = configuration.logLevel !== "off";
    this.service = createService({
      ...toServiceOptions(configuration, record),
      detector: catalogue.detector,
      verifier: evidence.verifier,
      networks: evidence.networks,
      readiness: () => this.#readiness(),
      metrics: async () => (await this.#metrics())(),
      robotsTxt: robots?.text,
      onRequest: (event: RequestEvent) => {
        this.#counts.note(event);
        if (isLogging) log.request(event);
      },
      onVerdict: (verdict) => this.#counts.noteVerdict(verdict),
    });
  }

  /** The catalogue in use. */
  get detector(): Detector {
    return this.#parts.catalogue.detector;
  }

  hasEntry(name: string): boolean {
    return this.#names.has(name);
  }

  logOfRecord(level: "info" | "warn" | "error", text: string): void {
    // Whoever was told that recording is paused must also be told that it has resumed.
    if (!this.#isAbandoned) this.#parts.log.message(level === "info" ? "warn" : level, text);
  }

  /** Prepares what the first requests would have to wait for, while other requests are answered; then /readyz reports ready. */
  async prepare(): Promise<void> {
    await Promise.all([
      this.#parts.evidence.prepare(this.#parts.configuration.trustProxy > 0),
      this.#metrics(),
      this.service.prepare(),
    ]);
    this.#isPrepared = true;
  }

  /** Reads files that change again from now on. */
  watch(): void {
    this.#parts.catalogue.start();
    this.#parts.robots?.start();
  }

  /** Reads the files of the catalogue again, or others, and the robots.txt. Never rejects. Undefined if no file is set. */
  reload({ catalogueFiles }: Pick<Configuration, "catalogueFiles">): Promise<unknown> | undefined {
    const { catalogue, robots } = this.#parts;
    const reloads = [catalogue.reload(catalogueFiles), robots?.reload()].filter((reload) => reload !== undefined);
    return reloads.length === 0 ? undefined : Promise.all(reloads);
  }

  /** Makes /readyz say that it is stopping. */
  stop(): void {
    this.#isStopping = true;
    this.#parts.catalogue.stop();
    this.#parts.robots?.stop();
  }

  /** Writes the rest of the record, trying for up to `timeoutMs`. `lost`: evaluations it could not write. */
  async close(timeoutMs: number): Promise<{ lost: number }> {
    const { evidence, record, log } = this.#parts;
    evidence.stop();
    const { lost = 0 } = (await record?.close(timeoutMs)) ?? {};
    if (lost > 0) log.message("error", `${lost} evaluations could not be recorded before shutdown`);
    return { lost };
  }

  /** Ends without a log line, if it never listened. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    this.stop();
    this.#parts.evidence.stop();
    await this.#parts.record?.close(0);
  }

  /** Decides with another catalogue from now on. */
  use(detector: Detector): void {
    this.service.use({ detector, verifier: this.#parts.evidence.use(detector.catalogue) });
    this.#names = entryNames(detector);
    this.#parts.robots?.use(detector);
    void this.service.prepare();
  }

  async #startEvidence(): Promise<void> {
    const { evidence, configuration, log } = this.#parts;
    if (configuration.verifyRefresh) return evidence.start();
    // The lists that another service has written to the data folder are used.
    await evidence.adopt();
    const warnOfAge = () => {
      for (const text of evidence.ageWarnings()) log.message("warn", text);
    };
    warnOfAge();
    setInterval(warnOfAge, dayMs).unref();
  }

  #readiness(): Readiness {
    const reasons = this.#isStopping ? ["stopping"] : this.#isPrepared ? [] : ["preparing the first answers"];
    return { ready: reasons.length === 0, reasons, warnings: this.#warnings() };
  }

  #warnings(): readonly string[] {
    const { configuration, catalogue, robots, record, evidence } = this.#parts;
    const { state, reason, dropped } = record?.status() ?? notRecording;
    const isWaiting = state === "paused" || state === "opening";
    return [
      ...catalogue.warnings,
      ...(isWaiting ? [`recording is ${state}${reason ? `: ${reason}` : ""}`] : []),
      ...(configuration.verifyRefresh ? evidence.warnings() : evidence.ageWarnings()),
      ...evidence.proxyWarnings(),
      ...(robots?.warnings ?? []),
      ...this.service.policyWarnings(),
      ...(dropped > 0 ? [`${dropped} ${notRecorded}`] : []),
    ];
  }

  /** Loaded while requests are answered: prom-client takes tens of milliseconds. */
  async #openMetrics(): Promise<() => Promise<MetricsPage>> {
    const { createMetrics } = await import("./observe/metrics.ts");
    const { catalogue, record, evidence } = this.#parts;
    return createMetrics({
      counts: this.#counts,
      policyWarnings: this.service.policyWarnings,
      ranges: () => evidence.figures(),
      record: () => record?.status() ?? notRecording,
      catalogue,
      news: record && (() => record.traffic.news()),
    });
  }
}

async function openServedCatalogue(
  { catalogueFiles }: Configuration,
  log: Log,
  use: (detector: Detector) => void,
): Promise<CatalogueReloader> {
  try {
    return await CatalogueReloader.open({
      files: catalogueFiles,
      async open(files, signal) {
        const opened = await openCatalogue(files, signal);
        await inSlices(decode(opened.detector), { signal, sliceMs: reloadSliceMs });
        return opened;
      },
      use,
      log: log.message,
    });
  } catch (error) {
    throw new UserError(`The catalogue is invalid: ${toMessage(error)}`);
  }
}

/** Decodes the tables of a detector, because no client should wait for that. */
function* decode(detector: Detector): Generator<undefined, void> {
  for (const decode of [
    () => detector.isCrawler("Mozilla/5.0"),
    () => detector.catalogue.items,
    () => detector.check("Googlebot"),
    () => detector.catalogue.verification,
    () => detector.strings(),
  ]) {
    yield;
    decode();
  }
}

/** The service's options, from the configuration and the record. */
function toServiceOptions(configuration: Configuration, record: UserAgentRecord | undefined) {
  const { listEvaluated, requestTimeoutMs, basePath } = configuration;
  const forwarded = createForwarded(configuration.trustProxy);
  return {
    forwarded,
    ...(record && { record: listEvaluated === "none" ? { note: record.note.bind(record) } : record }),
    ...toMayRead(configuration),
    guards: toGuards(configuration, forwarded),
    ...toLimits(configuration),
    stallMs: requestTimeoutMs,
    basePath,
    files: openWebFiles(),
  };
}

function entryNames({ catalogue }: Detector): ReadonlySet<string | undefined> {
  return new Set(catalogue.items.map(({ name }) => name));
}

async function openRecord(
  configuration: Configuration,
  options: Pick<RecordOptions, "hasEntry" | "log">,
): Promise<UserAgentRecord | undefined> {
  const store = await createStore(recordTarget(configuration));
  if (store === undefined) return undefined;
  const { recordLimit, recordTtlMs, recordPeople: people } = configuration;
  const ttl = recordTtlMs === undefined ? undefined : { ttlMs: recordTtlMs };
  return new UserAgentRecord({ store, clock: Date.now, limit: recordLimit, people, ...options, ...ttl });
}

/** A service with tokens shows the record to their holders only. */
function toMayRead({ listEvaluated, listTokens, tokens }: Configuration) {
  const needed = listEvaluated === "token" && listTokens.length > 0 ? listTokens : [...tokens, ...listTokens];
  return (listEvaluated === "token" || tokens.length > 0) && { mayRead: createAuthorizer(needed) };
}

function toGuards(configuration: Configuration, forwarded: Forwarded | undefined): GuardOptions {
  const { tokens, listTokens, rateLimit, corsOrigins, hstsMs } = configuration;
  const takeOne = createRateLimiter(() => performance.now());
  return {
    ...(tokens.length > 0 && { authorize: createAuthorizer([...tokens, ...listTokens]) }),
    // All addresses of a client's network share a bucket.
    ...(rateLimit && { limit: (address: string) => takeOne(toClient(address), rateLimit) }),
    addressOf: (request) => forwarded?.addressOf(request) ?? request.clientAddress,
    corsOrigins,
    isOwnHost: createIsOwnHost(configuration),
    ...(hstsMs !== undefined && { hstsSeconds: Math.floor(hstsMs / 1000) }),
  };
}
