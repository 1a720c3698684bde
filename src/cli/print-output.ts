/** Writes to standard output as fast as the reader takes it, and ends quietly when the reader has gone. */
import { once } from "node:events";

/** Writes text, or bytes as they are; resolves when more may be written. */
export async function print(output: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(output)) await once(process.stdout, "drain");
}

/** Makes a closed pipe (`whocrawls list | head`) the quiet end of the program, and a full disk one that says so. */
export function endQuietlyOnClosedPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    // Thrown here, code that waits for the output to drain would never end.
    process.stderr.write(`whocrawls: The output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
}

/** Ends the process after all output was written, even if other work is pending. */
export async function exitWhenPrinted(code: number): Promise<never> {
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  process.exit(code);
}
