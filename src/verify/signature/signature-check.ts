/** Checks one signature of a request by what Web Bot Auth asks for (draft-ietf-webbotauth-httpsig-protocol §5.2, RFC 9421 §3.2). */

import type { Fields } from "../request-headers.ts";
import type { Key } from "./keys.ts";
import { ComponentError, hasRepeatedComponent, signatureBase } from "./signature-base.ts";
import { numberOf, type RequestSignature, textOf } from "./signature-fields.ts";

/** Clocks differ by so much. */
const skewSeconds = 60;
/** The draft recommends that signatures last no longer; one that is older may have been passed on. */
const oldestSeconds = 86_400;

/** Most components: each may take as long as reading a whole field. */
const mostComponents = 20;

/** Why a signature cannot count with any key; undefined if it can. `now` is in milliseconds. */
export function refuseSignature(signature: RequestSignature, now: number): string | undefined {
  const [components, parameters] = signature.input;
  const names = components.map(([name]) => name);
  const created = numberOf(parameters, "created");
  const expires = numberOf(parameters, "expires");
  const seconds = now / 1000;
  if (created === undefined || expires === undefined || textOf(parameters, "keyid") === undefined)
    return "the signature lacks created, expires or keyid";
  if (!names.includes("@authority") && !names.includes("@target-uri")) return "the signature covers no @authority";
  if (components.length > mostComponents) return `the signature covers more than ${mostComponents} components`;
  if (hasRepeatedComponent(signature)) return "the signature covers a component twice";
  if (expires < created) return "the signature expires before it is made";
  if (created > seconds + skewSeconds) return "the signature is from the future";
  if (expires < seconds - skewSeconds) return "the signature has expired";
  if (created < seconds - oldestSeconds - skewSeconds) return "the signature is older than a day";
  return undefined;
}

/** The last moment at which `refuseSignature` lets a signature count, in milliseconds. */
export function validUntilMs({ input: [, parameters] }: RequestSignature): number {
  const created = numberOf(parameters, "created") ?? 0;
  const expires = numberOf(parameters, "expires") ?? 0;
  return (Math.min(expires, created + oldestSeconds) + skewSeconds) * 1000;
}

/** Why a signature does not verify with its key, and whether that shows that it is wrong; undefined if it verifies. */
export function verifySignature(
  signature: RequestSignature,
  fields: Fields,
  key: Key,
  now: number,
): string | undefined {
  if ((key.notBefore ?? 0) > now + skewSeconds * 1000) return "the key is not valid yet";
  if ((key.expires ?? Number.POSITIVE_INFINITY) < now - skewSeconds * 1000) return "the key has expired";
  const algorithm = textOf(signature.input[1], "alg");
  let base: string;
  try {
    base = signatureBase(signature, fields);
  } catch (error) {
    if (error instanceof ComponentError) return error.message;
    throw error;
  }
  const isValid = key.verify(new TextEncoder().encode(base), signature.bytes, algorithm);
  return isValid ? undefined : "the signature does not verify";
}
