/** A worker for its parent: a child process, its messages, and its end. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Snapshot } from "../observe/snapshot.ts";
import { workerVariable } from "../settings/setting.ts";
import type { FromWorker, Requests, ToWorker } from "./worker-messages.ts";

/** V8 lets its space for new objects grow to 128 MB under load, and keeps that; this bounds it to 32 MB. Bun has another engine. */
const runtimeFlags = process.versions.bun ? [] : ["--max-semi-space-size=16"];

export class WorkerHandle {
  readonly #child: ChildProcess;
  readonly #requests: Requests;
  readonly #reading = new Set<() => void>();
  #listeningAt: number | undefined;
  #settleStart: (failure: string | undefined) => void = () => {};
  /** Resolves when it answers: to undefined, or to why it cannot. */
  readonly started: Promise<string | undefined>;
  /** Resolves when it has ended: to how. */
  readonly ended: Promise<string>;
  hasEnded = false;
  /** It was told to stop, so its end is expected. */
  isRetiring = false;
  isReplacement = false;
  banner = "";
  /** The last figures it sent. */
  snapshot: Snapshot | undefined;

  /** `begin` makes the message that starts it; `requests` answers its questions to the parent. */
  constructor(begin: () => Promise<ToWorker>, requests: Requests) {
    this.#requests = requests;
    this.started = new Promise((resolve) => {
      this.#settleStart = resolve;
    });
    const args = [...runtimeFlags, ...process.execArgv, process.argv[1] as string, "serve"];
    this.#child = spawn(process.execPath, args, {
      env: { ...process.env, [workerVariable]: String(process.pid) },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#child.on("message", (message: FromWorker) => this.#receive(message, begin));
    this.ended = new Promise((resolve) => {
      const end = (how: string) => {
        this.hasEnded = true;
        this.#settleStart(`a worker ended with ${how}`);
        for (const done of [...this.#reading]) done();
        resolve(how);
      };
      this.#child.once("exit", (code, signal) => end(signal ?? `code ${code}`));
      this.#child.once("error", (error) => end(error.message));
    });
  }

  /** For how long it has been answering; undefined before it does. */
  get livedMs(): number | undefined {
    return this.#listeningAt === undefined ? undefined : performance.now() - this.#listeningAt;
  }

  send(message: ToWorker): void {
    // It may be ending; its end is then handled elsewhere.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** Ends it at once, for one that does not answer requests yet. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Asks for its figures; resolves to the last known ones if it does not answer within `timeoutMs`. */
  read(timeoutMs: number): Promise<Snapshot | undefined> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#reading.delete(done);
        resolve(this.hasEnded ? undefined : this.snapshot);
      };
      const timer = setTimeout(done, timeoutMs);
      this.#reading.add(done);
      this.send({ type: "read" });
    });
  }

  /** Resolves when it has ended; it is killed after `ms`. */
  async endedWithin(ms: number): Promise<void> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), ms);
    await this.ended;
    clearTimeout(timer);
  }

  #receive(message: FromWorker, begin: () => Promise<ToWorker>): void {
    switch (message.type) {
      case "waiting":
        void begin().then((start) => this.send(start));
        break;
      case "listening":
        this.banner = message.banner;
        this.#listeningAt = performance.now();
        this.#settleStart(undefined);
        break;
      case "failed":
        this.#settleStart(message.reason);
        break;
      case "snapshot":
        this.snapshot = message.snapshot;
        for (const done of [...this.#reading]) done();
        break;
      case "metrics":
        this.#requests.metrics(message);
        break;
      case "warnings":
        this.#requests.warnings(message);
        break;
      case "limit":
        this.#requests.limit(message);
        break;
      case "use":
        this.#requests.use(message);
        break;
    }
  }
}
