/**
 * Keeps the site for visits without a connection. Pages come from the network, and from the cache if it does not answer in time: an
 * update is seen on the next visit. Everything else comes from the cache. A new version is stored as a whole, and takes the place of
 * the old one when no open page uses it any more: pages never get parts of two versions.
 */
declare const VERSION: string;
declare const FILES: readonly string[];

interface WorkerEvent extends Event {
  readonly request: Request;
  waitUntil(work: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
}
declare const clients: { claim(): Promise<void> };

const on = addEventListener as (type: string, listener: (event: WorkerEvent) => void) => void;

/** Other sites may have the same origin. */
const prefix = `whocrawls ${new URL("./", location.href).pathname} `;
const pageTimeoutMs = 4000;

on("install", (event) => event.waitUntil(store()));
on("activate", (event) => event.waitUntil(Promise.all([removeOld(), clients.claim()])));
on("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith(request.mode === "navigate" ? readPage(request) : readFile(request));
});

async function store(): Promise<void> {
  const cache = await caches.open(prefix + VERSION);
  await cache.addAll(FILES.map((name) => new Request(name, { cache: "no-cache" })));
}

async function removeOld(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== prefix + VERSION);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function find(request: Request): Promise<Response | undefined> {
  return (await caches.open(prefix + VERSION)).match(request, { ignoreSearch: true });
}

async function readFile(request: Request): Promise<Response> {
  return (await find(request)) ?? fetch(request);
}

async function readPage(request: Request): Promise<Response> {
  try {
    return await fetch(request, { signal: AbortSignal.timeout(pageTimeoutMs) });
  } catch {
    return (await find(request)) ?? Response.error();
  }
}
