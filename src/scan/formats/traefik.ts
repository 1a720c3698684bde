/** Traefik's access log, from its documentation, "Access Logs", format `common`. */
import { type FormatKind, templateKind } from "./format-kind.ts";

export const traefik: FormatKind = {
  ...templateKind(
    "traefik",
    "Traefik's access log, format `common`",
    '$remote_addr - $user [$time_local] "$request" $status $bytes_sent "$http_referer" "$http_user_agent" $count "$router" "$server" $duration',
    (line) => line.endsWith("ms"),
  ),
  toLogUserAgents: "--accesslog.fields.headers.names.User-Agent=keep",
  omitsUserAgents: true,
};
