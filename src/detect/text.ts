/** Text as callers and generated modules give it: a user agent as a string, and bytes in base64. */
import type { UserAgent } from "./verdict.ts";

/** A missing header is the empty string; throws TypeError for what is no string at all. */
export function toText(useragent: UserAgent): string {
  if (typeof useragent === "string") return useragent;
  if (useragent === null || useragent === undefined) return "";
  throw new TypeError(`A user agent is a string, null or undefined; this is of the type ${typeof useragent}.`);
}

/** Decodes base64. A loop, because `Uint8Array.from` with a function takes ten times as long, which every start would pay. */
export function fromBase64(text: string): Uint8Array {
  const chars = atob(text);
  const bytes = new Uint8Array(chars.length);
  for (let i = 0; i < chars.length; i++) bytes[i] = chars.charCodeAt(i);
  return bytes;
}
