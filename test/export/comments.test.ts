/** The lines that an export's comment says to add, in the server itself: they refuse the chosen crawlers, and only those. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { shorten } from "../../src/export/short-form.ts";
import { targets } from "../../src/export/targets.ts";
import { exchangeBytes } from "../contract/socket-client.ts";
import { type AnySite, pageMark, startAnySite } from "../deploy/any-site.ts";
import { needs } from "../support/needs.ts";
import { ahrefs, firefox, gptbot, semrush } from "../support/user-agents.ts";
import { disputedRequests } from "./hostile-requests.ts";
import { type Server, type Setup, startServer } from "./server.ts";
import { apacheAround, caddyAround, haproxyAround, lighttpdAround, nginxAround, varnishAround } from "./setups.ts";

/** AhrefsBot is excepted from the chosen ones, so that what is written only for choices is tried, too. */
const full = createExportRequest(
  detector,
  { category: ["ai,seo"], except: ["AhrefsBot"] },
  { variable: "is_unwanted", command: "whocrawls export" },
);

/** The lines to copy, which are indented; those of the files that they name. */
const exampleOf = (text: string): string =>
  [...text.matchAll(/^# {3}(.*)$/gm)].map((match) => match[1]!.replaceAll("/etc/haproxy/", "@folder@/")).join("\n");

type ToSetup = (port: number, crawlers: string, example: string, site: number) => Setup;

/** In front of a site, a setup with the export in `crawlers` and its example where the comment says. */
const setups: Readonly<Record<string, ToSetup>> = {
  nginx: (port, crawlers, example, site) =>
    nginxAround(`
      ${crawlers}
      server {
        listen 127.0.0.1:${port};
        add_header X-Category "$unwanted_category" always;
        ${example}
        location / { proxy_pass http://127.0.0.1:${site}; }
        location /img/ { proxy_pass http://127.0.0.1:${site}; }
        location ~ \\.php$ { proxy_pass http://127.0.0.1:${site}; }
      }`),
  apache: (port, crawlers, example, site) =>
    apacheAround(
      port,
      `Include crawlers.conf
        ${example}
        <Location "/">
          RewriteEngine on
          RewriteRule .* http://127.0.0.1:${site}%{REQUEST_URI} [P,L]
        </Location>
        <Location "/img/">
          Require all granted
        </Location>
        <FilesMatch "\\.php$">
          Require all granted
        </FilesMatch>`,
      { "crawlers.conf": crawlers },
    ),
  haproxy: (port, crawlers, example, site) =>
    haproxyAround(port, `${example}\ndefault_backend site\nbackend site\nserver site 127.0.0.1:${site}`, {
      "crawlers.lst": targets.haproxy!.write(all),
      "is_unwanted.map": crawlers,
    }),
  caddy: (port, crawlers, example, site) =>
    caddyAround(
      port,
      `import crawlers.caddy\n${example}
        handle /img/* {\nreverse_proxy 127.0.0.1:${site}\n}
        handle_path /app/* {\nreverse_proxy 127.0.0.1:${site}\n}
        route /*.php {\nreverse_proxy 127.0.0.1:${site}\n}
        reverse_proxy 127.0.0.1:${site}`,
      { "crawlers.caddy": crawlers },
    ),
  varnish: (port, crawlers, example, site) =>
    varnishAround(
      port,
      `sub vcl_recv {\ncall is_unwanted;\n${example}\nreturn (pass);\n}`,
      { "crawlers.vcl": crawlers },
      `{ .host = "127.0.0.1"; .port = "${site}"; }`,
    ),
  lighttpd: (port, crawlers, example, site) =>
    lighttpdAround(
      port,
      `server.modules = ( "mod_access" )
        server.modules += ( "mod_setenv", "mod_proxy" )
        include "@folder@/crawlers.conf"
        $HTTP["url"] =~ "^/img/" { setenv.add-response-header = ( "X-Image" => "1" ) }
        proxy.server = ( "" => (( "host" => "127.0.0.1", "port" => ${site} )) )`,
      { "crawlers.conf": crawlers.replaceAll(/^ *setenv\.set-request-header = .*"1" \)$/gm, example) },
    ),
};

/** Each server with the short form; HAProxy's comment differs in the full one. */
const cases = [
  ...Object.keys(setups).map((name) => ({ name, request: shorten(full) })),
  { name: "haproxy", request: full },
];

const all = createExportRequest(detector, {}, { variable: "is_crawler", command: "whocrawls export" });
const unwanted = [gptbot, semrush];
const wanted = [ahrefs, "curl/8.5.0", firefox];

describe("the comment of an export tells how to refuse crawlers, except for robots.txt", () => {
  const running: Server[] = [];
  let site: AnySite;
  before(async () => {
    site = await startAnySite();
  });
  after(async () => {
    await Promise.all(running.map((server) => server.stop()));
    site.close();
  });

  for (const { name, request } of cases)
    it(`in ${name}, ${request.isShort ? "short" : "full"}`, {
      skip: needs(setups[name]!(0, "", "", 0).program),
    }, async () => {
      const toSetup = setups[name]!;
      const text = targets[name]!.write(request);
      const server = await startServer((port) => toSetup(port, text, exampleOf(text), site.port));
      running.push(server);
      const ask = (userAgent: string, path = "/"): Promise<Response> =>
        fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { "user-agent": userAgent } });
      // Places of their own in the configuration stay closed, too.
      for (const useragent of unwanted) {
        for (const path of ["/", "/img/a.png", "/app/a", "/a.php"])
          assert.equal((await ask(useragent, path)).status, 403, `${useragent} ${path}`);
        for (const path of ["/robots.txt", "/robots.txt?x"]) assert.ok((await ask(useragent, path)).ok, useragent);
      }
      for (const useragent of wanted)
        for (const path of ["/", "/img/a.png", "/a.php"]) assert.ok((await ask(useragent, path)).ok, useragent);
      // The site finds its own path in what the server sends; so the server may only send the path by which it has decided.
      for (const { name, bytes } of disputedRequests) {
        const answer = String(await exchangeBytes(server.port, [bytes]).catch(() => ""));
        const [, target = "/robots.txt"] = answer.split(pageMark)[1]?.split(" ") ?? [];
        assert.equal(target, "/robots.txt", name);
      }
      const whole = `GET http://localhost/robots.txt HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${gptbot}\r\nConnection: close\r\n\r\n`;
      assert.ok(String(await exchangeBytes(server.port, [whole])).includes(pageMark));
      if (name !== "nginx") return;
      assert.match(text, /\$unwanted_category such as "ai" or empty/);
      for (const [useragent, category] of [
        [gptbot, "ai"],
        [semrush, "seo"],
        [firefox, null],
      ] as const)
        assert.equal((await ask(useragent)).headers.get("x-category"), category);
    });
});
