/**
 * What a request's signatures say about a claim (draft-ietf-webbotauth-httpsig-protocol §5.2, RFC 9421 §3.2): whether one of them is of a
 * key that an agent publishes which may sign for the claim.
 */

import { createHash } from "node:crypto";
import { serializeItem } from "structured-headers";
import { type Address, toAddressText } from "../../address/address.ts";
import type { SignatureAgent } from "../../detect/verification.ts";
import { type Finding, isPending, type Pending, unverifiable, type VerificationInput } from "../finding.ts";
import { type Fields, fieldLimits, hasField, toFields } from "../request-headers.ts";
import { toAgentName, toAgentText, toAgentUrl } from "./agent-address.ts";
import { expectAuthority } from "./authority.ts";
import type { KeySets } from "./key-sets.ts";
import type { Key } from "./keys.ts";
import { signatureBase } from "./signature-base.ts";
import {
  expect,
  numberOf,
  parseSignatures,
  type RequestSignature,
  SignatureError,
  signAgain,
  textOf,
} from "./signature-fields.ts";
import type { SignatureUses, UseResult } from "./signature-uses.ts";
import type { ExpectSigner } from "./who-may-sign.ts";

export interface SignatureParts {
  /** The site's own names, as `toAuthority` writes them: signatures for other sites do not count. */
  readonly authority: ReadonlySet<string>;
  readonly keys: KeySets;
  readonly uses: SignatureUses;
  readonly expectSigner: ExpectSigner;
  /** The time in milliseconds. */
  readonly now: () => number;
}

/** The maximum clock skew. */
const skewSeconds = 60;
/** The draft recommends this maximum lifetime; an older signature may have been passed on. */
const oldestSeconds = 86_400;
/** Most components: each may take as long as reading a whole field. */
const maxComponents = 20;

/** Why a signature that verifies does not count. */
const refusals: Readonly<Record<UseResult, Pick<Finding, "reason" | "advice"> | undefined>> = {
  counts: undefined,
  replay: {
    reason: "the signature was used before, by another client or by one with an unknown address",
    advice: signAgain,
  },
  full: { reason: "too many signatures are stored already", advice: "ask again when some have expired" },
};

/** Undefined if the request is not signed. A signature that does not count refutes nothing: a proxy may have changed what it covers. */
export function bySignature(question: VerificationInput, parts: SignatureParts): Finding | Pending | undefined {
  const { headers } = question.evidence;
  if (headers === undefined || !hasField(headers, "signature-input")) return undefined;
  const { refusal } = question;
  if (refusal !== undefined) return toRemark(refusal);
  return attempt(undefined, () => {
    const fields = toFields(headers);
    expect(fields !== undefined, `there are more than ${fieldLimits}`);
    // Each is verified separately; one valid signature is enough.
    const answers = parseSignatures(fields).map((read) =>
      attempt(undefined, () => checkSignature(read(), fields, question, parts)),
    );
    return (
      answers.find((answer) => !isPending(answer) && answer?.status === "verified") ??
      answers.find(isPending) ??
      answers[0]
    );
  });
}

function checkSignature(
  signature: RequestSignature,
  fields: Fields,
  { claim, proof, address }: VerificationInput,
  { authority, keys, uses, expectSigner, now }: SignatureParts,
): Finding | Pending | undefined {
  const url = signature.agent && toAgentUrl(signature.agent.text, signature.agent.type);
  const agent = url === undefined ? undefined : { url: toAgentName(url) };
  return attempt(agent, () => {
    expectAuthority(fields, authority);
    const { keyid, untilMs } = expectSignature(signature, now());
    expect(url !== undefined, whyNoUrl(signature));
    // Only the keys of agents that could prove the claim are fetched, so that clients cannot choose what this service fetches.
    const operator = expectSigner(claim, proof, url);
    const key = keys.find(url, keyid);
    if (key instanceof Promise) return { wait: key, agent };
    const base = signatureBase(signature, fields);
    expectKey(key, now());
    const isValid = key.verify(new TextEncoder().encode(base), signature.bytes, textOf(signature, "alg"));
    expect(isValid, "the signature does not verify");
    const confirm = () => refusals[uses.note({ ...toUse(signature, base, url, address), untilMs })];
    const reason = `signed by ${toAgentText(url)}`;
    const signer = { url: toAgentName(url), ...(operator !== undefined && { operator }) };
    return { status: "verified", method: "signature", reason, asOf: now(), agent: signer, confirm };
  });
}

/** What `check` finds; a remark if it throws a SignatureError. */
function attempt(
  agent: SignatureAgent | undefined,
  check: () => Finding | Pending | undefined,
): Finding | Pending | undefined {
  try {
    return check();
  } catch (error) {
    if (error instanceof SignatureError) return toRemark({ reason: error.message, advice: error.advice, agent });
    throw error;
  }
}

function toRemark({ reason, advice = signAgain, agent }: Pick<Finding, "reason" | "advice" | "agent">): Finding {
  return { ...unverifiable(reason, advice), agent, isRemark: true };
}

/**
 * Throws a SignatureError if the signature cannot count with any key. Returns the name of its key and the end of its validity in
 * milliseconds.
 */
function expectSignature(signature: RequestSignature, nowMs: number): { keyid: string; untilMs: number } {
  const components = signature.input[0].map((component) => serializeItem(component));
  const created = numberOf(signature, "created");
  const expires = numberOf(signature, "expires");
  const keyid = textOf(signature, "keyid");
  const now = nowMs / 1000;
  expect(
    created !== undefined && expires !== undefined && keyid !== undefined,
    "the signature lacks created, expires or keyid",
  );
  expect(
    components.some((name) => name === '"@authority"' || name === '"@target-uri"'),
    "the signature does not cover @authority",
  );
  expect(components.length <= maxComponents, `the signature covers more than ${maxComponents} components`);
  expect(new Set(components).size === components.length, "the signature covers a component twice");
  expect(expires >= created, "the signature expires before it was created");
  expect(created <= now + skewSeconds, "the signature is from the future");
  expect(expires >= now - skewSeconds, "the signature has expired");
  expect(created >= now - oldestSeconds - skewSeconds, "the signature is older than a day");
  return { keyid, untilMs: (Math.min(expires, created + oldestSeconds) + skewSeconds) * 1000 };
}

function expectKey({ notBefore = 0, expires = Number.POSITIVE_INFINITY }: Key, now: number): void {
  expect(notBefore <= now + skewSeconds * 1000, "the key is not valid yet");
  expect(expires >= now - skewSeconds * 1000, "the key has expired");
}

/** What to remember: not the bytes of a signature, of which ECDSA lets anyone make others that are as good. */
function toUse(signature: RequestSignature, base: string, agent: string, address: Address | undefined) {
  const nonce = textOf(signature, "nonce");
  const once = nonce === undefined ? ["content", base] : ["nonce", nonce];
  return {
    name: digest([agent, textOf(signature, "keyid"), ...once]),
    // Asking again about the same request of the same client is not a replay: a proxy may ask for each part of a page.
    by: address === undefined ? undefined : digest([toAddressText(address), base]),
  };
}

function digest(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

function whyNoUrl({ agent }: RequestSignature): string {
  if (agent === undefined) return "the signature does not cover Signature-Agent, or its type is unknown";
  return agent.type === "directory"
    ? "Signature-Agent is neither https:// and a host nor the host's well-known directory"
    : "Signature-Agent is not an https:// address";
}
