/**
 * Finds the keys of signature agents at their addresses: fetches them when a signature names one, remembers them for as long as they
 * allow, and keeps them during an outage.
 */
import { toMessage } from "../../text/errors.ts";
import type { Document, Get } from "../https-get.ts";
import { isDirectory, toAgentText } from "./agent-address.ts";
import { type Key, toKeys } from "./keys.ts";
import { expect, SignatureError } from "./signature-fields.ts";

export interface KeySets {
  /**
   * The key with this thumbprint, or the pending fetch, which never rejects: call again when it is done. Throws a SignatureError if the
   * agent has no such key or its keys cannot be fetched. Each address is remembered, so a client must not choose it.
   */
  find(agent: string, thumbprint: string): Key | Promise<void>;
}

export interface KeySetOptions {
  readonly get: Get;
  readonly now: () => number;
}

/** The state of an agent. */
interface KeySet {
  keys: ReadonlyMap<string, Key>;
  freshUntil: number;
  askedAt: number;
  /** Why the last fetch failed; undefined if it did not. */
  failure?: string | undefined;
  pending?: Promise<void> | undefined;
}

const maxKeys = 100;
const minuteMs = 60_000;
/** How long keys are used: at least, at most, and if Cache-Control does not specify it. */
const freshMs = { least: 5 * minuteMs, most: 1440 * minuteMs, default: 60 * minuteMs };
/** How long expired keys are used while an agent cannot be reached. An outage does not revoke keys. */
const staleMs = 1440 * minuteMs;
/** The minimum time between two fetches from an agent, also after a failure. */
const betweenMs = minuteMs;
const fetchLimits = { timeoutMs: 5000, maxBytes: 65_536, maxRedirects: 0 };

/** The keys of RFC 9421's Appendix B.1: their private halves are printed there. */
const testKeys: ReadonlySet<string> = new Set([
  "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
  "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA",
]);

const accept = "application/http-message-signatures-directory+json, application/json;q=0.9";

/** Makes key sets that are fetched with `get`. */
export function createKeySets({ get, now }: KeySetOptions): KeySets {
  const sets = new Map<string, KeySet>();

  async function fetchKeys(agent: string, set: KeySet): Promise<void> {
    try {
      const document = await get(agent, { accept }, fetchLimits);
      set.keys = readKeys(document);
      set.freshUntil = now() + lifetimeMs(document);
      set.failure = undefined;
    } catch (error) {
      set.failure = toMessage(error);
    }
  }

  return {
    find(agent, thumbprint) {
      const set: KeySet = sets.get(agent) ?? { keys: new Map(), freshUntil: 0, askedAt: Number.NEGATIVE_INFINITY };
      sets.set(agent, set);
      // After the clock went back, a time of the future would count for ever.
      set.askedAt = Math.min(set.askedAt, now());
      set.freshUntil = Math.min(set.freshUntil, now() + freshMs.most);
      const key = set.keys.get(thumbprint);
      if (key !== undefined && set.freshUntil > now()) return key;
      if (set.pending === undefined && set.askedAt + betweenMs <= now()) {
        set.askedAt = now();
        set.pending = fetchKeys(agent, set).finally(() => {
          set.pending = undefined;
        });
      }
      if (set.pending !== undefined) return set.pending;
      const text = toAgentText(agent);
      const what = isDirectory(agent) ? `the directory of ${text}` : text;
      expect(set.failure !== undefined, `${what} does not contain the signature's key`);
      // Old keys are used only after a failed fetch, because operators revoke a key by removing it.
      if (key !== undefined && set.freshUntil + staleMs > now()) return key;
      throw new SignatureError(`the keys of ${text} cannot be fetched: ${set.failure}`, "ask again in a minute");
    },
  };
}

function readKeys({ status, body }: Document): ReadonlyMap<string, Key> {
  if (status !== 200) throw new Error(`the response status is ${status}`);
  const keySet = parseJson(body);
  if (!Array.isArray(keySet?.keys)) throw new Error("the response is not a JSON object with a list of keys");
  if (keySet.keys.length > maxKeys) throw new Error(`the response has more than ${maxKeys} keys`);
  const keys = toKeys(keySet).filter(({ thumbprint }) => !testKeys.has(thumbprint));
  return new Map(keys.map((key) => [key.thumbprint, key]));
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
