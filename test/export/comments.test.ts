/** The lines that an export's comment says to add, in the server itself: they refuse the chosen crawlers, and only those. */

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { shorten } from "../../src/export/short-form.ts";
import { targets } from "../../src/export/targets.ts";
import { missing } from "../deploy/shipped.ts";
import { type Server, type Setup, startServer } from "./server.ts";
import { apacheAround, nginxAround } from "./setups.ts";

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
  haproxy: (port, crawlers, example) => ({
    program: "haproxy",
    version: ["-v"],
    run: ["-db", "-f", "haproxy.cfg"],
    files: {
      "crawlers.lst": targets.haproxy!.write(all),
      "is_unwanted.map": crawlers,
      "haproxy.cfg": `
        defaults
          mode http
          timeout client 10s
          timeout connect 10s
          timeout server 10s
        frontend main
          bind 127.0.0.1:${port}
          ${example}
          http-request return status 204\n`,
    },
  }),
  caddy: (port, crawlers, example) => ({
    program: "caddy",
    version: ["version"],
    run: ["run", "--config", "Caddyfile", "--adapter", "caddyfile"],
    files: {
      "crawlers.caddy": crawlers,
      Caddyfile: `{
        admin off
        auto_https off
        storage file_system @folder@
      }
      http://127.0.0.1:${port} {
        import crawlers.caddy
        ${example}
        respond 204
      }\n`,
    },
  }),
  varnish: (port, crawlers, example) => ({
    program: "varnishd",
    version: ["-V"],
    run: [
      ...["-F", "-a", `127.0.0.1:${port}`, "-n", "@folder@/work", "-f", "@folder@/main.vcl", "-s", "malloc,10m"],
      ...["-p", "cc_command=exec gcc -O0 -fpic -shared -Wl,-x -o %o %s", "-T", "none"],
    ],
    files: {
      "crawlers.vcl": crawlers,
      "main.vcl": `vcl 4.1;
        backend default none;
        include "@folder@/crawlers.vcl";
        sub vcl_recv {
          call is_unwanted;
          ${example}
          return (synth(204));
        }`,
    },
  }),
  lighttpd: (port, crawlers) => {
    const [, deny] = /write (url\.access-deny = \( "" \)) \(of mod_access\)/.exec(crawlers)!;
    return {
      program: "lighttpd",
      version: ["-v"],
      run: ["-D", "-f", "lighttpd.conf"],
      files: {
        "index.html": "",
        "crawlers.conf": crawlers.replaceAll(/^ *setenv\.set-request-header = .*"1" \)$/gm, deny!),
        "lighttpd.conf": `
          server.document-root = "@folder@"
          server.bind = "127.0.0.1"
          server.port = ${port}
          index-file.names = ( "index.html" )
          server.modules = ( "mod_access" )
          server.modules += ( "mod_setenv" )
          include "@folder@/crawlers.conf"\n`,
      },
    };
  },
};

const all = createExportRequest(detector, {}, { variable: "is_crawler", command: "whocrawls export" });
const person = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const unwanted = ["GPTBot/1.2", "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)"];
const wanted = ["Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)", "curl/8.5.0", person];

describe("the comment of an export tells how to refuse crawlers", () => {
  const running: Server[] = [];
  after(() => Promise.all(running.map((server) => server.stop())));

  for (const [name, toSetup] of Object.entries(setups))
    it(`in ${name}`, {
      skip: missing(toSetup(0, 'write url.access-deny = ( "" ) (of mod_access)', "").program),
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
        [unwanted[0]!, "ai"],
        [unwanted[1]!, "seo"],
        [person, ""],
      ] as const)
        assert.equal(await (await ask(useragent, "/category")).text(), category);
    });
});
