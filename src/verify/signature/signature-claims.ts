/** Verifies a request by its signatures: whether one of them is of a key that the operator of the claimed crawler publishes. */

import { createHash } from "node:crypto";
import { toAddress, toAddressText } from "../address/address.ts";
import type { Evidence } from "../evidence.ts";
import { refuseAuthority } from "./authority.ts";
import { type KeyDirectory, type KeyLookup, toAgentHost } from "./key-directory.ts";
import { type Fields, isWithinLimits, mostFieldCharacters, mostFields, toFields } from "./request-headers.ts";
import { signatureBase } from "./signature-base.ts";
import { refuseSignature, validUntilMs, verifySignature } from "./signature-check.ts";
import { parseSignatures, type RequestSignature, SignatureError, textOf } from "./signature-fields.ts";
import type { SignatureUse } from "./signature-uses.ts";

/** Whether an agent that signs for the crawler has signed: its host and the use to be noted, or why that cannot be said. */
export type SignatureResult =
  | { readonly result: "signed"; readonly agent: string; readonly use: SignatureUse }
  | { readonly result: "unsigned"; readonly why: string }
  | { readonly result: "pending"; readonly wait: Promise<unknown> };

export interface SignatureParts {
  /** The site's own names, as `toAuthority` writes them: signatures for other sites do not count. */
  readonly authority: ReadonlySet<string>;
  readonly keys: KeyDirectory;
  readonly now: () => number;
}

/** Looks at the signatures of a request; undefined if it has none. `agents` are the hosts that sign for the crawler. */
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
  // Each is verified separately; one valid signature is enough.
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
  { keys, now }: SignatureParts,
): SignatureResult {
  const unsigned = (why: string): SignatureResult => ({ result: "unsigned", why });
  const refusal = refuseSignature(signature, now());
  if (refusal !== undefined) return unsigned(refusal);
  if (signature.agent === undefined) return unsigned("the signature does not cover Signature-Agent");
  const host = toAgentHost(signature.agent);
  if (host === undefined) return unsigned("Signature-Agent is not https:// and a host, or its well-known directory");
  // Only directories that could prove the claim are fetched, so that clients cannot choose what this service fetches.
  if (!agents.includes(host)) return unsigned(`${host} is not known to sign for this crawler`);
  const keyid = textOf(signature.input[1], "keyid")!;
  const lookup = keys.known(host, keyid);
  if (lookup === undefined) return { result: "pending", wait: keys.ask(host, keyid) };
  if (lookup.result !== "found") return unsigned(whyNoKey(lookup, host));
  const problem = verifySignature(signature, fields, lookup.key, now());
  if (problem !== undefined) return unsigned(problem);
  return { result: "signed", agent: host, use: toUse(signature, fields, ip, host) };
}

/** What to remember: not the bytes of a signature, of which ECDSA lets anyone make others that are as good. */
function toUse(signature: RequestSignature, fields: Fields, ip: string | undefined, host: string): SignatureUse {
  const [, parameters] = signature.input;
  const signs = signatureBase(signature, fields);
  const nonce = textOf(parameters, "nonce");
  const once = nonce === undefined ? ["content", signs] : ["nonce", nonce];
  const address = ip === undefined ? undefined : toAddress(ip);
  return {
    name: digest([host, textOf(parameters, "keyid"), ...once]),
    // Asking again about one request of one client is no replay: a proxy may ask for each part of a page.
    by: address && digest([toAddressText(address), signs]),
    untilMs: validUntilMs(signature),
  };
}

function digest(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

function whyNoKey(lookup: Exclude<KeyLookup, { result: "found" }>, host: string): string {
  return lookup.result === "missing"
    ? `the directory of ${host} does not have the key of the signature`
    : `the keys of ${host} cannot be fetched: ${lookup.why}`;
}
