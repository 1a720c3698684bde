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
const request = shorten(
  createExportRequest(
    detector,
    { category: ["ai,other,seo"], except: ["AhrefsBot"] },
    { variable: "is_unwanted", command: "whocrawls export" },
  ),
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
        location / {
          ${example}
          return 204;
        }
        location = /category { return 200 "$unwanted_category"; }
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
  lighttpd: (port, crawlers) => {
    const [, deny] = /write (url\.access-deny = \( "" \)) \(of mod_access\)/.exec(crawlers)!;
    return lighttpdAround(
      port,
      `index-file.names = ( "index.html" )
        server.modules = ( "mod_access" )
        server.modules += ( "mod_setenv" )
        include "@folder@/crawlers.conf"`,
      {
        "index.html": "",
        "crawlers.conf": crawlers.replaceAll(/^ *setenv\.set-request-header = .*"1" \)$/gm, deny!),
      },
    );
  },
};

const all = createExportRequest(detector, {}, { variable: "is_crawler", command: "whocrawls export" });
const unwanted = [gptbot, semrush];
const wanted = [ahrefs, "curl/8.5.0", firefox];

describe("the comment of an export tells how to refuse crawlers", () => {
  const running: Server[] = [];
  after(() => Promise.all(running.map((server) => server.stop())));

  for (const [name, toSetup] of Object.entries(setups))
    it(`in ${name}`, {
      skip: needs(toSetup(0, 'write url.access-deny = ( "" ) (of mod_access)', "").program),
    }, async () => {
      const text = targets[name]!.write(request);
      const server = await startServer((port) => toSetup(port, text, exampleOf(text)));
      running.push(server);
      const ask = (userAgent: string, path = "/"): Promise<Response> =>
        fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { "user-agent": userAgent } });
      for (const useragent of unwanted) assert.equal((await ask(useragent)).status, 403, useragent);
      for (const useragent of wanted) assert.ok((await ask(useragent)).ok, useragent);
      if (name !== "nginx") return;
      assert.match(text, /\$unwanted_category such as "ai" or empty/);
      for (const [useragent, category] of [
        [gptbot, "ai"],
        [semrush, "seo"],
        [firefox, ""],
      ] as const)
        assert.equal(await (await ask(useragent, "/category")).text(), category);
    });
});
