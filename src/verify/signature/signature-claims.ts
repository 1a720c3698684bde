/** Verifies a request by its signatures: whether one of them is of a key that an agent which may sign for the claim publishes. */

import { createHash } from "node:crypto";
import { toAddress, toAddressText } from "../../address/address.ts";
import type { SignatureAgent } from "../../detect/verification.ts";
import type { Asker, Evidence } from "../evidence.ts";
import {
  type Fields,
  hasField,
  isWithinLimits,
  mostFieldCharacters,
  mostFields,
  toFields,
} from "../request-headers.ts";
import { isDirectory, toAgentName, toAgentText, toAgentUrl } from "./agent-address.ts";
import { refuseAuthority } from "./authority.ts";
import type { KeyDirectory, KeyLookup } from "./key-directory.ts";
import { signatureBase } from "./signature-base.ts";
import { refuseSignature, validUntilMs, verifySignature } from "./signature-check.ts";
import { parseSignatures, type RequestSignature, SignatureError, textOf } from "./signature-fields.ts";
import type { SignatureUse } from "./signature-uses.ts";

/** Whether an agent that may sign has signed: who and the use to be noted, or why that cannot be said. */
export type SignatureResult = { readonly agent?: SignatureAgent | undefined } & (
  | { readonly result: "signed"; readonly text: string; readonly use: SignatureUse }
  | { readonly result: "unsigned"; readonly why: string }
  | { readonly result: "pending"; readonly wait: Promise<unknown> }
);

export interface SignatureParts {
  /** The site's own names, as `toAuthority` writes them: signatures for other sites do not count. */
  readonly authority: ReadonlySet<string>;
  readonly keys: KeyDirectory;
  readonly now: () => number;
}

/** Looks at the signatures of a request; undefined if it has none. `refuse` tells why the agent at an address may not sign, if it may not. */
export function checkSignatures(
  { ip, headers }: Evidence,
  refuse: (agent: string) => string | undefined,
  parts: SignatureParts,
  asker: Asker | undefined,
): SignatureResult | undefined {
  if (headers === undefined || !hasField(headers, "signature-input")) return undefined;
  if (!isWithinLimits(headers)) return { result: "unsigned", why: tooMany };
  const fields = toFields(headers);
  let signatures: RequestSignature[];
  try {
    signatures = parseSignatures(fields);
  } catch (error) {
    if (error instanceof SignatureError) return { result: "unsigned", why: error.message };
    throw error;
  }
  const refusal = refuseAuthority(fields, parts.authority);
  // Each is verified separately; one valid signature is enough.
  const results = signatures.map((signature): SignatureResult => {
    const url = signature.agent && toAgentUrl(signature.agent.text, signature.agent.type);
    const agent = url === undefined ? undefined : { url: toAgentName(url) };
    // Only the keys of agents that could prove the claim are fetched, so that clients cannot choose what this service fetches.
    const why =
      refusal ?? refuseSignature(signature, parts.now()) ?? (url === undefined ? whyNoUrl(signature) : refuse(url));
    if (why !== undefined || url === undefined) return { result: "unsigned", why: why ?? "", agent };
    return { agent, ...checkSignature({ signature, url, fields, ip }, parts, asker) };
  });
  return (
    results.find(({ result }) => result === "signed") ??
    results.find(({ result }) => result === "pending") ??
    results[0]
  );
}

const tooMany = `the request has more than ${mostFields} header fields, or more than ${mostFieldCharacters} characters in them`;

function whyNoUrl({ agent }: RequestSignature): string {
  if (agent === undefined) return "the signature does not cover Signature-Agent, or its type is unknown";
  return agent.type === "directory"
    ? "Signature-Agent is not https:// and a host, or its well-known directory"
    : "Signature-Agent is not an https:// address";
}

interface SignedRequest {
  readonly signature: RequestSignature;
  /** Of the agent. */
  readonly url: string;
  readonly fields: Fields;
  readonly ip: string | undefined;
}

function checkSignature(
  { signature, url, fields, ip }: SignedRequest,
  { keys, now }: SignatureParts,
  asker: Asker | undefined,
): SignatureResult {
  const unsigned = (why: string): SignatureResult => ({ result: "unsigned", why });
  const keyid = textOf(signature.input[1], "keyid")!;
  const lookup = keys.known(url, keyid);
  if (lookup === undefined) {
    const wait = keys.ask(url, keyid, asker);
    return wait === undefined ? unsigned("too many keys are being fetched at once") : { result: "pending", wait };
  }
  if (lookup.result !== "found") return unsigned(whyNoKey(lookup, url));
  const problem = verifySignature(signature, fields, lookup.key, now());
  if (problem !== undefined) return unsigned(problem);
  return { result: "signed", text: toAgentText(url), use: toUse(signature, fields, ip, url) };
}

/** What to remember: not the bytes of a signature, of which ECDSA lets anyone make others that are as good. */
function toUse(signature: RequestSignature, fields: Fields, ip: string | undefined, agent: string): SignatureUse {
  const [, parameters] = signature.input;
  const signs = signatureBase(signature, fields);
  const nonce = textOf(parameters, "nonce");
  const once = nonce === undefined ? ["content", signs] : ["nonce", nonce];
  const address = ip === undefined ? undefined : toAddress(ip);
  return {
    name: digest([agent, textOf(parameters, "keyid"), ...once]),
    // Asking again about one request of one client is no replay: a proxy may ask for each part of a page.
    by: address === undefined ? undefined : digest([toAddressText(address), signs]),
    untilMs: validUntilMs(signature),
  };
}

function digest(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

function whyNoKey(lookup: Exclude<KeyLookup, { result: "found" }>, url: string): string {
  const text = toAgentText(url);
  const what = isDirectory(url) ? `the directory of ${text}` : text;
  return lookup.result === "missing"
    ? `${what} does not have the key of the signature`
    : `the keys of ${text} cannot be fetched: ${lookup.why}`;
}
