// Reads the configuration of a running service from environment variables.
// The only place that knows their names, defaults and limits.

/** How a service is run. */
export interface Configuration {
  /** Address to listen on; `localhost` means both loopback addresses. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Folder for whatever the service writes; made when something is written. */
  readonly dataFolder: string;
  readonly logLevel: LogLevel;
}

export const logLevels = ["off", "error", "info"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The environment variables as `--help` shows them; a test compares them with the README. */
export const variables = {
  PORT: "port to listen on, 8080 by default; 0 takes any free one",
  HOST: "address to listen on, localhost by default; 0.0.0.0 for every IPv4 interface, :: for every interface",
  WHOCRAWLS_DATA: "folder for whatever the service writes, .whocrawls by default",
  WHOCRAWLS_LOG: `what goes to standard error: ${logLevels.join(", ")}; info by default, one JSON object a request`,
} as const;

/** A configuration that cannot be used; the message says which variable and what it may be. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** Reads the variables; an empty one counts as absent. Throws a ConfigurationError for a value that makes no sense. */
export function parseConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  return {
    host: parseHost(environment.HOST || "localhost"),
    port: parsePort(environment.PORT || "8080"),
    dataFolder: environment.WHOCRAWLS_DATA || ".whocrawls",
    logLevel: parseLogLevel(environment.WHOCRAWLS_LOG || "info"),
  };
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) {
    throw new ConfigurationError(`PORT is ${JSON.stringify(text)}; it must be a number from 0 to 65535.`);
  }
  return port;
}

function parseHost(text: string): string {
  const host = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  // A URL or host:port here is the usual mistake, and a resolver's error about it is hard to read.
  if (/[\s/]/.test(host) || /^[^:]*:\d*$/.test(host)) {
    throw new ConfigurationError(
      `HOST is ${JSON.stringify(text)}; it must be a host name or an address, without port.`,
    );
  }
  return host;
}

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((level) => level === text);
  if (level === undefined) {
    throw new ConfigurationError(`WHOCRAWLS_LOG is ${JSON.stringify(text)}; it must be ${logLevels.join(" or ")}.`);
  }
  return level;
}
