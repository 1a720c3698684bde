/**
 * Finds the keys of signature agents at their addresses: fetches them, remembers them for as long as they allow, and keeps them
 * during an outage. Clients can choose neither the addresses nor the rate of fetches.
 */
import { type AgentAddress, isDirectory } from "../agents/agent-address.ts";
import { type AgentCard, readCard, toMembers } from "../agents/agent-card.ts";
import { betweenMs, fetchLimits, lifetimeMs, staleMs } from "../agents/lifetime.ts";
import { createShares } from "../dns/shares.ts";
import type { Asker } from "../evidence.ts";
import type { Document, Get } from "../https-get.ts";
import { type Key, toKeys } from "./keys.ts";

/** A key and what its agent says about itself; or that the agent has none of this name; or why that is not known. */
export type KeyLookup =
  | { readonly result: "found"; readonly key: Key; readonly card: AgentCard }
  | { readonly result: "missing" }
  | { readonly result: "failed"; readonly why: string };

/** Addresses are those of lists: each is remembered, so a client must not name others. */
export interface KeyDirectory {
  /** The cached result; undefined if the agent must be asked. */
  known(agent: AgentAddress, thumbprint: string): KeyLookup | undefined;
  /**
   * Asks the agent, unless that is on its way or was done within the last minute; never rejects. Undefined if too many are asked at
   * once, of which each client has a share.
   */
  ask(agent: AgentAddress, thumbprint: string, asker?: Asker): Promise<KeyLookup> | undefined;
}

/** What an agent publishes. */
interface Published {
  readonly keys: ReadonlyMap<string, Key>;
  readonly card: AgentCard;
  readonly lifetimeMs: number;
}

/** The state of an agent. An outage revokes no keys. */
interface Directory {
  published: Published | undefined;
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
/** Registries change, so that there may be any number of agents in time. The oldest leave. */
const mostAgents = 4000;

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
  const keyOf = ({ type, url }: AgentAddress): string => `${type} ${url}`;

  async function refresh(agent: AgentAddress, directory: Directory): Promise<void> {
    try {
      directory.published = await (agent.type === "cimd" ? getCard(agent.url) : getKeys(agent.url));
      directory.freshUntil = now() + directory.published.lifetimeMs;
      directory.failure = undefined;
    } catch (error) {
      directory.failure = error instanceof Error ? error.message : String(error);
    }
    directory.pending = undefined;
  }

  async function getKeys(url: string): Promise<Published> {
    const what = isDirectory(url) ? "directory" : "key set";
    const document = await get(url, { accept: `${mediaType}, application/json;q=0.9` }, fetchLimits);
    const keySet = parseJson(document, what);
    return { keys: readKeys(keySet, what), card: readCard(keySet), lifetimeMs: lifetimeMs(document) };
  }

  /** A client's metadata, which has its keys or says where they are. */
  async function getCard(url: string): Promise<Published> {
    const document = await get(url, { accept: "application/json" }, fetchLimits);
    const metadata = parseJson(document, "card");
    const { client_id, jwks, jwks_uri } = toMembers(metadata);
    if (client_id !== url) throw new Error("its card has another client_id");
    if (jwks !== undefined && jwks_uri !== undefined) throw new Error("its card has both jwks and jwks_uri");
    const own = { card: readCard(metadata), lifetimeMs: lifetimeMs(document) };
    if (jwks_uri === undefined) return { ...own, keys: readKeys(jwks, "card") };
    if (typeof jwks_uri !== "string" || !URL.canParse(jwks_uri)) throw new Error("its jwks_uri is not an address");
    const { keys, lifetimeMs: ofKeys } = await getKeys(jwks_uri);
    return { ...own, keys, lifetimeMs: Math.min(own.lifetimeMs, ofKeys) };
  }

  function readKeys(keySet: unknown, what: string): ReadonlyMap<string, Key> {
    const { keys: listed } = toMembers(keySet);
    if (!Array.isArray(listed)) throw new Error(`its ${what} has no keys`);
    if (listed.length > mostKeys) throw new Error(`its ${what} has more than ${mostKeys} keys`);
    const keys = toKeys(keySet).filter(({ thumbprint }) => acceptTestKeys || !testKeys.has(thumbprint));
    return new Map(keys.map((key) => [key.thumbprint, key]));
  }

  function known(agent: AgentAddress, thumbprint: string): KeyLookup | undefined {
    const directory = directories.get(keyOf(agent));
    if (directory === undefined) return undefined;
    const { published, freshUntil, askedAt, failure, pending } = directory;
    const key = published?.keys.get(thumbprint);
    const found = published && key && ({ result: "found", key, card: published.card } as const);
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
      const directory = directories.get(keyOf(agent)) ?? createDirectory();
      if (directory.pending === undefined) {
        const release = shares.take(asker, true);
        if (release === undefined) return undefined;
        const [oldest] = directories.keys();
        if (directories.size >= mostAgents && oldest !== undefined) directories.delete(oldest);
        directories.set(keyOf(agent), directory);
        directory.askedAt = now();
        directory.pending = refresh(agent, directory).finally(release);
      }
      const late = { result: "failed", why: "it took too long to fetch" } as const;
      return directory.pending.then(() => known(agent, thumbprint) ?? late);
    },
  };
}

function createDirectory(): Directory {
  return { published: undefined, freshUntil: 0, askedAt: 0, failure: undefined, pending: undefined };
}

function parseJson(document: Document, what: string): unknown {
  if (document.status !== 200) throw new Error(`its ${what} answers with ${document.status}`);
  try {
    return JSON.parse(document.body);
  } catch {
    throw new Error(`its ${what} is not JSON`);
  }
}
