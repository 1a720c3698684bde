/**
 * Reads the configuration of a running service: flags take precedence over the environment, which takes precedence over the file.
 * settings.ts has the table of settings; this file finds and validates values, and reports the source of an invalid one.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordTarget } from "../../record/open-store.ts";
import { toReadProblem, UserError } from "../../text/errors.ts";
import { didYouMean, nearestWord } from "../../text/nearest-word.ts";
import { ListItemError } from "./parse-values.ts";
import { type Configuration, type Setting, settingEntries } from "./settings.ts";

export type { Configuration } from "./settings.ts";

/** The variable that names the configuration file. */
export const fileVariable = "WHOCRAWLS_CONFIG";

const prefix = "WHOCRAWLS_";
/** The variables that people set, by their names without the prefix. */
const byName = new Map(
  [...settingEntries.map(([, { env }]) => env), fileVariable].map((variable) => [withoutPrefix(variable), variable]),
);
const known = new Set(byName.values());

/** The sources of values; absent and empty values are ignored. */
export interface Sources {
  /** By name, without dashes. */
  readonly flags?: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The keys and values of the file. */
  readonly file?: { readonly path: string; readonly values: Readonly<Record<string, unknown>> };
}

/** The text of a setting and its source. */
export interface Found {
  readonly text: string;
  readonly from: string;
}

/** Finds what each setting is set to. Throws a UserError for a variable, or a key of the file, that does not exist. */
function findValues(sources: Sources): ReadonlyMap<string, Found> {
  const unknown = describeUnknownVariable(sources.environment ?? {});
  if (unknown !== undefined) throw new UserError(unknown);
  const found = new Map<string, Found>();
  for (const [, setting] of settingEntries) found.set(setting.name, findValue(setting, sources));
  for (const key of Object.keys(sources.file?.values ?? {})) {
    if (!found.has(key)) {
      const nearest = nearestWord(key, names());
      throw new UserError(
        `${key} in ${sources.file?.path} is not a setting${nearest === undefined ? `; settings are ${names().join(", ")}.` : `.${didYouMean(nearest)}`}`,
      );
    }
  }
  return found;
}

/** Reads and checks all settings. Throws a UserError for a value that makes no sense. */
export function parseConfiguration(sources: Sources): Configuration {
  const found = findValues(sources);
  const configuration: Record<string, unknown> = {};
  for (const [key, setting] of settingEntries) {
    const { text, from } = found.get(setting.name) as Found;
    try {
      configuration[key] = setting.parse(text);
    } catch (error) {
      const [wrong, it] = error instanceof ListItemError ? [error.item, "each"] : [text, "it"];
      const shown = JSON.stringify(withoutPassword(wrong));
      const problem = setting.secret ? "is not valid" : `${wrong === text ? "is" : "contains"} ${shown}`;
      throw new UserError(`${from} ${problem}; ${it} ${(error as Error).message}.`);
    }
  }
  const read = configuration as Configuration;
  if (read.listEvaluated === "token" && read.tokens.length + read.listTokens.length === 0) {
    const from = found.get("list-evaluated")?.from;
    throw new UserError(`${from} is "token", but no token is set; set list-token or token.`);
  }
  return read;
}

/** The record's place, once the data folder is known. */
export function recordTarget({ record, dataFolder }: Pick<Configuration, "record" | "dataFolder">): RecordTarget {
  return record ?? { kind: "sqlite", place: join(dataFolder, "record.sqlite") };
}

/** Reads the given file, or `whocrawls.yaml` if it exists. Throws a UserError. */
export async function readConfigurationFile(path: string | undefined): Promise<Sources["file"]> {
  const name = path ?? "whocrawls.yaml";
  let text: string;
  try {
    text = readFileSync(name, "utf8");
  } catch (error) {
    if (path === undefined && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new UserError(`The configuration file cannot be read: ${toReadProblem(error)}.`);
  }
  const { parse } = await import("yaml");
  let values: unknown;
  try {
    values = parse(text) ?? {};
  } catch (error) {
    throw new UserError(`${name} is not YAML: ${(error as Error).message.split("\n")[0]}`);
  }
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    throw new UserError(`${name} must have one setting per line, such as port: 8080.`);
  }
  return { path: name, values: values as Record<string, unknown> };
}

