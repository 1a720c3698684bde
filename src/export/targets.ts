/** The programs that the catalogue can be written for, by the names that `whocrawls export` knows them by. */
import { apache } from "./apache.ts";
import { awsWaf } from "./aws-waf.ts";
import { caddy } from "./caddy.ts";
import { catalogue } from "./catalogue.ts";
import { cloudflare } from "./cloudflare.ts";
import { envoy } from "./envoy.ts";
import { haproxy } from "./haproxy.ts";
import { lighttpd } from "./lighttpd.ts";
import { nginx } from "./nginx.ts";
import { robotsTxt } from "./robots-txt.ts";
import { sql } from "./sql.ts";
import type { Target } from "./target.ts";
import { traefik } from "./traefik.ts";
import { varnish } from "./varnish.ts";

export const targets: Readonly<Record<string, Target>> = {
  nginx,
  apache,
  haproxy,
  caddy,
  varnish,
  lighttpd,
  traefik,
  envoy,
  cloudflare,
  "aws-waf": awsWaf,
  "robots.txt": robotsTxt,
  sql,
  catalogue,
};
