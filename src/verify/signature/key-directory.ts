/**
 * Finds the keys of signature agents at their addresses: fetches them, remembers them for as long as they allow, and keeps them
 * during an outage. Clients can choose neither the addresses nor the rate of fetches.
 */
import { createShares } from "../dns/shares.ts";
import type { Asker } from "../evidence.ts";
import type { Document, Get } from "../https-get.ts";
import { isDirectory } from "./agent-address.ts";
import { type Key, toKeys } from "./keys.ts";

/** A key; or that the agent has none of this name; or why that is not known. */
export type KeyLookup =
  | { readonly result: "found"; readonly key: Key }
  | { readonly result: "missing" }
  | { readonly result: "failed"; readonly why: string };

/** Each address is remembered, so a client must not choose it: who-may-sign.ts refuses addresses in no list. */
export interface KeyDirectory {
  /** The cached result; undefined if the agent must be asked. */
  known(agent: string, thumbprint: string): KeyLookup | undefined;
  /**
   * Asks the agent, unless that is on its way or was done within the last minute; never rejects. Undefined if too many are asked at
   * once, of which each client has a share.
   */
  ask(agent: string, thumbprint: string, asker?: Asker): Promise<KeyLookup> | undefined;
}

/** The state of an agent. An outage revokes no keys. */
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

const mostKeys = 100;
/** Fetches at a time. */
const mostPending = 100;

const minuteMs = 60_000;
/** Keys are used for so long: at least, at most, and where Cache-Control does not say. */
const freshMs = { least: 5 * minuteMs, most: 1440 * minuteMs, default: 60 * minuteMs };
/** While an agent cannot be asked, its last keys are used for so long after their end. */
const staleMs = 1440 * minuteMs;
/** An agent is asked at most so often: also after a failure. */
const betweenMs = minuteMs;
const fetchLimits = { timeoutMs: 5000, maxBytes: 65_536, maxRedirects: 0 };

/** The keys of RFC 9421's Appendix B.1: their private halves are printed there. */
const testKeys: ReadonlySet<string> = new Set([
  "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
  "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA",
]);

const mediaType = "application/http-message-signatures-directory+json";

/** Makes a directory of keys that fetches with `get`. */
export function createKeyDirectory({ get, now, acceptTestKeys }: KeyDirectoryOptions): KeyDirectory {
  const directories = new Map<string, Directory>();
  const shares = createShares(mostPending);

  async function refresh(url: string, directory: Directory): Promise<void> {
    try {
      const document = await get(url, { accept: `${mediaType}, application/json;q=0.9` }, fetchLimits);
      directory.keys = readKeys(document, isDirectory(url) ? "directory" : "key set");
      directory.freshUntil = now() + lifetimeMs(document);
      directory.failure = undefined;
    } catch (error) {
      directory.failure = error instanceof Error ? error.message : String(error);
    }
    directory.pending = undefined;
  }

  function readKeys({ status, body }: Document, what: string): ReadonlyMap<string, Key> {
    if (status !== 200) throw new Error(`its ${what} answers with ${status}`);
    const keySet = parseJson(body);
    const listed = keySet?.keys;
    if (!Array.isArray(listed)) throw new Error(`its ${what} is not a JSON object with a list of keys`);
    if (listed.length > mostKeys) throw new Error(`its ${what} has more than ${mostKeys} keys`);
    const keys = toKeys(keySet).filter(({ thumbprint }) => acceptTestKeys || !testKeys.has(thumbprint));
    return new Map(keys.map((key) => [key.thumbprint, key]));
  }

  function known(agent: string, thumbprint: string): KeyLookup | undefined {
    const directory = directories.get(agent);
    if (directory === undefined) return undefined;
    const { keys, freshUntil, askedAt, failure, pending } = directory;
    const key = keys.get(thumbprint);
    const found = key && ({ result: "found", key } as const);
    if (found !== undefined && freshUntil > now()) return found;
    // Old keys are used after a failed fetch only: a key is revoked by leaving it out.
    if (askedAt + betweenMs <= now()) return undefined;
    if (found !== undefined && failure !== undefined && freshUntil + staleMs > now()) return found;
    if (pending !== undefined) return undefined;
    return failure === undefined ? { result: "missing" } : { result: "failed", why: failure };
  }

  return {
    known,
    ask(agent, thumbprint, asker) {
      const already = known(agent, thumbprint);
      if (already !== undefined) return Promise.resolve(already);
      const directory = directories.get(agent) ?? createDirectory();
      if (directory.pending === undefined) {
        const release = shares.take(asker, true);
        if (release === undefined) return undefined;
        directories.set(agent, directory);
        directory.askedAt = now();
        directory.pending = refresh(agent, directory).finally(release);
      }
      const late = { result: "failed", why: "it took too long to fetch" } as const;
      return directory.pending.then(() => known(agent, thumbprint) ?? late);
    },
  };
}

function createDirectory(): Directory {
  return { keys: new Map(), freshUntil: 0, askedAt: 0, failure: undefined, pending: undefined };
}

function parseJson(text: string): { readonly keys?: unknown } | null | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function lifetimeMs(document: Document): number {
  const seconds = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(document.header("cache-control") ?? "")?.[1];
  const asked = seconds === undefined ? freshMs.default : Number(seconds) * 1000;
  return Math.min(Math.max(asked, freshMs.least), freshMs.most);
}
