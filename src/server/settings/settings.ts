/** The single table of a running service's settings. configuration.ts reads values with it; help and docs are generated from it. */
import { parseRecordTarget, peopleChoices, recordForms } from "../../record/open-store.ts";
import { defaultLimits } from "../../service/limits.ts";
import { toHelpLines } from "../../text/columns.ts";
import { oneOf, wholeNumber } from "../../text/parse-value.ts";
import { parseSigner } from "../../verify/signature/agent-address.ts";
import { parseAuthority } from "../../verify/signature/authority.ts";
import {
  parseBasePath,
  parseDuration,
  parseDurationOrOff,
  parseHost,
  parseList,
  parseOrigin,
  parseRateOrOff,
  parseSize,
  parseSwitch,
  parseText,
  parseToken,
  unlessEmpty,
} from "./parse-values.ts";

export const logLevels = ["off", "error", "warn", "info"] as const;
export type LogLevel = (typeof logLevels)[number];
const logFormats = ["auto", "json", "pretty"] as const;
/** No client or store is waited for longer. */
const maxTimeoutMs = 3_600_000;
const evaluatedAccess = ["all", "token", "none"] as const;

/** One setting; `parse` throws an Error whose message continues "X is Y; it …". */
export interface Setting<Value> {
  /** The flag without its dashes, and the key in the file. */
  readonly name: string;
  readonly env: string;
  /** The kind of the flag's value, as help shows it; a switch has none. */
  readonly takes: string | undefined;
  /** As a user would write it. Empty: not set. */
  readonly default: string;
  readonly help: string;
  readonly parse: (text: string) => Value;
  /** Never shown. */
  readonly secret?: true;
  /** The flag may be repeated; elsewhere values are separated by commas. */
  readonly list?: true;
}

/** Writes a row: its usage (name, what the flag takes, default), help, how to read it. The variable is named after the flag. */
function setting<Value>(
  usage: string,
  help: string,
  parse: (text: string) => Value,
  more: { readonly secret?: true; readonly list?: true } = {},
): Setting<Value> {
  const [name = "", takes, standard = takes === undefined ? "false" : ""] = usage.split(" ");
  const variable = name.toUpperCase().replaceAll("-", "_");
  // Hosting platforms set these two without our prefix.
  const env = name === "port" || name === "host" ? variable : `WHOCRAWLS_${variable}`;
  return { name, env, takes, default: standard, help, parse, ...more };
}

