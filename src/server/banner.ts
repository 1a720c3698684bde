// The first line that the service prints.
import { detector } from "../detect/built-in/detector.ts";
import type { Listener } from "./listen/listen.ts";
import { recordTarget, withoutPassword } from "./settings/configuration.ts";
import type { Configuration } from "./settings/settings.ts";

/** The first line on standard output: where the service listens, what it knows, what it records and who sees that. */
export function toBanner(
  listener: Pick<Listener, "url">,
  configuration: Pick<Configuration, "record" | "dataFolder" | "listEvaluated">,
): string {
  const count = (number: number) => number.toLocaleString("en-US");
  return (
    `whocrawls listens on ${listener.url}; catalogue ${detector.version}: ` +
    `${count(detector.entries)} entries, ${count(detector.strings().length)} strings; ${toRecording(configuration)}`
  );
}

const viewers = { all: "everyone sees them", token: "callers with a token see them", none: "nobody sees them" };

function toRecording(configuration: Parameters<typeof toBanner>[1]): string {
  const target = recordTarget(configuration);
  if (target.kind === "off") return "evaluated strings are not recorded";
  const { url = "", path = "memory" } = target as { url?: string; path?: string };
  const place = target.kind === "postgres" ? withoutPassword(url) : path;
  return `evaluated strings are recorded in ${place}, and ${viewers[configuration.listEvaluated]} in List`;
}
