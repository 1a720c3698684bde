/** The servers that Debian has, each with the exported configuration where its comments say that it goes. */
import type { Setup } from "./server.ts";

/** The exports under test: of all crawlers, of some, called `is_chosen`, and of others in the short form, called `is_short`. */
export interface Exports {
  readonly all: string;
  readonly chosen: string;
  readonly short: string;
}

/** A setup whose answers have the header `X-Verdict`: 0 or 1 for each export, and what nginx knows more. */
export type ToSetup = (port: number, exports: Exports, echoPort: number) => Setup;

/** The ACLs that the comment of an export for HAProxy shows. */
function aclsOf(text: string): string {
  const lines = [...text.matchAll(/^# +(acl .*)$/gm)].map(([, acl]) => acl);
  return lines.join("\n").replaceAll("/etc/haproxy/", "@folder@/");
}

const user = process.getuid?.() === 0 ? "user root;" : "";

/** nginx with this in its http block, and around it what Debian has, without what only root may. */
export function nginxAround(http: string): Setup {
  return {
    program: "nginx",
    version: ["-v"],
    run: ["-p", ".", "-c", "nginx.conf", "-e", "stderr"],
    files: {
      "http.conf": http,
      "nginx.conf": `${user}
        daemon off;
        pcre_jit on;
        pid nginx.pid;
        events {}
        http {
          access_log off;
          ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`).join(" ")}
          include http.conf;
        }`,
    },
  };
}

/** Apache with these directives and the files that they include; answers 204 where they do not refuse. */
export function apacheAround(port: number, directives: string, included: Files): Setup {
  const modules = ["mpm_event", "setenvif", "headers", "authz_core", "rewrite", "proxy", "proxy_http"].map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  return {
    program: "apache2",
    version: ["-v"],
    run: ["-D", "FOREGROUND", "-d", "@folder@", "-f", "@folder@/apache.conf"],
    files: {
      ...included,
      "apache.conf": `${modules.join("\n")}
        ServerName localhost
        Listen 127.0.0.1:${port}
        PidFile @folder@/pid
        Mutex posixsem
        DefaultRuntimeDir @folder@
        ErrorLog @folder@/error.log
        DocumentRoot @folder@
        StartServers 1
        ServerLimit 1
        ThreadsPerChild 8
        MaxRequestWorkers 8
        <Location "/">
          Require all granted
          RewriteEngine on
          RewriteRule .* - [R=204,L]
        </Location>
        ${directives}`,
    },
  };
}

type Files = Readonly<Record<string, string>>;

/** HAProxy with these lines in its frontend, and the files that they name. */
export function haproxyAround(port: number, lines: string, files: Files): Setup {
  return haproxy({
    ...files,
    "haproxy.cfg": `
        defaults
          mode http
          timeout client 900s
          timeout connect 900s
          timeout server 900s
        frontend main
          bind 127.0.0.1:${port}
          ${lines}\n`,
  });
}

/** HAProxy with these files, of which haproxy.cfg is read. */
export function haproxy(files: Files): Setup {
  return { program: "haproxy", version: ["-v"], run: ["-db", "-f", "haproxy.cfg"], files };
}

/** Caddy with these directives in a site of whatever host, and the files that they name. */
export function caddyAround(port: number, directives: string, files: Files): Setup {
  return caddy(`http://:${port} {\nbind 127.0.0.1\n${directives}\n}\n`, files);
}

/** Caddy with this configuration, without what it does for sites in the Internet. */
export function caddy(configuration: string, files: Files = {}): Setup {
  const options = "{\n\tadmin off\n\tauto_https off\n\tstorage file_system @folder@\n}\n";
  return {
    program: "caddy",
    version: ["version"],
    run: ["run", "--config", "Caddyfile", "--adapter", "caddyfile"],
    files: { ...files, Caddyfile: options + configuration },
  };
}

/** Varnish with these routines and this backend, before which it includes the files. */
export function varnishAround(port: number, routines: string, files: Files, backend = "none;"): Setup {
  const includes = Object.keys(files).map((name) => `include "@folder@/${name}";\n`);
  return {
    program: "varnishd",
    version: ["-V"],
    run: [
      ...["-F", "-a", `127.0.0.1:${port}`, "-n", "@folder@/work", "-f", "@folder@/main.vcl", "-s", "malloc,10m"],
      // Optimizing what is run a thousand times takes longer than running it.
      ...["-p", "cc_command=exec gcc -O0 -fpic -shared -Wl,-x -o %o %s", "-T", "none"],
      // Its parent ends a child that compiles for longer than this, 60 s by default.
      ...["-p", "cli_timeout=900"],
    ],
    files: { ...files, "main.vcl": `vcl 4.1;\nbackend default ${backend}\n${includes.join("")}${routines}` },
  };
}

/** lighttpd with this configuration, and the files that it includes. */
export function lighttpdAround(port: number, configuration: string, files: Files): Setup {
  const main = `
    server.document-root = "@folder@"
    server.bind = "127.0.0.1"
    server.port = ${port}
    ${configuration}\n`;
  return {
    program: "lighttpd",
    version: ["-v"],
    run: ["-D", "-f", "lighttpd.conf"],
    files: { ...files, "lighttpd.conf": main },
  };
}

export const setups: Readonly<Record<string, ToSetup>> = {
  nginx: (port, { all, chosen, short }) =>
    nginxAround(`
      ${all}
      ${chosen}
      ${short}
      keepalive_requests 1000000;
      server {
        listen 127.0.0.1:${port};
        add_header X-Verdict "$is_crawler $is_chosen $is_short $crawler_category";
        return 204;
      }`),
  apache: (port, { all, chosen, short }) =>
    apacheAround(
      port,
      `
        MaxKeepAliveRequests 0
        Include all.conf
        Include chosen.conf
        Include short.conf
        Header always set X-Verdict "%{is_crawler}e %{is_chosen}e %{is_short}e"
        Header always edit* X-Verdict "\\(null\\)" 0`,
      { "all.conf": all, "chosen.conf": chosen, "short.conf": short },
    ),
  haproxy: (port, { all, chosen, short }) =>
    haproxyAround(
      port,
      `${aclsOf(all)}
          ${aclsOf(chosen)}
          ${aclsOf(short)}
          ${["all", "chosen", "short"].map((name) => `http-request set-var(txn.${name}) int(0)`).join("\n")}
          http-request set-var(txn.all) int(1) if is_crawler
          http-request set-var(txn.chosen) int(1) if crawler_at_all is_chosen
          http-request set-var(txn.short) int(1) if is_short
          http-request return status 200 hdr X-Verdict "%[var(txn.all)] %[var(txn.chosen)] %[var(txn.short)]"`,
      { "crawlers.lst": all, "is_chosen.map": chosen, "is_short.map": short },
    ),
  caddy: (port, { all, chosen, short }) =>
    caddyAround(
      port,
      `import all.caddy\nimport chosen.caddy\nimport short.caddy
        header X-Verdict "{is_crawler} {is_chosen} {is_short}"\nrespond 204`,
      { "all.caddy": all, "chosen.caddy": chosen, "short.caddy": short },
    ),
  varnish: (port, { all, chosen, short }) =>
    varnishAround(
      port,
      `sub vcl_recv {
          call is_crawler;
          call is_chosen;
          call is_short;
          return (synth(200));
        }
        sub vcl_synth {
          set resp.http.X-Verdict = req.http.X-Is-Crawler + " " + req.http.X-Is-Chosen + " " + req.http.X-Is-Short;
          set resp.body = "";
          return (deliver);
        }`,
      { "all.vcl": all, "chosen.vcl": chosen, "short.vcl": short },
    ),
  lighttpd: (port, { all, chosen, short }, echoPort) =>
    lighttpdAround(
      port,
      `server.max-keep-alive-requests = 60000
        server.modules = ( "mod_proxy" )
        server.modules += ( "mod_setenv" )
        $HTTP["host"] == "all" { include "@folder@/all.conf" }
        $HTTP["host"] == "chosen" { include "@folder@/chosen.conf" }
        $HTTP["host"] == "short" { include "@folder@/short.conf" }
        proxy.server = ( "" => (( "host" => "127.0.0.1", "port" => ${echoPort} )) )`,
      { "all.conf": all, "chosen.conf": chosen, "short.conf": short },
    ),
};
