// The one table of everything that can be set about a running service: its name as flag and in the file, its
// environment variable, default, check and help. configuration.ts reads values by it; help and docs are written from it.
import { availableParallelism } from "node:os";
import { parseRecordTarget, type RecordTarget } from "../record/open-store.ts";
import {
  oneOf,
  parseDuration,
  parseHost,
  parseList,
  parseOrigin,
  parseRate,
  parseSize,
  parseSwitch,
  parseToken,
  wholeNumber,
} from "./parse-values.ts";

/** One setting; `parse` throws an Error whose message continues "X is Y; …". */
export interface Setting<Value> {
  /** The flag without its dashes, and the key in the file. */
  readonly name: string;
  readonly env: string;
  /** What the flag takes, as help shows it; a switch takes nothing. */
  readonly takes: string | undefined;
  /** As it would be written. Empty: not set. */
  readonly default: string;
  readonly help: string;
  readonly parse: (text: string) => Value;
  /** Never shown. */
  readonly secret?: true;
  /** The flag may be repeated; elsewhere values are separated by commas. */
  readonly list?: true;
}

export const logLevels = ["off", "error", "warn", "info"] as const;
export type LogLevel = (typeof logLevels)[number];
const logFormats = ["auto", "json", "pretty"] as const;
const evaluatedAccess = ["all", "token", "none"] as const;

const setting = <Value>(
  name: string,
  env: string,
  takes: string | undefined,
  standard: string,
  help: string,
  parse: (text: string) => Value,
  more: { readonly secret?: true; readonly list?: true } = {},
): Setting<Value> => ({ name, env, takes, default: standard, help, parse, ...more });

