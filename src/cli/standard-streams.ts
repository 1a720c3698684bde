/** Standard input in lines; standard output with backpressure, and a silent exit when the reader has gone. */
import { once } from "node:events";

/** Writes text, or bytes as they are; resolves when more may be written. */
export async function print(output: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(output)) await once(process.stdout, "drain");
}

/** Exits silently when the pipe is closed (`whocrawls list | head`), and with a message and `code` when the disk is full. */
export function endOnFailedOutput(code: number): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    // Do not throw here: code that waits for the output to drain would wait forever.
    process.stderr.write(`whocrawls: The output cannot be written: ${error.message}\n`);
    process.exit(code);
  });
  process.stderr.on("error", () => process.exit(code));
}

/** Ends the process after all output was written, even if other work is pending. */
export async function exitWhenPrinted(code: number): Promise<never> {
  // Not by writing "": on Bun, its callback does not wait for earlier output.
  for (const stream of [process.stdout, process.stderr]) await new Promise<void>((resolve) => stream.end(resolve));
  process.exit(code);
}

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
      // Appended without rescanning, so a line in many chunks takes linear time.
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
