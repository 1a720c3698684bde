/** Bearer tokens (RFC 6750), compared in constant time. */

/**
 * Makes the function that tells whether an `Authorization` header carries one of the tokens. It always compares
 * with all tokens, each to its end, so that its time tells nothing about a token.
 */
export function createAuthorizer(tokens: readonly string[]): (authorization: string | null) => boolean {
  return (authorization) => {
    const [, shown = ""] = /^bearer +(\S+) *$/i.exec(authorization ?? "") ?? [];
    let found = 0;
    for (const token of tokens) found |= isSame(shown, token);
    return found === 1;
  };
}

/** 1 if two texts are equal, else 0; the time depends only on the length of the client's text. */
function isSame(shown: string, token: string): number {
  let difference = shown.length ^ token.length;
  for (let at = 0; at < shown.length; at++) difference |= shown.charCodeAt(at) ^ token.charCodeAt(at % token.length);
  return difference === 0 ? 1 : 0;
}
