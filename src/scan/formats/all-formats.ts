/** All formats of logs, in the order in which the guess tries them: a format comes before other formats that would read its lines. */
import { alb, elb, s3 } from "./aws.ts";
import { combined, common, vhostCombined } from "./clf.ts";
import { csv, tsv } from "./csv.ts";
import type { FormatKind } from "./format-kind.ts";
import { haproxy } from "./haproxy.ts";
import { json } from "./json.ts";
import { plain } from "./plain.ts";
import { traefik } from "./traefik.ts";
import { w3c } from "./w3c.ts";

export const formatKinds: readonly FormatKind[] = [
  traefik,
  vhostCombined,
  combined,
  common,
  haproxy,
  alb,
  elb,
  s3,
  w3c,
  json,
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
