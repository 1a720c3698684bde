/**
 * How each target of `whocrawls export` is compared with the library: docs/proxies.md says so, and a target without a row fails a
 * test. A target that decides runs in a server (its setup is in setups.ts), or its rules are evaluated (its reader is in
 * rules.test.ts). Lists are compared as files or in databases.
 */
export const tested: Readonly<Record<string, "server" | "rules" | "file" | "database">> = {
  nginx: "server",
  apache: "server",
  haproxy: "server",
  caddy: "server",
  varnish: "server",
  lighttpd: "server",
  traefik: "rules",
  envoy: "rules",
  cloudflare: "rules",
  "aws-waf": "rules",
  "robots.txt": "file",
  sql: "database",
  catalogue: "file",
};

/** The targets that are compared in one way. */
export function testedBy(kind: (typeof tested)[string]): readonly string[] {
  return Object.keys(tested).filter((name) => tested[name] === kind);
}
