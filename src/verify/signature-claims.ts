/** Verifies a request by its signatures: whether one of them is of a key that the operator of the claimed crawler publishes. */

import { refuseAuthority } from "./authority.ts";
import { type Fields, isWithinLimits, mostFieldCharacters, mostFields, toFields } from "./headers.ts";
import { type KeyDirectory, type KeyLookup, toAgentHost } from "./key-directory.ts";
import type { Nonces } from "./nonces.ts";
import { refuseSignature, verifySignature } from "./signature-check.ts";
import { numberOf, parseSignatures, type RequestSignature, SignatureError, textOf } from "./signature-fields.ts";
import type { Evidence } from "./verification.ts";

/** Whether an agent that signs for the crawler has signed: the agent's host, or why that cannot be said. */
export type SignatureResult =
  | { readonly result: "signed"; readonly agent: string }
  | { readonly result: "unsigned"; readonly why: string }
  | { readonly result: "pending"; readonly wait: Promise<unknown> };

export interface SignatureParts {
  /** The site's own names, as `toAuthority` writes them: signatures for other sites do not count. */
  readonly authority: ReadonlySet<string>;
  readonly keys: KeyDirectory;
  readonly nonces: Nonces;
  readonly now: () => number;
}

/** Looks at the signatures of a request; undefined where it has none. `agents` are the hosts that sign for the crawler. */
export function checkSignatures(
  { ip, headers }: Evidence,
  agents: readonly string[],
  parts: SignatureParts,
): SignatureResult | undefined {
  if (headers === undefined) return undefined;
  if (!isWithinLimits(headers)) return { result: "unsigned", why: tooMany };
  const fields = toFields(headers);
  let signatures: RequestSignature[];
  try {
    signatures = parseSignatures(fields);
  } catch (error) {
    if (error instanceof SignatureError) return { result: "unsigned", why: error.message };
    throw error;
  }
  if (signatures.length === 0) return undefined;
  const refusal = refuseAuthority(fields, parts.authority);
  if (refusal !== undefined) return { result: "unsigned", why: refusal };
  // Each is judged on its own; one that is good is enough, whatever the others are.
  const results = signatures.map((signature) => checkSignature(signature, fields, ip, agents, parts));
  return (
    results.find(({ result }) => result === "signed") ??
    results.find(({ result }) => result === "pending") ??
    results[0]
  );
}

const tooMany = `the request has more than ${mostFields} header fields, or more than ${mostFieldCharacters} characters in them`;

function checkSignature(
  signature: RequestSignature,
  fields: Fields,
  ip: string | undefined,
  agents: readonly string[],
  { keys, nonces, now }: SignatureParts,
): SignatureResult {
  const unsigned = (why: string): SignatureResult => ({ result: "unsigned", why });
  const refusal = refuseSignature(signature, now());
  if (refusal !== undefined) return unsigned(refusal);
  if (signature.agent === undefined) return unsigned("the signature does not cover who made it (Signature-Agent)");
  const host = toAgentHost(signature.agent);
  if (host === undefined) return unsigned("Signature-Agent is not https:// and a host, or its well-known directory");
  // Only directories that could prove the claim are fetched, so that clients cannot choose what this service fetches.
  if (!agents.includes(host)) return unsigned(`${host} is not known to sign for this crawler`);
  const parameters = signature.input[1];
  const keyid = textOf(parameters, "keyid")!;
  const lookup = keys.known(host, keyid);
  if (lookup === undefined) return { result: "pending", wait: keys.ask(host, keyid) };
  if (lookup.result !== "found") return unsigned(whyNoKey(lookup, host));
  const problem = verifySignature(signature, fields, lookup.key, now());
  if (problem !== undefined) return unsigned(problem);
  const nonce = textOf(parameters, "nonce");
  const use = `${ip ?? ""} ${Buffer.from(signature.bytes).toString("base64")}`;
  const remainingMs = numberOf(parameters, "expires")! * 1000 - now() + 60_000;
  if (nonce !== undefined && nonces.isReplay(`${host} ${keyid}`, nonce, use, remainingMs))
    return unsigned("the signature was used before by another client");
  return { result: "signed", agent: host };
}

function whyNoKey(lookup: Exclude<KeyLookup, { result: "found" }>, host: string): string {
  return lookup.result === "missing"
    ? `the directory of ${host} does not have the key of the signature`
    : `the keys of ${host} cannot be fetched: ${lookup.why}`;
}
