/** The evidence of requests beside their user agents, and the interface of what verifies claims by it. */

import { withoutPort } from "../address/address.ts";
import type { CrawlerAddress, Verification } from "../detect/verification.ts";
import type { OperatorList } from "./lists/operator-lists.ts";
import type { RequestHeaders } from "./request-headers.ts";

/** The evidence of a request beside its user agent. */
export interface Evidence {
  /** The client's address. Text that is not an address counts as none. */
  readonly ip?: string | undefined;
  /**
   * The request's header fields, for signatures: Signature, Signature-Input, Signature-Agent, Host and what else is signed. Beyond 100
   * fields or 32,768 characters they are not read.
   */
  readonly headers?: RequestHeaders | undefined;
}

/**
 * The client of a verification, one object per request: DNS lookups are shared among clients, and among the requests of a client. No part
 * of the evidence, which is cached for all who ask the same.
 */
export interface LookupClient {
  /** The client's address; text that is not an address is a separate client. Read only when a lookup begins. */
  readonly client: string;
}

/** The claim of a verdict, which is verified. */
export interface Claim {
  readonly crawler: boolean;
  readonly name?: string;
  readonly operator?: string;
}

export interface ClaimVerifier {
  /** The lists of operators' addresses that it verifies by, as they are now. */
  lists?(): readonly OperatorList[];
  /**
   * Whose crawlers have the client's address, whatever its user agent; one object until the lists change. Called for each request with an
   * address, because proxies are noticed by it, too.
   */
  crawlerAddress?(ip: string): CrawlerAddress | undefined;
  /**
   * Whether the evidence verifies the claim; undefined for a person's user agent without a signature. Waits for at most `waitMs` for what
   * has to be looked up: what is not known by then is known the next time. No promise where nothing is waited for. Never rejects. Without
   * `lookupClient` no share is counted.
   */
  verify(
    claim: Claim,
    evidence: Evidence,
    waitMs: number,
    lookupClient?: LookupClient,
  ): Verification | undefined | Promise<Verification | undefined>;
}

/** A request as servers and frameworks pass it on. */
export interface RequestFacts {
  /** The client's address; a port or a zone is ignored, and other text is no address. */
  readonly ip?: string | undefined;
  readonly method?: string | undefined;
  /** Path and query as they were sent. */
  readonly path?: string | undefined;
  /** The header fields of Node or of the web. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The evidence of a request. Its fields are read when they are asked for. */
export function toEvidence({ ip, method, path, headers }: RequestFacts): Evidence {
  return {
    ip: ip && withoutPort(ip).split("%", 1)[0],
    headers: {
      get(name) {
        if (name === ":method") return method ?? null;
        if (name === ":path") return path ?? null;
        return fieldOf(headers, name);
      },
    },
  };
}

function fieldOf(headers: RequestFacts["headers"], name: string): string | null {
  if (headers instanceof Headers) return name.startsWith(":") ? null : headers.get(name);
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return value === undefined || typeof value === "string" ? (value ?? null) : value.join(", ");
}
