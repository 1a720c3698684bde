/**
 * The signature agents whose signatures count beside those of the catalogue: the lines of a setting, and those of the registries
 * among them. Clients cannot choose what is fetched: an agent in no list is not.
 */
import type { Get } from "../https-get.ts";
import { type AgentAddress, isDirectory, toAgentText, toListedUrl } from "./agent-address.ts";
import type { AgentCard } from "./agent-card.ts";
import { betweenMs, fetchLimits, lifetimeMs, staleMs } from "./lifetime.ts";
import { parseRegistry, type Registry } from "./registry.ts";

/** Whether an agent may sign. `card` is what a registry says about it; for agents that the catalogue knows, no card decides. */
export type SignerLookup =
  | { readonly result: "listed"; readonly card?: AgentCard | undefined; readonly isKnown?: true }
  | { readonly result: "unlisted"; readonly why: string }
  | { readonly result: "pending"; readonly wait: Promise<unknown> };

export interface Signers {
  find(address: AgentAddress): SignerLookup;
}

export interface SignerOptions {
  /** Addresses, each read by `parseSigner`. */
  readonly lines: readonly string[];
  readonly get: Get;
  readonly now: () => number;
}

/** A line that may be a registry. */
interface Source {
  readonly url: string;
  agents: Registry;
  etag: string | undefined;
  freshUntil: number;
  askedAt: number;
  /** Why the last fetch failed; undefined if it did not. */
  failure: string | undefined;
  pending: Promise<void> | undefined;
}

const limits = { ...fetchLimits, maxBytes: 262_144 };

/** Reads a line of a setting. Throws an Error that says what it must be. */
export function parseSigner(text: string): string {
  const url = toListedUrl(text);
  if (url === undefined)
    throw new Error(
      "each must be an https:// address of at most 1,000 characters, without user name and #, such as https://agent.example.com.",
    );
  return url;
}

/** Makes the signers of these lines. A registry is fetched when an agent signs that is in no line, and its copy is too old. */
export function createSigners({ lines, get, now }: SignerOptions): Signers {
  const own: ReadonlySet<string> = new Set(lines);
  // A directory is no registry.
  const sources = [...own]
    .filter((url) => !isDirectory(url))
    .map(
      (url): Source => ({
        url,
        agents: new Map(),
        etag: undefined,
        freshUntil: 0,
        askedAt: Number.NEGATIVE_INFINITY,
        failure: undefined,
        pending: undefined,
      }),
    );

  async function refresh(source: Source): Promise<void> {
    try {
      const { url, etag } = source;
      const document = await get(url, { accept: "text/plain", ...(etag && { "if-none-match": etag }) }, limits);
      if (document.status !== 304 || etag === undefined) {
        if (document.status !== 200) throw new Error(`it answers with ${document.status}`);
        source.agents = parseRegistry(document.body);
        source.etag = document.header("etag");
      }
      source.freshUntil = now() + lifetimeMs(document);
      source.failure = undefined;
    } catch (error) {
      source.failure = error instanceof Error ? error.message : String(error);
    }
    source.pending = undefined;
  }

  function ask(source: Source): Promise<void> {
    if (source.pending === undefined) {
      source.askedAt = now();
      source.pending = refresh(source);
    }
    return source.pending;
  }

  const isUsable = ({ freshUntil, failure }: Source): boolean =>
    freshUntil + (failure === undefined ? 0 : staleMs) > now();
  const isDue = ({ freshUntil, askedAt }: Source): boolean => freshUntil <= now() && askedAt + betweenMs <= now();

  return {
    find(address) {
      const { url } = address;
      if (own.has(url)) return { result: "listed" };
      const source = sources.find((source) => source.agents.has(url) && isUsable(source) && !isDue(source));
      if (source !== undefined) return { result: "listed", card: source.agents.get(url) };
      const waits = sources.flatMap((source) => (isDue(source) ? ask(source) : (source.pending ?? [])));
      if (waits.length > 0) return { result: "pending", wait: Promise.all(waits) };
      const failed = sources.find(({ failure }) => failure !== undefined);
      const more = failed ? `; the registry ${failed.url} cannot be read: ${failed.failure}` : "";
      return { result: "unlisted", why: `${toAgentText(address)} is in no list of signers${more}` };
    },
  };
}
