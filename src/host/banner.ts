// The line that tells whoever started the service what it does.
import { detector } from "../detect/default.ts";
import type { Listener } from "./listen.ts";

/** The first line on standard output: where the service listens and what it knows. */
export function toBanner(listener: Pick<Listener, "url">): string {
  const count = (number: number) => number.toLocaleString("en-US");
  return (
    `whocrawls listens on ${listener.url}; catalogue ${detector.version}: ` +
    `${count(detector.entries)} entries, ${count(detector.strings().length)} strings`
  );
}
