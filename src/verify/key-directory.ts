/**
 * Finds the keys of signature agents: fetches their directories, remembers them for as long as they allow, and what could not
 * be fetched for a while. Keys are looked up by directory and thumbprint together: anyone may publish anyone's public key.
 */
import { createBoundedCache } from "./bounded-cache.ts";
import type { Document, Get } from "./https-get.ts";
import { type Key, toKeys } from "./keys.ts";

/** A key; or that the directory has none of this name; or why that is not known. */
export type KeyLookup =
  | { readonly result: "found"; readonly key: Key }
  | { readonly result: "missing" }
  | { readonly result: "failed"; readonly why: string };

export interface KeyDirectory {
  /** What is known already; undefined where it has to be asked. */
  known(url: string, thumbprint: string): KeyLookup | undefined;
  /** Asks the directory, unless that is on its way; never rejects. */
  ask(url: string, thumbprint: string): Promise<KeyLookup>;
}

interface Directory {
  readonly keys: ReadonlyMap<string, Key>;
  readonly fetchedAt: number;
  readonly freshUntil: number;
}

export interface KeyDirectoryOptions {
  readonly get: Get;
  readonly now: () => number;
  /** For tests with the keys that RFC 9421 prints, which everyone has. */
  readonly acceptTestKeys?: true;
}

const minuteMs = 60_000;
const limits = { timeoutMs: 5000, maxBytes: 65_536, maxRedirects: 0 };
const mostKeys = 100;
const mostPending = 20;
const mostDirectories = 500;
/** How long a directory is used at least, at most, and where it does not say; then as long again while it cannot be fetched. */
const freshMs = { least: 5 * minuteMs, most: 1440 * minuteMs, default: 60 * minuteMs };
const staleMs = 1440 * minuteMs;
/** A directory that does not have a key is asked again after so long, and one that could not be fetched. */
const retryMs = 5 * minuteMs;
const failureMs = minuteMs;

/** The keys of RFC 9421's Appendix B.1: their private halves are printed there. */
const testKeys: ReadonlySet<string> = new Set([
  "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
  "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA",
]);

const mediaType = "application/http-message-signatures-directory+json";

/** The URL of the directory of an agent: the value itself, or for a bare origin, as earlier drafts have it, the well-known one. */
export function toDirectoryUrl(agent: string): URL | undefined {
  if (!URL.canParse(agent)) return undefined;
  const url = new URL(agent);
  if (url.protocol !== "https:" || url.username !== "" || url.password !== "") return undefined;
  url.hash = "";
  if (url.pathname === "/" && url.search === "") url.pathname = "/.well-known/http-message-signatures-directory";
  return url;
}

/** Makes a directory of keys that fetches with `get`. */
export function createKeyDirectory({ get, now, acceptTestKeys }: KeyDirectoryOptions): KeyDirectory {
  const directories = createBoundedCache<Directory>(mostDirectories, now);
  const failures = createBoundedCache<string>(mostDirectories, now);
  const pending = new Map<string, Promise<void>>();

  async function fetchDirectory(url: string): Promise<void> {
    try {
      const document = await get(url, { accept: `${mediaType}, application/json;q=0.9` }, limits);
      const directory = {
        keys: readKeys(document, acceptTestKeys),
        fetchedAt: now(),
        freshUntil: now() + lifetimeMs(document),
      };
      directories.set(url, directory, directory.freshUntil - now() + staleMs);
    } catch (error) {
      // What was known before stays: an outage of the directory revokes no key.
      failures.set(url, error instanceof Error ? error.message : String(error), failureMs);
    } finally {
      pending.delete(url);
    }
  }

  function known(url: string, thumbprint: string): KeyLookup | undefined {
    const directory = directories.get(url);
    const failure = failures.get(url);
    const key = directory?.keys.get(thumbprint);
    const isFresh = directory !== undefined && directory.freshUntil > now();
    if (key !== undefined && (isFresh || failure !== undefined)) return { result: "found", key };
    if (failure !== undefined) return { result: "failed", why: failure };
    if (directory !== undefined && directory.fetchedAt + retryMs > now()) return { result: "missing" };
    return undefined;
  }

  return {
    known,
    async ask(url, thumbprint) {
      const already = known(url, thumbprint);
      if (already !== undefined) return already;
      if (!pending.has(url)) {
        if (pending.size >= mostPending) return { result: "failed", why: "too many directories at once" };
        pending.set(url, fetchDirectory(url));
      }
      await pending.get(url);
      return known(url, thumbprint) ?? { result: "missing" };
    },
  };
}

function readKeys(document: Document, acceptTestKeys: true | undefined): ReadonlyMap<string, Key> {
  if (document.status !== 200) throw new Error(`its directory answers with ${document.status}`);
  let keySet: unknown;
  try {
    keySet = JSON.parse(document.body);
  } catch {
    throw new Error("its directory is not JSON");
  }
  const listed = (keySet as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(listed)) throw new Error("its directory has no keys");
  if (listed.length > mostKeys) throw new Error(`its directory has more than ${mostKeys} keys`);
  const keys = toKeys(keySet).filter(({ thumbprint }) => acceptTestKeys || !testKeys.has(thumbprint));
  return new Map(keys.map((key) => [key.thumbprint, key]));
}

function lifetimeMs(document: Document): number {
  const seconds = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(document.header("cache-control") ?? "")?.[1];
  const asked = seconds === undefined ? freshMs.default : Number(seconds) * 1000;
  return Math.min(Math.max(asked, freshMs.least), freshMs.most);
}
