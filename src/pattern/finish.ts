/** Work in parts, between which others may run: compilers return generators, and callers decide when the next part is done. */

/** Does all parts at once. */
export function finish<Result>(parts: Generator<undefined, Result>): Result {
  let part = parts.next();
  while (part.done !== true) part = parts.next();
  return part.value;
}