/** The current values as a configuration file, with their sources; secrets are masked. */
export function toFile(sources: Sources): string {
  const found = findValues(sources);
  const lines = settingEntries.map(([, setting]) => {
    const { text, from } = found.get(setting.name) ?? { text: "", from: "" };
    const value = text === "" ? "" : JSON.stringify(setting.secret ? "***" : withoutPassword(text));
    return `${`${setting.name}: ${value}`.trimEnd().padEnd(36)} # ${from}`;
  });
  return `${lines.join("\n")}\n`;
}

function findValue(setting: Setting<unknown>, { flags = {}, environment = {}, file }: Sources): Found {
  // A token is compared as it is written.
  const trim = (text: string): string => (setting.secret ? text : text.trim());
  const flag = flags[setting.name];
  const flagText = trim(Array.isArray(flag) ? flag.join(",") : String(flag ?? ""));
  if (flagText !== "") return { text: flagText, from: `--${setting.name}` };
  const variable = trim(environment[setting.env] ?? "");
  if (variable !== "") return { text: variable, from: setting.env };
  const value = file?.values[setting.name];
  if (file !== undefined && value !== undefined && value !== null && value !== "") {
    const from = `${setting.name} in ${file.path}`;
    const items: readonly unknown[] = setting.list && Array.isArray(value) ? value : [value];
    if (items.some((item) => !["string", "number", "boolean"].includes(typeof item))) {
      throw new UserError(`${from} must be one ${setting.list ? "or more values" : "value"}.`);
    }
    // What YAML reads as a number loses leading zeros or trailing digits.
    if (items.some((item) => typeof item === "number" && (setting.secret || !Number.isSafeInteger(item)))) {
      throw new UserError(`YAML reads ${from} as a number; put it in quotes.`);
    }
    return { text: trim(items.join(",")), from };
  }
  return { text: setting.default, from: "default" };
}

/** `text` as it may be shown: passwords in addresses and parameters are hidden. */
export function withoutPassword(text: string): string {
  // Up to the last @, because an address with an invalid character in its password is exactly the kind that gets shown.
  const end = text.lastIndexOf("@");
  // A Windows drive is the beginning of a path.
  const start = text.indexOf(":", /^[a-z]:/i.test(text) ? 2 : 0) + 1;
  const hidden =
    start === 0 || start > end
      ? text
      : `${text.slice(0, start)}${/^\/*/.exec(text.slice(start, end))}***${text.slice(end)}`;
  return hidden.replace(/(password\s*=\s*)[^&\s]*/gi, "$1***");
}

function names(): string[] {
  return settingEntries.map(([, { name }]) => name);
}

/**
 * Describes the first variable that looks like a setting and is not one; undefined if there is none. Other letter case counts:
 * `whocrawls_token` sets nothing where case matters.
 */
function describeUnknownVariable(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const unknown = Object.keys(environment).find((name) => {
    const upper = name.toUpperCase();
    if (!upper.startsWith(prefix) || known.has(name) || isKubernetes(name, environment[name])) return false;
    // Windows ignores case: there it is the setting.
    return !(known.has(upper) && environment[upper] === environment[name]);
  });
  if (unknown === undefined) return undefined;
  const nearest = nearestWord(withoutPrefix(unknown.toUpperCase()), byName.keys());
  return `The variable ${JSON.stringify(unknown)} is not a setting.${didYouMean(byName.get(nearest ?? ""))}`;
}

/** Kubernetes describes a Service named whocrawls, or whocrawls-…, to pods of its namespace; WHOCRAWLS_PORT is then an address. */
function isKubernetes(name: string, value = ""): boolean {
  if (/^WHOCRAWLS_(?:\w+_)?(?:SERVICE_(?:HOST|PORT)|PORT_\d+_(?:TCP|UDP|SCTP))(?:_|$)/.test(name)) return true;
  return /^WHOCRAWLS_(?:\w+_)?PORT$/.test(name) && /^(?:tcp|udp|sctp):\/\//.test(value);
}

function withoutPrefix(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
