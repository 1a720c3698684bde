// The one table of everything that can be set about a running service. configuration.ts reads values by it; help and
// docs are written from it.
import { availableParallelism } from "node:os";
import { parseRecordTarget, type RecordTarget } from "../record/open-store.ts";
import {
  oneOf,
  parseBasePath,
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
import { type Setting, setting } from "./setting.ts";

export const logLevels = ["off", "error", "warn", "info"] as const;
export type LogLevel = (typeof logLevels)[number];
const logFormats = ["auto", "json", "pretty"] as const;
const evaluatedAccess = ["all", "token", "none"] as const;

export const settings = {
  port: setting("port", "NUMBER", "8080", "port to listen on; 0 takes any free one", wholeNumber(0, 65_535)),
  host: setting(
    "host",
    "HOST",
    "localhost",
    "address to listen on; 0.0.0.0 for every IPv4 interface, :: for every interface",
    parseHost,
  ),
  workers: setting(
    "workers",
    "NUMBER",
    "1",
    "processes that answer on the port; auto is one a processor; from 2 on, one that dies is replaced, and SIGHUP replaces them one by one",
    (text) => (text === "auto" ? availableParallelism() : wholeNumber(1, 256, " or auto")(text)),
  ),
  dataFolder: setting(
    "data",
    "FOLDER",
    ".whocrawls",
    "folder for whatever the service writes, made when something is written",
    (text) => text,
  ),
  record: setting(
    "record",
    "TARGET",
    "",
    "where evaluated strings are recorded: the path of a SQLite file (record.sqlite in the data folder when not set), postgres://…, memory: or off",
    (text): RecordTarget | undefined => (text === "" ? undefined : parseRecord(text)),
  ),
  recordLimit: setting(
    "record-limit",
    "NUMBER",
    "100000",
    "most distinct strings to record; the longest unseen leave first",
    wholeNumber(1, 100_000_000),
  ),
  recordTtlMs: setting(
    "record-ttl",
    "TIME",
    "off",
    "recorded strings unseen for so long leave, such as 30d or 12h",
    (text) => (text === "off" ? undefined : parseDuration(text)),
  ),
  listEvaluated: setting(
    "list-evaluated",
    "WHO",
    "all",
    "who sees recorded strings in List: all, token (callers that show one), none",
    oneOf(evaluatedAccess),
  ),
  maxLists: setting(
    "max-lists",
    "NUMBER",
    "16",
    "lists that each worker makes at once; who asks for one more is told to come again",
    wholeNumber(1, 10_000),
  ),
  listTimeoutMs: setting(
    "list-timeout",
    "TIME",
    "10s",
    "time that a list may wait for the record in all",
    parseDuration,
  ),
  listTokens: setting(
    "list-token",
    "TOKEN",
    "",
    "bearer tokens that show recorded strings where list-evaluated is token; without any, those of token do",
    parseList(parseToken),
    { secret: true, list: true },
  ),
  tokens: setting(
    "token",
    "TOKEN",
    "",
    "bearer tokens, one of which every request but /healthz and /readyz must show; none is asked for without it",
    parseList(parseToken),
    { secret: true, list: true },
  ),
  rateLimit: setting(
    "rate-limit",
    "RATE",
    "off",
    "requests a client may make, such as 100/s, 1000/m or 50000/h",
    (text) => (text === "off" ? undefined : parseRate(text)),
  ),
  verifyRefresh: setting(
    "verify-refresh",
    "SWITCH",
    "on",
    "read the lists of addresses that operators of crawlers publish, about daily; off for networks without the Internet",
    parseSwitch,
  ),
  trustProxy: setting(
    "trust-proxy",
    "HOPS",
    "0",
    "proxies in front whose X-Forwarded-For is believed, counted from the right",
    wholeNumber(0, 32),
  ),
  corsOrigins: setting(
    "cors-origin",
    "ORIGIN",
    "",
    "origins whose pages may call the service, such as https://example.com; * for all",
    parseList(parseOrigin),
    { list: true },
  ),
  hstsMs: setting(
    "hsts",
    "TIME",
    "off",
    "tell browsers to use HTTPS only for so long, such as 365d; for services behind a proxy that speaks it",
    (text) => (text === "off" ? undefined : parseDuration(text)),
  ),
  basePath: setting(
    "base-path",
    "PATH",
    "",
    "what stands before every path for clients where a proxy serves this service below a path, such as /bots",
    parseBasePath,
  ),
  maxBodyBytes: setting("max-body", "SIZE", "64KiB", "longest body of a request", parseSize(1, 16 * 1024 * 1024)),
  maxHeadBytes: setting(
    "max-head",
    "SIZE",
    "16KiB",
    "longest head of a request: its first line and headers",
    parseSize(1024, 1024 * 1024),
  ),
  requestTimeoutMs: setting(
    "request-timeout",
    "TIME",
    "30s",
    "time in which a client must have sent its whole request",
    parseDuration,
  ),
  keepAliveMs: setting(
    "keep-alive",
    "TIME",
    "75s",
    "how long an idle connection stays open; longer than the proxy's, so that it is the proxy that ends it",
    (text) => parseDuration(text, 1000, 255_000),
  ),
  logLevel: setting(
    "log",
    "LEVEL",
    "info",
    `what goes to standard error: ${logLevels.join(", ")} (a line a request)`,
    oneOf(logLevels),
  ),
  logFormat: setting(
    "log-format",
    "FORMAT",
    "auto",
    "json (one object a line), pretty, or auto: pretty on a terminal, else json",
    oneOf(logFormats),
  ),
  logUserAgents: setting(
    "log-user-agents",
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
