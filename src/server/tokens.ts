/** Bearer tokens (RFC 6750), compared in constant time. */
import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Makes the function that tells whether an `Authorization` header carries one of the tokens. It always compares hashes with all tokens,
 * so that its time tells nothing about a token.
 */
export function createAuthorizer(tokens: readonly string[]): (authorization: string | null) => boolean {
  const hashes = tokens.map(hash);
  return (authorization) => {
    const [, shown = ""] = /^bearer +(\S+) *$/i.exec(authorization ?? "") ?? [];
    const given = hash(shown);
    return hashes.filter((known) => timingSafeEqual(known, given)).length > 0;
  };
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
