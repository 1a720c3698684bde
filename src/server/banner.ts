/** The first line that the service prints. */
import type { Detector } from "../detect/verdict.ts";
import type { Listener } from "./listen/listen.ts";
import { recordTarget, withoutPassword } from "./settings/configuration.ts";
import type { Configuration } from "./settings/settings.ts";

/** The first line on standard output: the address, the size of the catalogue, the contents of the record and who can read it. */
export function toBanner(
  detector: Pick<Detector, "version" | "entries" | "strings">,
  listener: Pick<Listener, "url">,
  configuration: Pick<Configuration, "record" | "recordPeople" | "dataFolder" | "listEvaluated" | "tokens">,
): string {
  const count = (number: number) => number.toLocaleString("en-US");
  return (
    `whocrawls listens on ${listener.url}; catalogue ${detector.version}: ` +
    `${count(detector.entries)} entries, ${count(detector.strings().length)} strings; ${toRecording(configuration)}`
  );
}

const kept = {
  full: "evaluated strings, including those of people, are recorded",
  off: "strings of crawlers, but not of people, are recorded",
};

const visibility = {
  all: "List shows them to everyone",
  token: "List shows them to callers with a token",
  none: "List hides them",
};

function toRecording(configuration: Parameters<typeof toBanner>[2]): string {
  const target = recordTarget(configuration);
  if (target.kind === "off") return "evaluated strings are not recorded";
  // A service with tokens answers List only to their holders.
  const isClosed = configuration.listEvaluated === "all" && configuration.tokens.length > 0;
  return `${kept[configuration.recordPeople]} in ${withoutPassword(target.place)}, and ${visibility[isClosed ? "token" : configuration.listEvaluated]}`;
}
