/** The configurations of docs/proxies.md, as they stand there but for addresses: in front of a site, with the service beside them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { targets } from "../../src/export/targets.ts";
import { substitute } from "../deploy/shipped.ts";
import { changed, type Setup } from "./server.ts";
import { caddy, haproxy, nginxAround } from "./setups.ts";

export const page = readFileSync(new URL("../../docs/proxies.md", import.meta.url), "utf8");

/** The policy of all configurations for /auth. */
export const pagePolicy = "block=ai,seo&allow=ai:search,ai:agent,AhrefsBot";

function block(language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1];
  assert(found, `the page has a block of ${language}`);
  return found;
}

/** The site and the service, whose addresses stand in the files in place of these. */
const addresses = (site: number, service: number): Readonly<Record<string, string>> => ({
  "127.0.0.1:3000": `127.0.0.1:${site}`,
  "127.0.0.1:8080": `127.0.0.1:${service}`,
});

export type ToProxy = (port: number, site: number, service: number) => Setup;

export const proxies: Readonly<Record<string, ToProxy>> = {
  nginx: (port, site, service) =>
    nginxAround(substitute(block("nginx"), { ...addresses(site, service), "listen 80;": `listen 127.0.0.1:${port};` })),
  caddy: (port, site, service) =>
    caddy(
      substitute(block("caddy"), {
        ...addresses(site, service),
        ":80 {": `http://:${port} {\n\tbind 127.0.0.1`,
      }),
    ),
  haproxy: (port, site) =>
    haproxy({
      "crawlers.lst": exported({}, "is_crawler"),
      "is_unwanted.map": exported({ category: ["ai,seo"], except: ["ai:search", "AhrefsBot"] }, "is_unwanted"),
      "haproxy.cfg": substitute(block("haproxy"), {
        "127.0.0.1:3000": `127.0.0.1:${site}`,
        "bind :80": `bind 127.0.0.1:${port}`,
        "/etc/haproxy/": "@folder@/",
      }),
    }),
};

/** The nginx between Traefik and the service. */
export const nginxForTraefik: ToProxy = (port, _, service) =>
  nginxAround(
    substitute(/```nginx\n(server \{\n {2}listen 127[\s\S]*?)```/.exec(page)![1]!, {
      "127.0.0.1:8080": `127.0.0.1:${service}`,
      "127.0.0.1:8081": `127.0.0.1:${port}`,
    }),
  );

/** A configuration with another policy. */
export function withPolicy(setup: Setup, policy: string): Setup {
  return changed(setup, (text) => text.replace(pagePolicy, policy));
}

/** A configuration that waits for a service on a busy machine. */
export function withTime(setup: Setup): Setup {
  return changed(setup, (text) => text.replaceAll(/(?<=timeout )1s/g, "900s"));
}

function exported(choice: Parameters<typeof createExportRequest>[1], variable: string): string {
  return targets.haproxy!.write(
    createExportRequest(detector, choice, { variable, command: "whocrawls export haproxy" }),
  );
}