export const settings = {
  port: setting("port", "PORT", "NUMBER", "8080", "port to listen on; 0 takes any free one", wholeNumber(0, 65_535)),
  host: setting(
    "host",
    "HOST",
    "HOST",
    "localhost",
    "address to listen on; 0.0.0.0 for every IPv4 interface, :: for every interface",
    parseHost,
  ),
  workers: setting(
    "workers",
    "WHOCRAWLS_WORKERS",
    "NUMBER",
    "1",
    "processes that answer on the port; auto is one a processor; from 2 on, one that dies is replaced, and SIGHUP replaces them one by one",
    (text) => (text === "auto" ? availableParallelism() : wholeNumber(1, 256, " or auto")(text)),
  ),
  dataFolder: setting(
    "data",
    "WHOCRAWLS_DATA",
    "FOLDER",
    ".whocrawls",
    "folder for whatever the service writes, made when something is written",
    (text) => text,
  ),
  record: setting(
    "record",
    "WHOCRAWLS_RECORD",
    "TARGET",
    "",
    "where evaluated strings are recorded: the path of a SQLite file (record.sqlite in the data folder when not set), postgres://…, memory: or off",
    (text): RecordTarget | undefined => (text === "" ? undefined : parseRecord(text)),
  ),
  recordLimit: setting(
    "record-limit",
    "WHOCRAWLS_RECORD_LIMIT",
    "NUMBER",
    "100000",
    "most distinct strings to record; the longest unseen leave first",
    wholeNumber(1, 100_000_000),
  ),
  recordTtlMs: setting(
    "record-ttl",
    "WHOCRAWLS_RECORD_TTL",
    "TIME",
    "off",
    "recorded strings unseen for so long leave, such as 30d or 12h",
    (text) => (text === "off" ? undefined : parseDuration(text)),
  ),
  listEvaluated: setting(
    "list-evaluated",
    "WHOCRAWLS_LIST_EVALUATED",
    "WHO",
    "all",
    "who sees recorded strings in List: all, token (callers that show one), none",
    oneOf(evaluatedAccess),
  ),
  listTokens: setting(
    "list-token",
    "WHOCRAWLS_LIST_TOKEN",
    "TOKEN",
    "",
    "bearer tokens that show recorded strings where list-evaluated is token; without any, those of token do",
    parseList(parseToken),
    { secret: true, list: true },
  ),
  tokens: setting(
    "token",
    "WHOCRAWLS_TOKEN",
    "TOKEN",
    "",
    "bearer tokens, one of which every request but /healthz and /readyz must show; none is asked for without it",
    parseList(parseToken),
    { secret: true, list: true },
  ),
  rateLimit: setting(
    "rate-limit",
    "WHOCRAWLS_RATE_LIMIT",
    "RATE",
    "off",
    "requests a client may make, counted in each worker, such as 100/s, 1000/m or 50000/h",
    (text) => (text === "off" ? undefined : parseRate(text)),
  ),
  verifyRefresh: setting(
    "verify-refresh",
    "WHOCRAWLS_VERIFY_REFRESH",
    "SWITCH",
    "on",
    "read the lists of addresses that operators of crawlers publish, about daily; off for networks without the Internet",
    parseSwitch,
  ),
  trustProxy: setting(
    "trust-proxy",
    "WHOCRAWLS_TRUST_PROXY",
    "HOPS",
    "0",
    "proxies in front whose X-Forwarded-For is believed, counted from the right",
    wholeNumber(0, 32),
  ),
  corsOrigins: setting(
    "cors-origin",
    "WHOCRAWLS_CORS_ORIGIN",
    "ORIGIN",
    "",
    "origins whose pages may call the service, such as https://example.com; * for all",
    parseList(parseOrigin),
    { list: true },
  ),
  hstsMs: setting(
    "hsts",
    "WHOCRAWLS_HSTS",
    "TIME",
    "off",
    "tell browsers to use HTTPS only for so long, such as 365d; for services behind a proxy that speaks it",
    (text) => (text === "off" ? undefined : parseDuration(text)),
  ),
  maxBodyBytes: setting(
    "max-body",
    "WHOCRAWLS_MAX_BODY",
    "SIZE",
    "64KiB",
    "longest body of a request",
    parseSize(1, 16 * 1024 * 1024),
  ),
  maxHeadBytes: setting(
    "max-head",
    "WHOCRAWLS_MAX_HEAD",
    "SIZE",
    "16KiB",
    "longest head of a request: its first line and headers",
    parseSize(1024, 1024 * 1024),
  ),
  requestTimeoutMs: setting(
    "request-timeout",
    "WHOCRAWLS_REQUEST_TIMEOUT",
    "TIME",
    "30s",
    "time in which a client must have sent its whole request",
    (text) => parseDuration(text, 1000),
  ),
  keepAliveMs: setting(
    "keep-alive",
    "WHOCRAWLS_KEEP_ALIVE",
    "TIME",
    "75s",
    "how long an idle connection stays open; longer than the proxy's, so that it is the proxy that ends it",
    (text) => parseDuration(text, 1000, 255_000),
  ),
  logLevel: setting(
    "log",
    "WHOCRAWLS_LOG",
    "LEVEL",
    "info",
    `what goes to standard error: ${logLevels.join(", ")} (a line a request)`,
    oneOf(logLevels),
  ),
  logFormat: setting(
    "log-format",
    "WHOCRAWLS_LOG_FORMAT",
    "FORMAT",
    "auto",
    "json (one object a line), pretty, or auto: pretty on a terminal, else json",
    oneOf(logFormats),
  ),
  logUserAgents: setting(
    "log-user-agents",
    "WHOCRAWLS_LOG_USER_AGENTS",
    undefined,
    "false",
    "show in the log which user agents were asked about",
    parseSwitch,
  ),
} as const;

export type SettingKey = keyof typeof settings;
/** How a service is run: every setting, read. */
export type Configuration = { readonly [Key in SettingKey]: ReturnType<(typeof settings)[Key]["parse"]> };

/** The settings as pairs, in the order of the table. */
export const settingEntries = Object.entries(settings) as readonly [SettingKey, Setting<unknown>][];

function parseRecord(text: string): RecordTarget {
  try {
    return parseRecordTarget(text);
  } catch (error) {
    throw new Error(`it is ${(error as Error).message.replace(/\.?$/, ".")}`);
  }
}
