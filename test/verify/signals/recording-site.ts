/** A site on loopback, over HTTP and HTTPS, whose pages make a browser send every kind of request, and which notes their headers. */
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";

/** A request as it arrived, with the names in small letters. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RecordingSite {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The requests over HTTPS. */
  readonly seen: readonly SeenRequest[];
  close(): void;
}

const html = (body: string) => ["text/html", `<!doctype html><title>t</title>${body}`] as const;
const script = (code: string) => ["text/javascript", code] as const;

/** Everything that a page can request; then links, forms and a download, one after the other. */
const start = `<link rel=stylesheet href=/style.css><link rel=prefetch href=/prefetched><link rel=preload as=script href=/preload.js>
<link rel=manifest href=/manifest.json><link rel=modulepreload href=/module.js>
<script type=speculationrules>{"prefetch":[{"source":"list","urls":["/speculation-prefetch"],"eagerness":"immediate"}],
"prerender":[{"source":"list","urls":["/speculation-prerender"],"eagerness":"immediate"}]}</script>
<script src=/script.js></script><script type=module src=/module.js></script><img src=/image.png><iframe src=/frame></iframe>
<embed src=/embed type=text/html><object data=/object type=text/html></object><a id=d href=/download download>d</a>
<a id=p href=/pinged ping=/ping></a>
<script>
fetch("/fetch"); fetch("/fetch-post", { method: "POST", body: "x" });
const other = location.hostname === "localhost" ? "127.0.0.1" : "localhost";
fetch("https://" + other + ":" + location.port + "/preflight", { headers: { "x-own": "1" } }).catch(() => {});
new Worker("/worker.js"); try { new SharedWorker("/shared-worker.js") } catch {}
const x = new XMLHttpRequest(); x.open("GET", "/xhr"); x.send();
navigator.serviceWorker?.register("/sw.js").catch(() => {}); navigator.sendBeacon("/beacon", "x"); new EventSource("/events");
new WebSocket("wss://" + location.host + "/socket"); new FontFace("x", "url(/font.woff2)").load().catch(() => {});
const v = document.createElement("video"); v.src = "/video.mp4"; v.load();
setTimeout(() => document.getElementById("d").click(), 1500);
setTimeout(() => { location.href = "/next" }, 3000);
</script>`;

const go = (code: string, more = "") =>
  html(`${more}<form method=post action=/posted><input name=a></form><a href=/linked>l</a>
<script>setTimeout(() => { ${code} }, 700)</script>`);

/** The second visit goes through a service worker, which fetches the request that it is given. */
const pages: Readonly<Record<string, readonly [type: string, body: string]>> = {
  "/": html(start),
  "/frame": html("frame"),
  "/embed": html("embed"),
  "/object": html("object"),
  "/next": go("document.forms[0].submit()", "<iframe src=/refused></iframe><img src=/refused.png>"),
  "/posted": go("document.querySelector('a').click()"),
  "/linked": go("location.href = '/preloaded'"),
  "/preloaded": go(
    "fetch('/passed-on-fetch'); if (sessionStorage.x) open('/opened'); else { sessionStorage.x = 1; location.reload() }",
  ),
  "/opened": html("opened"),
  "/speculation-prefetch": html("p"),
  "/speculation-prerender": html("<img src=/prerendered.png>"),
  "/prefetched": html("p"),
  "/style.css": ["text/css", "@import url(/imported.css); body { background: url(/background.png) }"],
  "/worker.js": script("fetch('/worker-fetch'); importScripts('/worker-import.js')"),
  "/shared-worker.js": script("fetch('/shared-worker-fetch')"),
  "/sw.js": script(
    "addEventListener('install', e => { skipWaiting(); e.waitUntil(fetch('/sw-fetch')) });" +
      "addEventListener('activate', e => e.waitUntil(registration.navigationPreload?.enable().then(() => clients.claim())));" +
      "addEventListener('fetch', e => e.respondWith(e.request.url.endsWith('/preloaded') && e.preloadResponse" +
      "  ? e.preloadResponse.then(r => r || fetch(e.request)) : fetch(e.request)))",
  ),
  "/script.js": script(""),
  "/preload.js": script(""),
  "/module.js": script("import('/imported.js')"),
  "/manifest.json": ["application/manifest+json", '{"name":"t","icons":[{"src":"/icon.png","sizes":"64x64"}]}'],
};

/** Opens the site; `host` is the name that the redirect from HTTP leads to. */
export async function openRecordingSite(
  host: string,
  certificate: { readonly key: string; readonly cert: string },
): Promise<RecordingSite> {
  const seen: SeenRequest[] = [];
  const secure = createSecureServer(certificate, (request, response) => {
    const { method = "", url: path = "", headers } = request;
    seen.push({ method, path, headers: headers as Record<string, string> });
    const [type, body] = pages[path] ?? ["text/plain", "ok"];
    response.setHeader("content-type", type);
    response.setHeader("cache-control", "no-store");
    if (path === "/preflight") {
      response.setHeader("access-control-allow-origin", "*");
      response.setHeader("access-control-allow-headers", "x-own");
    }
    if (path === "/download") response.setHeader("content-disposition", "attachment");
    // Refuses hints with what the page requests, but not with the page that follows.
    if (path === "/next") response.setHeader("permissions-policy", "ch-ua=(), ch-ua-mobile=(), ch-ua-platform=()");
    // High-entropy hints come only after they are asked for.
    if (path === "/") response.setHeader("accept-ch", "Sec-CH-UA-Full-Version-List, Sec-CH-UA-Platform-Version");
    response.end(body);
  });
  secure.on("upgrade", ({ method = "", url: path = "", headers }, socket) => {
    seen.push({ method, path, headers: headers as Record<string, string> });
    socket.destroy();
  });
  const plain = createServer((request, response) => {
    const { port } = secure.address() as AddressInfo;
    response.writeHead(302, { location: `https://${host}:${port}${request.url}` }).end();
  });
  for (const server of [secure, plain]) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    httpPort: (plain.address() as AddressInfo).port,
    httpsPort: (secure.address() as AddressInfo).port,
    seen,
    close() {
      for (const server of [secure, plain]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
