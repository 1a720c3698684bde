/**
 * The log on standard error: one JSON object a line, or a line for a person on a terminal; buffered briefly, so that a request does not
 * cost a system call. Without `log-user-agents` it holds no user agent strings.
 */
import type { RequestEvent } from "../../service/options.ts";
import { toPlain } from "../../text/plain-text.ts";
import { type Configuration, type LogLevel, logLevels } from "../settings/settings.ts";

const flushDelayMs = 50;
const flushLength = 32_768;

type MessageLevel = Exclude<LogLevel, "off">;

export interface LogOptions {
  readonly level: LogLevel;
  /** For a person; one JSON object a line without it. */
  readonly isPretty?: boolean;
  /** Whether the user agents that were asked about are shown. */
  readonly showsUserAgents?: boolean;
}

export interface Log {
  /** Notes one answered request, at the level that `levelOf` finds. */
  request(event: RequestEvent): void;
  /** Notes something that concerns no single request. */
  message(level: MessageLevel, text: string, error?: unknown): void;
  /** Writes the buffered lines; call it before the process ends. */
  flush(): void;
}

/** A line without the members that are undefined: a message, or an answered request. */
interface LogLine extends Partial<Omit<RequestEvent, "verdict" | "problem" | "error">> {
  /** ISO 8601. */
  readonly time: string;
  readonly level: MessageLevel;
  readonly message?: string;
  readonly useragent?: string | undefined;
  readonly error: string | undefined;
}

/** Makes the log that the configuration asks for. */
export function openLog({ logLevel, logFormat, logUserAgents }: Configuration): Log {
  const isPretty = logFormat === "pretty" || (logFormat === "auto" && process.stderr.isTTY === true);
  const log = createLog(
    { level: logLevel, isPretty, showsUserAgents: logUserAgents },
    (lines) => void process.stderr.write(lines),
  );
  process.once("exit", log.flush);
  return log;
}

/** Makes a log that hands finished lines to `write`, many at a time. */
export function createLog({ level, isPretty, showsUserAgents }: LogOptions, write: (lines: string) => void): Log {
  const loudness = logLevels.indexOf(level);
  const isShown = (level: MessageLevel) => logLevels.indexOf(level) <= loudness;
  let gathered = "";
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (gathered === "") return;
    const lines = gathered;
    gathered = "";
    write(lines);
  }

  function add(line: LogLine): void {
    gathered += isPretty ? toPrettyLine(line) : `${JSON.stringify(line)}\n`;
    if (gathered.length >= flushLength) flush();
    else timer ??= setTimeout(flush, flushDelayMs);
  }

  return {
    request(event) {
      const level = levelOf(event);
      if (!isShown(level)) return;
      const { requestId, method, route, status, durationMs: exact, verdict, error, warning } = event;
      const durationMs = Math.round(exact * 1000) / 1000;
      const useragent = showsUserAgents ? verdict?.useragent : undefined;
      const request = { requestId, method, route, status, durationMs, useragent };
      add({ time: now(), level, ...request, warning, error: toErrorText(error) });
    },
    message(level, message, error) {
      if (!isShown(level)) return;
      add({ time: now(), level, message, error: toErrorText(error) });
      flush();
    },
    flush,
  };
}

/** `error` if the operator must act; `warn` if a client was refused because it, or all clients, had reached a limit. */
function levelOf({ route, status, problem, error, warning }: RequestEvent): MessageLevel {
  if (error !== undefined) return "error";
  if (warning !== undefined) return "warn";
  // /readyz says no while the service starts or stops.
  if (status < 500 || route === "/readyz") return "info";
  return problem === "too-many-bodies" || problem === "too-many-lists" ? "warn" : "error";
}

const now = (): string => new Date().toISOString();

function toErrorText(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}

const colors = { error: 31, warn: 33, info: 32 } as const;

/** The facts of a line in one glance. */
function toPrettyLine({ time, level, message, useragent, error, warning, ...request }: LogLine): string {
  const { method, route, status, durationMs, requestId } = request;
  const head = `${time.slice(11, 23)} \u001b[${colors[level]}m${level.padEnd(5)}\u001b[0m`;
  const text = message ?? `${method} ${route} ${status} ${durationMs?.toFixed(1)} ms ${requestId}`;
  const asked = useragent === undefined ? "" : ` "${toPlain(useragent)}"`;
  const failed = ((error ?? warning)?.split("\n") ?? []).map((line) => `\n    ${toPlain(line)}`).join("");
  return `${head} ${toPlain(text)}${asked}${failed}\n`;
}
