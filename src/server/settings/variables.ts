/** Which environment variables with the service's prefix are settings, and which are mistakes. */
import { didYouMean, nearestWord } from "../../text/nearest-word.ts";
import { settingEntries } from "./settings.ts";

/** The variable that names the configuration file. */
export const fileVariable = "WHOCRAWLS_CONFIG";

const prefix = "WHOCRAWLS_";
/** The variables that people set, by their names without the prefix. */
const byName = new Map(
  [...settingEntries.map(([, { env }]) => env), fileVariable].map((variable) => [withoutPrefix(variable), variable]),
);
const known = new Set(byName.values());

/**
 * Describes the first variable that looks like a setting and is not one; undefined if there is none. Other letter case counts:
 * `whocrawls_token` sets nothing where case matters.
 */
export function describeUnknownVariable(environment: Readonly<Record<string, string | undefined>>): string | undefined {
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
