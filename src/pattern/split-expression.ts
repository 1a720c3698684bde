/** Splits an expression into shorter ones that together match the same strings, which engines test faster. */

/**
 * V8 does not optimize expressions longer than 20 KiB: matching takes ten times as long. Shorter parts are
 * slightly faster still.
 */
export const maxCharactersForV8 = 13_000;

/**
 * The alternatives of `expression` in order, rejoined so that no result is longer than `maxCharacters`,
 * unless a single alternative is.
 */
export function splitExpression(expression: string, maxCharacters: number): string[] {
  const parts: string[] = [];
  for (const alternative of alternativesOf(expression)) {
    const last = parts.at(-1);
    const joined = `${last}|${alternative}`;
    if (last !== undefined && joined.length <= maxCharacters) parts[parts.length - 1] = joined;
    else parts.push(alternative);
  }
  return parts;
}

/**
 * An expression in pieces that together are its text: alternatives, or parts of those that are longer than `maxCharacters`, and what is
 * between them: `|`, the beginning of a group `(?:`, and its end with the quantifier after it.
 */
export function* cutExpression(expression: string, maxCharacters: number): Generator<string, void> {
  for (const [index, alternative] of alternativesOf(expression).entries()) {
    if (index > 0) yield "|";
    if (alternative.length <= maxCharacters) yield alternative;
    else yield* cutSequence(alternative, maxCharacters);
  }
}

function* cutSequence(sequence: string, maxCharacters: number): Generator<string, void> {
  let depth = 0;
  let from = 0;
  let open = 0;
  for (const { 0: token, index } of tokensOf(sequence)) {
    if (token === "(" && depth++ === 0) open = index;
    if (token !== ")" || --depth > 0 || index - open <= maxCharacters) continue;
    if (open > from) yield sequence.slice(from, open);
    yield "(?:";
    yield* cutExpression(sequence.slice(open + 3, index), maxCharacters);
    const end = /^\)(?:[?*+]|\{[0-9,]+\})?/.exec(sequence.slice(index))![0];
    yield end;
    from = index + end.length;
  }
  if (from < sequence.length) yield sequence.slice(from);
}

/** Tells whether `expression` matches a text; undefined matches none. */
export function createTest(expression: string | undefined): (text: string) => boolean {
  if (expression === undefined) return () => false;
  // linear: consists of the catalogue's patterns
  const parts = splitExpression(expression, maxCharactersForV8).map((part) => new RegExp(part));
  return (text) => parts.some((part) => part.test(text));
}

function alternativesOf(expression: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: token, index } of tokensOf(expression)) {
    if (token === "(") depth++;
    else if (token === ")") depth--;
    else if (token === "|" && depth === 0) {
      found.push(expression.slice(from, index));
      from = index + 1;
    }
  }
  return [...found, expression.slice(from)];
}

/** Escaped characters, classes, and single characters. */
function tokensOf(expression: string): RegExpStringIterator<RegExpExecArray> {
  return expression.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|./gs);
}
