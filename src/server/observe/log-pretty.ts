// A line of the log for a person on a terminal: the same facts as in JSON, in one glance.
import { toPlain } from "../../markup/plain-text.ts";

/** Turns one JSON line of the log into a line to read. */
export function toPrettyLine(line: string): string {
  const { time, level, message, method, route, status, durationMs, requestId, useragent, error } = JSON.parse(
    line,
  ) as Readonly<Record<string, string | number | undefined>>;
  const clock = String(time).slice(11, 23);
  const said =
    message === undefined
      ? `${visible(method)} ${visible(route)} ${status} ${Number(durationMs).toFixed(1)} ms ${visible(requestId)}`
      : visible(message);
  const asked = useragent === undefined ? "" : ` "${visible(useragent)}"`;
  const failed =
    error === undefined
      ? ""
      : String(error)
          .split("\n")
          .map((line) => `\n    ${visible(line)}`)
          .join("");
  return `${clock} ${paint(String(level), String(level).padEnd(5))} ${said}${asked}${failed}\n`;
}

const colours: Readonly<Record<string, number>> = { error: 31, warn: 33, info: 32 };

function paint(level: string, text: string): string {
  return `\u001b[${colours[level] ?? 0}m${text}\u001b[0m`;
}

function visible(text: string | number | undefined): string {
  return toPlain(String(text));
}
