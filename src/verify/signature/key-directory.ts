/**
 * Finds the keys of signature agents in the directories of their hosts: fetches them, remembers them for as long as they
 * allow, and keeps them during an outage. Clients can choose neither the addresses nor the rate of fetches.
 */
import type { Document, Get } from "../https-get.ts";
import { type Key, toKeys } from "./keys.ts";

/** A key; or that the directory has none of this name; or why that is not known. */
export type KeyLookup =
  | { readonly result: "found"; readonly key: Key }
  | { readonly result: "missing" }
  | { readonly result: "failed"; readonly why: string };

/** Hosts are those of the operators' table: each is remembered, so a client must not name others. */
export interface KeyDirectory {
  /** The cached result; undefined if the host must be asked. */
  known(host: string, thumbprint: string): KeyLookup | undefined;
  /** Asks the host, unless that is on its way or was done within the last minute; never rejects. */
  ask(host: string, thumbprint: string): Promise<KeyLookup>;
}

/** The state of a host's directory. An outage revokes no keys. */
interface Directory {
  keys: ReadonlyMap<string, Key>;
  freshUntil: number;
  askedAt: number;
  /** Why the last fetch failed; undefined if it did not. */
  failure: string | undefined;
  pending: Promise<void> | undefined;
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
/** How long a directory is used at least, at most, and where it does not say; then as long again while it cannot be fetched. */
const freshMs = { least: 5 * minuteMs, most: 1440 * minuteMs, default: 60 * minuteMs };
const staleMs = 1440 * minuteMs;
/** A host is asked at most so often: also after a failure, and for keys that its directory does not have. */
const betweenMs = minuteMs;

/** The keys of RFC 9421's Appendix B.1: their private halves are printed there. */
const testKeys: ReadonlySet<string> = new Set([
  "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
  "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA",
]);

const mediaType = "application/http-message-signatures-directory+json";

function toDirectoryUrl(host: string): string {
  return `https://${host}/.well-known/http-message-signatures-directory`;
}

/**
 * The host of a signature agent, which says its origin or the well-known address of its directory. Undefined for any other
 * address: on many hosts, users can publish files of their own.
 */
export function toAgentHost(agent: string): string | undefined {
  if (!URL.canParse(agent)) return undefined;
  const { href, hostname } = new URL(agent);
  return href === `https://${hostname}/` || href === toDirectoryUrl(hostname) ? hostname : undefined;
}

function createDirectory(): Directory {
  return { keys: new Map(), freshUntil: 0, askedAt: 0, failure: undefined, pending: undefined };
}

/** Makes a directory of keys that fetches with `get`. */
export function createKeyDirectory({ get, now, acceptTestKeys }: KeyDirectoryOptions): KeyDirectory {
  const directories = new Map<string, Directory>();

  async function refresh(host: string, directory: Directory): Promise<void> {
    try {
      const document = await get(toDirectoryUrl(host), { accept: `${mediaType}, application/json;q=0.9` }, limits);
      directory.keys = readKeys(document, acceptTestKeys);
      directory.freshUntil = now() + lifetimeMs(document);
      directory.failure = undefined;
    } catch (error) {
      directory.failure = error instanceof Error ? error.message : String(error);
    }
    directory.pending = undefined;
  }

  function known(host: string, thumbprint: string): KeyLookup | undefined {
    const directory = directories.get(host);
    if (directory === undefined) return undefined;
    const { keys, freshUntil, askedAt, failure, pending } = directory;
    const key = keys.get(thumbprint);
    if (key !== undefined && freshUntil > now()) return { result: "found", key };
    // Old keys are used after a failed fetch only: a key is revoked by leaving it out.
    if (askedAt + betweenMs <= now()) return undefined;
    if (key !== undefined && failure !== undefined && freshUntil + staleMs > now()) return { result: "found", key };
    if (pending !== undefined) return undefined;
    return failure === undefined ? { result: "missing" } : { result: "failed", why: failure };
  }

  return {
    known,
    async ask(host, thumbprint) {
      const already = known(host, thumbprint);
      if (already !== undefined) return already;
      const directory = directories.get(host) ?? createDirectory();
      directories.set(host, directory);
      if (directory.pending === undefined) {
        directory.askedAt = now();
        directory.pending = refresh(host, directory);
      }
      await directory.pending;
      return known(host, thumbprint) ?? { result: "failed", why: "its directory took too long to fetch" };
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
