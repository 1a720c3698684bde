// Bearer tokens (RFC 6750), compared in constant time.
import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Makes the function that tells whether an `Authorization` header carries one of the tokens. It compares digests of one
 * length, and all of them whichever fits, so that its time says nothing about a token.
 */
export function createAuthorizer(tokens: readonly string[]): (authorization: string | null) => boolean {
  const digests = tokens.map(digest);
  return (authorization) => {
    const [, shown = ""] = /^bearer +(\S+) *$/i.exec(authorization ?? "") ?? [];
    const presented = digest(shown);
    let found = false;
    for (const known of digests) found = timingSafeEqual(known, presented) || found;
    return found;
  };
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