const settings = {
  port: setting("port NUMBER 8080", "port to listen on; 0 means any free port", wholeNumber(0, 65_535)),
  host: setting(
    "host HOST localhost",
    "address to listen on; 0.0.0.0 means every IPv4 interface, :: every interface",
    parseHost,
  ),
  dataFolder: setting(
    "data FOLDER .whocrawls",
    "folder for the files that the service writes; created at the first write",
    parseText,
  ),
  catalogueFiles: setting(
    "catalogue FILE",
    "YAML files with your own crawlers; later files take precedence; the first may be a compiled file or a data file; reloaded when they change",
    parseList(parseText),
    { list: true },
  ),
  record: setting(
    "record TARGET",
    `where evaluated strings are recorded: ${recordForms}; default: record.sqlite in the data folder`,
    unlessEmpty(parseRecordTarget),
  ),
  recordLimit: setting(
    "record-limit NUMBER 100000",
    "maximum number of distinct strings in the record; the least recently seen are removed first",
    wholeNumber(1, 100_000_000),
  ),
  recordTtlMs: setting(
    "record-ttl TIME off",
    "removes recorded strings that have not been seen for this long, such as 30d or 12h",
    parseDurationOrOff,
  ),
  recordPeople: setting(
    "record-people WHAT full",
    "whether to record the strings of browsers and apps: full or off; requests are counted either way",
    oneOf(peopleChoices),
  ),
  listEvaluated: setting(
    "list-evaluated WHO all",
    "who can read recorded strings: all, token (callers with a token) or none",
    oneOf(evaluatedAccess),
  ),
  listTokens: setting(
    "list-token TOKEN",
    "bearer tokens of at least 16 characters that can read recorded strings when list-evaluated is token; default: the tokens of the setting token",
    parseList(parseToken),
    { secret: true, list: true },
  ),
  tokens: setting(
    "token TOKEN",
    "bearer tokens of at least 16 characters; if any is set, requests need one, except for health, documentation and pages",
    parseList(parseToken),
    { secret: true, list: true },
  ),
  rateLimit: setting(
    "rate-limit RATE off",
    "maximum request rate of one client, such as 100/s, 1000/m or 50000/h",
    parseRateOrOff,
  ),
  verifyRefresh: setting(
    "verify-refresh SWITCH on",
    "downloads the address lists that crawler operators publish, about once a day; off for networks without Internet access",
    parseSwitch,
  ),
  networks: setting(
    "networks SWITCH on",
    "reports the network of clients' addresses: hosting, cdn, relay, vpn, tor",
    parseSwitch,
  ),
  trustProxy: setting(
    "trust-proxy HOPS 0",
    "number of trusted proxies in front, counted from the right of X-Forwarded-For",
    wholeNumber(0, 32),
  ),
  authority: setting(
    "authority HOST",
    "host names of the site, with a port unless it is 80 or 443, such as www.example.com; crawlers' signatures are verified for these only",
    parseList(parseAuthority),
    { list: true },
  ),
  verifySigners: setting(
    "verify-signers URL",
    "signature agents to verify in addition to the catalogue's: URLs of hosts with a key directory, or of key sets",
    parseList(parseSigner),
    { list: true },
  ),
  corsOrigins: setting(
    "cors-origin ORIGIN",
    "origins whose pages can read responses, such as https://example.com; * allows all",
    parseList(parseOrigin),
    { list: true },
  ),
  hstsMs: setting(
    "hsts TIME off",
    "sends Strict-Transport-Security with this duration, such as 365d; for services behind a proxy with TLS",
    parseDurationOrOff,
  ),
  robotsFile: setting(
    "robots-file FILE",
    "the site's own robots.txt, which /RobotsTxt returns; reloaded when it changes",
    unlessEmpty(parseText),
  ),
  robotsDisallow: setting(
    "robots-disallow WORDS",
    "crawlers that /RobotsTxt asks to stay away, as policy words such as ai:training; crawlers with their own group in robots-file keep it",
    unlessEmpty(parseText),
    { list: true },
  ),
  robotsAllow: setting("robots-allow WORDS", "exceptions to robots-disallow", unlessEmpty(parseText), { list: true }),
  basePath: setting(
    "base-path PATH",
    "path prefix under which a proxy publishes this service, such as /bots",
    parseBasePath,
  ),
  maxBodyBytes: setting(
    `max-body SIZE ${defaultLimits.maxBodyBytes / 1024}KiB`,
    "maximum size of a request body",
    parseSize(1, 16 * 1024 * 1024),
  ),
  maxLists: setting(
    `max-lists NUMBER ${defaultLimits.maxLists}`,
    "maximum number of lists that are sent at once, half of them to one client; further requests get 503",
    wholeNumber(1, 10_000),
  ),
  listTimeoutMs: setting(
    `list-timeout TIME ${defaultLimits.listTimeoutMs / 1000}s`,
    "maximum total time that one list waits for the record",
    (text) => parseDuration(text, 1000, maxTimeoutMs),
  ),
  maxHeadBytes: setting(
    "max-head SIZE 16KiB",
    "maximum size of a request's first line and headers",
    parseSize(1024, 1024 * 1024),
  ),
  requestTimeoutMs: setting("request-timeout TIME 30s", "maximum time for a client to send its whole request", (text) =>
    parseDuration(text, 1000, maxTimeoutMs),
  ),
  keepAliveMs: setting(
    "keep-alive TIME 75s",
    "how long an idle connection stays open; set it longer than the proxy's timeout",
    (text) => parseDuration(text, 1000, 255_000),
  ),
  logLevel: setting(
    "log LEVEL info",
    `log level on standard error: ${logLevels.join(", ")} (one line per request)`,
    oneOf(logLevels),
  ),
  logFormat: setting(
    "log-format FORMAT auto",
    "json (one object per line), pretty, or auto (pretty on a terminal, otherwise json)",
    oneOf(logFormats),
  ),
  logUserAgents: setting("log-user-agents", "writes the evaluated user agents to the log", parseSwitch),
} as const;

export type SettingKey = keyof typeof settings;
/** How a service is run: every setting, read. */
export type Configuration = { readonly [Key in SettingKey]: ReturnType<(typeof settings)[Key]["parse"]> };

/** The settings as pairs, in the order of the table. */
export const settingEntries = Object.entries(settings) as readonly [SettingKey, Setting<unknown>][];

/** The flags and their meaning, as `--help` shows them. */
export function toHelp(): string {
  return toHelpLines(
    settingEntries.map(([, setting]) => [
      `--${setting.name}${setting.takes === undefined ? "" : ` ${setting.takes}`}`,
      `${setting.help} [${setting.env}${standard(setting)}]`,
    ]),
    28,
  );
}

/** The same as a table for documents in Markdown. */
export function toTable(): string {
  const rows = settingEntries.map(([, setting]) => {
    const unset = setting.default === "" ? "" : `\`${setting.default}\``;
    return `| \`${setting.name}\` | \`${setting.env}\` | ${unset} | ${setting.help.replaceAll("|", "\\|")} |`;
  });
  return ["| setting | variable | default | |", "|---|---|---|---|", ...rows].join("\n");
}

function standard(setting: Setting<unknown>): string {
  return setting.default === "" ? "" : `, ${setting.default}`;
}
