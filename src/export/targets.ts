/** The programs that the catalogue can be exported for, by their names in `whocrawls export`. */

import { sql } from "./sql/sql.ts";
import type { Target } from "./target.ts";
import { apache } from "./targets/apache.ts";
import { awsWaf } from "./targets/aws-waf.ts";
import { caddy } from "./targets/caddy.ts";
import { catalogue } from "./targets/catalogue.ts";
import { cloudflare } from "./targets/cloudflare.ts";
import { envoy } from "./targets/envoy.ts";
import { haproxy } from "./targets/haproxy.ts";
import { lighttpd } from "./targets/lighttpd.ts";
import { nginx } from "./targets/nginx.ts";
import { robotsTxt } from "./targets/robots-txt.ts";
import { traefik } from "./targets/traefik.ts";
import { varnish } from "./targets/varnish.ts";

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
