/** The lines that an export's comment says to add, in the server itself: they refuse the chosen crawlers, and only those. */

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { shorten } from "../../src/export/short-form.ts";
import { targets } from "../../src/export/targets.ts";
import { needs } from "../support/needs.ts";
import { ahrefs, firefox, gptbot, semrush } from "../support/user-agents.ts";
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

/** A setup with the export in `crawlers` and its example where the comment says. */
const setups: Readonly<Record<string, (port: number, crawlers: string, example: string) => Setup>> = {
  nginx: (port, crawlers, example) =>
    nginxAround(`
      ${crawlers}
      server {
        listen 127.0.0.1:${port};
        add_header X-Category "$unwanted_category" always;
        ${example}
        location / { return 204; }
      }`),
  apache: (port, crawlers, example) =>
    apacheAround(port, `Include crawlers.conf\n${example}`, { "crawlers.conf": crawlers }),
  haproxy: (port, crawlers, example) =>
    haproxyAround(port, `${example}\nhttp-request return status 204`, {
      "crawlers.lst": targets.haproxy!.write(all),
      "is_unwanted.map": crawlers,
    }),
  caddy: (port, crawlers, example) =>
    caddyAround(`http://127.0.0.1:${port}`, `import crawlers.caddy\n${example}\nrespond 204`, {
      "crawlers.caddy": crawlers,
    }),
  varnish: (port, crawlers, example) =>
    varnishAround(port, `sub vcl_recv {\ncall is_unwanted;\n${example}\nreturn (synth(204));\n}`, {
      "crawlers.vcl": crawlers,
    }),
  lighttpd: (port, crawlers, example) =>
    lighttpdAround(
      port,
      `index-file.names = ( "index.html" )
        server.modules = ( "mod_access" )
        server.modules += ( "mod_setenv" )
        include "@folder@/crawlers.conf"`,
      {
        "index.html": "",
        "robots.txt": "",
        "crawlers.conf": crawlers.replaceAll(/^ *setenv\.set-request-header = .*"1" \)$/gm, example),
      },
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
  after(() => Promise.all(running.map((server) => server.stop())));

  for (const { name, request } of cases)
    it(`in ${name}, ${request.isShort ? "short" : "full"}`, {
      skip: needs(setups[name]!(0, "", "").program),
    }, async () => {
      const toSetup = setups[name]!;
      const text = targets[name]!.write(request);
      const server = await startServer((port) => toSetup(port, text, exampleOf(text)));
      running.push(server);
      const ask = (userAgent: string, path = "/"): Promise<Response> =>
        fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { "user-agent": userAgent } });
      for (const useragent of unwanted) {
        assert.equal((await ask(useragent)).status, 403, useragent);
        assert.ok((await ask(useragent, "/robots.txt")).ok, useragent);
      }
      for (const useragent of wanted) assert.ok((await ask(useragent)).ok, useragent);
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
