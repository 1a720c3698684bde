/** Chooses a log's format, and reports the choice on standard error. */

import { findFormatKind, formatNames } from "../../scan/formats/all-formats.ts";
import {
  findMisfit,
  findMissingFields,
  formatOfName,
  type GivenFields,
  guessFormat,
  haveUserAgents,
  sampleOf,
} from "../../scan/formats/guess-format.ts";
import { envelopeTitles } from "../../scan/lines/envelope.ts";
import { type LogFormat, saysUserAgent } from "../../scan/lines/format.ts";
import { UserError } from "../../text/errors.ts";
import { adviceOn, findUnreadable } from "./scan-advice.ts";
import type { ScanOptions } from "./scan-options.ts";

const shownLines = 3;
const shownLength = 160;

/** The format of a log; reports a detected one. Throws a UserError if the lines match none. */
export function chooseFormat(
  { logFormat, fields }: Pick<ScanOptions, "logFormat" | "fields">,
  log: string,
  lines: readonly string[],
  say: (message: string) => void,
): LogFormat {
  const damage = findUnreadable(lines);
  if (damage !== undefined) throw new UserError(damage);
  const format = detectFormat(lines, logFormat, fields);
  if (format === undefined) {
    const advice = adviceOn(sampleOf(lines), fields);
    if (advice !== undefined) throw new UserError(advice);
    throw new UserError(
      [
        "The first lines match no known log format:",
        ...sampleOf(lines)
          .slice(0, shownLines)
          .map((line) => `  ${line.slice(0, shownLength)}`),
        `Specify the format: --log-format with one of ${formatNames.join(", ")}, or the server's own format string. ` +
          "In JSON, CSV and TSV, --field NAME names the member or column with the user agent.",
      ].join("\n"),
    );
  }
  if (logFormat === undefined) {
    const around = format.envelope === undefined ? "" : ` ${envelopeTitles[format.envelope]}`;
    say(`${log}: ${format.name} format${around}, detected from the first lines`);
  }
  const misfit = logFormat === undefined ? findMisfit(format, lines) : undefined;
  if (misfit !== undefined)
    throw new UserError(
      `Most of the first lines cannot be read as ${format.name}: ${misfit}. Specify another field, or none: --field FIELD=NAME, --field FIELD=-`,
    );
  const missing = findMissingFields(format, lines);
  if (missing !== undefined) say(`${log}: ${missing}`);
  const { countName } = format;
  if (countName !== undefined && fields.count === undefined)
    say(
      `${log}: Each line counts as the number of requests in its ${countName}. To count each line once: --field count=-`,
    );
  if (!haveUserAgents(lines, format)) {
    const { toLogUserAgents: help, omitsUserAgents = false } = findFormatKind(format.name) ?? {};
    const requests = saysUserAgent(format) ? "requests without one count" : "every request counts";
    const whose = omitsUserAgents || !saysUserAgent(format) ? "a person's" : "a crawler's";
    const hint = help === undefined ? "" : ` To log them: ${help}`;
    say(`${log}: The first lines have no user agents, so ${requests} as ${whose}.${hint}`);
    if (omitsUserAgents) return { ...format, omitsUserAgents };
  }
  return format;
}

function detectFormat(
  lines: readonly string[],
  logFormat: string | undefined,
  fields: GivenFields,
): LogFormat | undefined {
  try {
    return logFormat === undefined ? guessFormat(lines, fields) : statedFormat(logFormat, lines, fields);
  } catch (error) {
    throw new UserError((error as Error).message);
  }
}

/** The format given by the user. Throws an Error if the first lines do not match it as strictly as a guessed format must. */
function statedFormat(logFormat: string, lines: readonly string[], fields: GivenFields): LogFormat {
  const format = formatOfName(logFormat, lines, fields);
  const misfit = findMisfit(format, lines);
  if (misfit === undefined) return format;
  const guessed = guessFormat(lines, fields);
  const hint =
    guessed === undefined || guessed.name === format.name ? "" : ` They match ${guessed.name}; omit --log-format.`;
  throw new Error(`The first lines do not match --log-format: ${misfit}.${hint}`);
}
