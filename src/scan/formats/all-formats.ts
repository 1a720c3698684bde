/** All formats of logs, in the order in which they are tried: a format comes before others that could also read its lines. */

import { combinedKinds } from "./combined.ts";
import { csv, tsv } from "./csv.ts";
import type { FormatKind } from "./format-kind.ts";
import { haproxy } from "./haproxy.ts";
import { json } from "./json.ts";
import { ltsv } from "./ltsv.ts";
import { plain, templateKinds, traefik } from "./templates.ts";
import { w3c } from "./w3c.ts";

export const formatKinds: readonly FormatKind[] = [
  traefik,
  ...combinedKinds,
  ...templateKinds,
  haproxy,
  w3c,
  json,
  ltsv,
  csv,
  tsv,
  plain,
];

/** The names that `--log-format` takes. */
export const formatNames: readonly string[] = formatKinds.flatMap(({ names }) => names);

/** The format that has a name; undefined if none has. */
export function findFormatKind(name: string): FormatKind | undefined {
  return formatKinds.find(({ names }) => names.includes(name));
}
