/** Splits a stream of bytes into lines of text. */

/**
 * Yields, for each chunk that completes any, the lines it completes, without their ends (`\n` or `\r\n`).
 * Bytes that are not UTF-8 become U+FFFD. A last line without an end counts; an empty rest after the last end does not.
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    if (lines.length === 1) {
      // Only appended, never searched again: a line of many chunks costs no more than its length.
      rest += text;
      continue;
    }
    lines[0] = rest + lines[0];
    rest = lines.pop() as string;
    yield lines.map(withoutCarriageReturn);
  }
  rest += decoder.decode();
  if (rest !== "") yield [withoutCarriageReturn(rest)];
}

function withoutCarriageReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
